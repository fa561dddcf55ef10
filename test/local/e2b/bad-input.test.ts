import { connect } from 'node:net';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer, api, KEY, PATIENCE, reasonToSkip, type Served, serve, until } from './support.ts';

const missing = await reasonToSkip();
const why = missing === undefined ? '' : ` (not on this machine: ${missing})`;

describe.skipIf(missing !== undefined)(`bad input${why}`, () => {
  let served: Served;
  let sandbox: Sandbox;
  let token: string;

  beforeAll(async () => {
    served = await serve({ flavor: 'e2b' });
    const made = await answer<{ sandboxID: string; envdAccessToken: string }>(
      api(served, 'POST', '/sandboxes', { templateID: 'base', timeout: 3600, secure: true }),
      201,
    );
    token = made.envdAccessToken;
    sandbox = await Sandbox.connect(made.sandboxID, served.connection);
  }, PATIENCE);
  afterAll(async () => {
    await served?.close();
    expect(served?.failures).toEqual([]);
  }, PATIENCE);

  function envd(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${served.url}${path}`, {
      ...init,
      headers: { 'e2b-sandbox-id': sandbox.sandboxId, 'x-access-token': token, ...init.headers },
    });
  }

  async function rpc(method: string, message: unknown, headers = {}): Promise<[number, string]> {
    const response = await envd(`/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
    return [response.status, await response.text()];
  }

  test('the key is needed, in either header', async () => {
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${served.url}/sandboxes`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ 'x-api-key': 'e2b_1' })).toBe(401);
    expect(await status({ 'x-api-key': KEY })).toBe(200);
    expect(await status({ authorization: `Bearer ${KEY}` })).toBe(200);
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
  });

  test('unknown routes and bodies answer in JSON', async () => {
    const told = async (
      method: string,
      path: string,
      body?: unknown,
    ): Promise<[number, unknown]> => {
      const response = await api(served, method, path, body);
      return [response.status, await response.json()];
    };
    expect(await told('GET', '/nothing')).toMatchObject([404, { code: 404 }]);
    expect(await told('PUT', '/sandboxes', {})).toMatchObject([405, { code: 405 }]);
    expect(await told('POST', '/sandboxes', {})).toMatchObject([
      400,
      { code: 400, message: expect.stringContaining('"templateID" is missing') },
    ]);
    expect(await told('POST', '/sandboxes', [])).toMatchObject([400, { code: 400 }]);
    expect(
      await told('POST', '/sandboxes', { templateID: 'base', metadata: { a: 1 } }),
    ).toMatchObject([400, { message: expect.stringContaining('/metadata/a') }]);
    expect(await told('GET', '/v2/sandboxes?limit=0')).toMatchObject([400, {}]);
    expect(await told('GET', '/v2/sandboxes?nextToken=%00')).toMatchObject([400, {}]);
    expect(await told('GET', '/v2/sandboxes?state=asleep')).toMatchObject([400, {}]);
    expect(await told('GET', '/sandboxes/..%2F..')).toMatchObject([400, {}]);
    expect(await told('GET', '/sandboxes/nope')).toMatchObject([404, { code: 404 }]);
  });

  test('no path leads out of the sandbox', async () => {
    for (const path of ['../../../../etc/shadow', '/proc/1/root/../../etc/shadow', '/a\0b']) {
      const response = await envd(`/files?path=${encodeURIComponent(path)}`);
      const text = await response.text();
      expect(text).not.toMatch(/cubeshift|\/proc\/self\/fd|\/proc\/\d+\/root\/\//);
    }
    await sandbox.commands.run(
      'ln -sf ../../../../../../etc/hostname out && echo mine > /etc/hostname',
      {
        user: 'root',
        cwd: '/home/user',
      },
    );
    expect(await sandbox.files.read('out')).toBe('mine\n');
  });

  test('messages name paths of the sandbox only', async () => {
    const messages = [
      await (await envd('/files?path=/none')).text(),
      await (await envd('/files?path=/etc')).text(),
      await (
        await envd('/files?path=/etc/passwd/x', {
          method: 'POST',
          body: 'x',
          headers: { 'content-type': 'application/octet-stream' },
        })
      ).text(),
      ...(await rpc('filesystem.Filesystem/ListDir', { path: '/etc/passwd' })).map(String),
      ...(await rpc('filesystem.Filesystem/Move', { source: '/none', destination: '/x' })).map(
        String,
      ),
    ];
    expect(messages[0]).toContain("path '/none' does not exist");
    expect(messages.join('\n')).not.toMatch(/\/tmp\/cubeshift|\/proc\//);
  });

  test('names may be any bytes that text can hold', { timeout: PATIENCE }, async () => {
    const name = `odd \n "'%2F ${'é'.repeat(50)} 名`;
    await sandbox.files.write(`names/${name}`, 'odd');
    expect((await sandbox.files.list('names')).map((entry) => entry.name)).toEqual([name]);
    expect(await sandbox.files.read(`names/${name}`)).toBe('odd');
    await sandbox.commands.run(`printf 'x' > "$(printf 'names/\\377')"`);
    // What is no text has no name to be listed by.
    expect(await sandbox.files.list('names')).toHaveLength(1);
  });

  test('RPCs refuse what is not theirs', async () => {
    expect((await rpc('process.Process/List', '{'))[0]).toBe(400);
    expect((await rpc('process.Process/List', '[]'))[0]).toBe(400);
    expect((await rpc('process.Process/List', '{}', { 'content-type': 'text/plain' }))[0]).toBe(
      415,
    );
    expect((await rpc('process.Process/Nope', {}))[0]).toBe(404);
    expect((await envd('/process.Process/List')).status).toBe(405);
    expect(await rpc('process.Process/SendSignal', { process: { pid: 1 } })).toEqual([
      404,
      expect.stringContaining('process with pid 1 not found'),
    ]);
    expect((await rpc('process.Process/SendSignal', { process: {} }))[0]).toBe(501);
    expect((await rpc('process.Process/SendSignal', { process: { pid: 'x' } }))[0]).toBe(400);
    expect((await rpc('filesystem.Filesystem/Stat', { path: 5 }))[0]).toBe(400);
    expect((await rpc('filesystem.Filesystem/GetWatcherEvents', { watcherId: 'none' }))[0]).toBe(
      404,
    );
    const nobody = { authorization: `Basic ${Buffer.from('nobody-here:').toString('base64')}` };
    expect(await rpc('process.Process/List', {}, nobody)).toEqual([
      401,
      expect.stringContaining("invalid username: 'nobody-here'"),
    ]);
  });

  test('broken streams get an end, not a crash', async () => {
    const start = async (body: Uint8Array<ArrayBuffer>): Promise<string> => {
      const response = await envd('/process.Process/Start', {
        method: 'POST',
        headers: { 'content-type': 'application/connect+json' },
        body,
      });
      expect(response.status).toBe(200);
      return response.text();
    };
    expect(await start(Uint8Array.of())).toContain('"code":"unimplemented"');
    expect(await start(Uint8Array.of(0, 0, 0, 0, 9, 1))).toContain('"code":"invalid_argument"');
    expect(await start(Uint8Array.of(0, 255, 255, 255, 255))).toContain(
      '"code":"resource_exhausted"',
    );
    expect(await start(Uint8Array.of(1, 0, 0, 0, 1, 1))).toContain('compressed envelope');
    expect(await start(Uint8Array.of(0, 0, 0, 0, 2, 123, 125))).toContain('no command');
  });

  test('a program that is not there, and one that cannot be named', {
    timeout: PATIENCE,
  }, async () => {
    const missing = await sandbox.commands.run('no-such-program').catch((error: unknown) => error);
    expect(missing).toMatchObject({ exitCode: 127 });
    const nul = await sandbox.commands.run('echo a\0b').catch((error: unknown) => error);
    expect(nul).toBeInstanceOf(Error);
    const variable = { envs: { 'A=B': '1' } };
    expect(
      await sandbox.commands.run('true', variable).catch((error: unknown) => error),
    ).toBeInstanceOf(Error);
  });

  test('uploads that break off or are of no kind leave the server well', {
    timeout: PATIENCE,
  }, async () => {
    const none = await envd('/files?path=x', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect([none.status, await none.json()]).toMatchObject([400, { code: 400 }]);
    const noPath = await envd('/files', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(noPath.status).toBe(400);
    const folder = await envd('/files?path=/tmp', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect([folder.status, await folder.text()]).toEqual([
      400,
      expect.stringContaining('path is a directory: /tmp'),
    ]);
    const form = new FormData();
    form.append('file', new Blob(['1']), '/tmp/same');
    form.append('file', new Blob(['2']), '/tmp/same');
    const twice = await envd('/files', { method: 'POST', body: form });
    expect([twice.status, await twice.text()]).toEqual([
      400,
      expect.stringContaining('multiple files'),
    ]);
    const socket = connect(served.port, '127.0.0.1');
    socket.write(
      `POST /files?path=half HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: ${sandbox.sandboxId}\r\nX-Access-Token: ${token}\r\nContent-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\nhalf`,
    );
    await until(() => sandbox.files.exists('half'));
    socket.destroy();
    expect(await sandbox.isRunning()).toBe(true);
  });

  test('a client that vanishes leaves its process alone', { timeout: PATIENCE }, async () => {
    const handle = await sandbox.commands.run('while :; do echo line; done', {
      background: true,
      timeoutMs: 0,
    });
    await handle.disconnect();
    await until(async () => (await sandbox.commands.list()).some(({ pid }) => pid === handle.pid));
    const again = await sandbox.commands.connect(handle.pid);
    await until(async () => again.stdout.length > 1000);
    expect(await again.kill()).toBe(true);
    await again.wait().catch(() => undefined);
  });

  test('much output arrives complete', { timeout: PATIENCE }, async () => {
    const { stdout } = await sandbox.commands.run('seq 200000');
    expect(stdout.length).toBe(1_288_895);
    expect(stdout.endsWith('\n200000\n')).toBe(true);
  });

  test('Connect’s input can be compressed and streamed', { timeout: PATIENCE }, async () => {
    const { gzipSync } = await import('node:zlib');
    const list = await envd('/process.Process/List', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync('{}')),
    });
    expect(list.status).toBe(200);
    const cat = await sandbox.commands.run('cat', { background: true, stdin: true });
    const frame = (message: object): Buffer => {
      const bytes = gzipSync(JSON.stringify(message));
      const head = Buffer.from([1, 0, 0, 0, 0]);
      head.writeUInt32BE(bytes.length, 1);
      return Buffer.concat([head, bytes]);
    };
    const body = Buffer.concat([
      frame({ start: { process: { pid: cat.pid } } }),
      frame({ data: { input: { stdin: Buffer.from('by stream').toString('base64') } } }),
    ]);
    const response = await envd('/process.Process/StreamInput', {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json', 'connect-content-encoding': 'gzip' },
      body: new Uint8Array(body),
    });
    expect(Buffer.from(await response.arrayBuffer()).subarray(0, 7)).toEqual(
      Buffer.from([0, 0, 0, 0, 2, 123, 125]),
    );
    await cat.closeStdin();
    expect((await cat.wait()).stdout).toBe('by stream');
  });

  test('watchers can be polled', { timeout: PATIENCE }, async () => {
    await sandbox.files.makeDir('polled');
    const [, created] = await rpc('filesystem.Filesystem/CreateWatcher', {
      path: 'polled',
      includeEntry: true,
    });
    const { watcherId } = JSON.parse(created) as { watcherId: string };
    await sandbox.files.write('polled/new', '1');
    const events = await until(async () => {
      const [, text] = await rpc('filesystem.Filesystem/GetWatcherEvents', { watcherId });
      const found = (JSON.parse(text) as { events: { name: string; type: string }[] }).events;
      return found.length > 0 && found;
    });
    expect(events[0]).toMatchObject({
      name: 'new',
      type: 'EVENT_TYPE_CREATE',
      entry: { path: '/home/user/polled/new' },
    });
    expect((await rpc('filesystem.Filesystem/RemoveWatcher', { watcherId }))[0]).toBe(200);
    expect((await rpc('filesystem.Filesystem/RemoveWatcher', { watcherId }))[0]).toBe(404);
  });
});
