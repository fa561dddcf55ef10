import * as sdk250 from 'e2b';
import * as sdk251 from 'e2b-2.51';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, PATIENCE, reasonToSkip, type Served, serve, until } from './support.ts';

const missing = await reasonToSkip();
const why = missing === undefined ? '' : ` (not on this machine: ${missing})`;

/** Both releases have these in common, apart from types that carry the release with them. */
const RELEASES: readonly (readonly [string, typeof sdk250])[] = [
  ['e2b 2.50.0', sdk250],
  ['e2b 2.51.0', sdk251 as unknown as typeof sdk250],
];

describe.skipIf(missing !== undefined).each(RELEASES)(`%s on E2B${why}`, (release, sdk) => {
  let served: Served;
  let sandbox: sdk250.Sandbox;

  beforeAll(async () => {
    served = await serve({ flavor: 'e2b' });
    sandbox = await sdk.Sandbox.create({
      ...served.connection,
      metadata: { 'a b': 'c/d é' },
      envs: { GREETING: 'hello' },
    });
  }, PATIENCE);

  afterAll(async () => {
    await served?.close();
    expect(served?.failures).toEqual([]);
  }, PATIENCE);

  test('a sandbox is made, described, listed and ended', { timeout: PATIENCE }, async () => {
    const own = await sdk.Sandbox.create({ ...served.connection, timeoutMs: 60_000 });
    expect(own.sandboxId).toMatch(/^i[a-z0-9]{20}$/);
    const info = await own.getInfo();
    expect(info).toMatchObject({
      name: 'base',
      state: 'running',
      envdVersion: '0.6.13',
      cpuCount: 2,
      memoryMB: 1024,
      lifecycle: { onTimeout: 'kill', autoResume: false },
    });
    expect(info.endAt.getTime() - info.startedAt.getTime()).toBe(60_000);
    expect(await own.isRunning()).toBe(true);
    expect(await own.kill()).toBe(true);
    expect(await own.kill()).toBe(false);
    expect(await own.isRunning()).toBe(false);
    expect((await failure(own.getInfo())).name).toBe('SandboxNotFoundError');
    expect((await failure(own.commands.run('true'))).name).toBe('SandboxNotFoundError');
  });

  test('without a timeout it lives for five minutes', async () => {
    const { endAt, startedAt } = await sandbox.getInfo();
    expect(endAt.getTime() - startedAt.getTime()).toBe(300_000);
  });

  test('a command has output, an exit code and variables', { timeout: PATIENCE }, async () => {
    const { stdout, stderr, exitCode } = await sandbox.commands.run(
      'echo "$GREETING $OWN $E2B_SANDBOX_ID"; pwd; id -un; echo oops >&2',
      { envs: { OWN: 'you' } },
    );
    expect(stdout).toBe(`hello you ${sandbox.sandboxId}\n/home/user\nuser\n`);
    expect([stderr, exitCode]).toEqual(['oops\n', 0]);
    expect((await sandbox.commands.run('id -un', { user: 'root' })).stdout).toBe('root\n');
    expect((await sandbox.commands.run('pwd', { cwd: '/tmp' })).stdout).toBe('/tmp\n');
  });

  test('failures of commands say what happened', { timeout: PATIENCE }, async () => {
    const exit = await failure(sandbox.commands.run('echo no >&2; exit 3'));
    expect(exit).toMatchObject({
      name: 'CommandExitError',
      message: 'exit status 3',
      exitCode: 3,
      stderr: 'no\n',
    });
    const cwd = await failure(sandbox.commands.run('true', { cwd: '/nope' }));
    expect(cwd).toBeInstanceOf(sdk.InvalidArgumentError);
    expect(cwd.message).toContain("cwd '/nope' does not exist");
    const user = await failure(sandbox.commands.run('true', { user: 'nobody-here' as 'user' }));
    expect(user).toBeInstanceOf(sdk.AuthenticationError);
    expect(user.message).toContain('nobody-here');
  });

  test('a process in the background takes input and is found again', {
    timeout: PATIENCE,
  }, async () => {
    let output = '';
    const cat = await sandbox.commands.run('cat', {
      background: true,
      stdin: true,
      onStdout: (text) => {
        output += text;
      },
    });
    const list = await sandbox.commands.list();
    expect(list.find(({ pid }) => pid === cat.pid)).toMatchObject({
      cmd: '/bin/bash',
      args: ['-l', '-c', 'cat'],
    });
    await sandbox.commands.sendStdin(cat.pid, 'first ');
    await until(async () => output === 'first ');
    const again = await sandbox.commands.connect(cat.pid);
    await cat.disconnect();
    await sandbox.commands.sendStdin(cat.pid, 'second');
    await again.closeStdin();
    expect(await again.wait()).toMatchObject({ exitCode: 0, stdout: 'second' });
    // Late, but not too late.
    const late = await sandbox.commands.connect(cat.pid);
    expect(await late.wait()).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('a killed process says so', { timeout: PATIENCE }, async () => {
    const sleep = await sandbox.commands.run('exec sleep 1000', { background: true });
    expect(await sandbox.commands.kill(sleep.pid)).toBe(true);
    expect(await failure(sleep.wait())).toMatchObject({ exitCode: -1, error: 'signal: killed' });
    expect(await sandbox.commands.kill(999_999)).toBe(false);
  });

  test('a command without time is ended', { timeout: PATIENCE }, async () => {
    const slow = await failure(sandbox.commands.run('sleep 1000', { timeoutMs: 50 }));
    expect(slow).toBeInstanceOf(sdk.TimeoutError);
    const background = await sandbox.commands.run('exec sleep 1000', {
      background: true,
      timeoutMs: 30_000,
    });
    served.clock.advance(30_000);
    expect((await failure(background.wait())).name).toBe('TimeoutError');
    await until(async () =>
      (await sandbox.commands.list()).every(({ pid }) => pid !== background.pid),
    );
  });

  test('a terminal has a size and echoes', { timeout: PATIENCE }, async () => {
    let output = '';
    const terminal = await sandbox.pty.create({
      cols: 100,
      rows: 30,
      timeoutMs: 0,
      onData: (data) => {
        output += Buffer.from(data).toString();
      },
    });
    await sandbox.pty.sendInput(terminal.pid, Buffer.from('stty size\n'));
    await until(async () => output.includes('30 100'));
    await sandbox.pty.resize(terminal.pid, { cols: 77, rows: 22 });
    await sandbox.pty.sendInput(terminal.pid, Buffer.from('stty size\nexit\n'));
    await terminal.wait();
    expect(output).toContain('22 77');
  });

  test('files are written, read, listed, moved and removed', { timeout: PATIENCE }, async () => {
    const { files } = sandbox;
    const written = await files.write('dir/ü.txt', 'text', { metadata: { kind: 'note' } });
    expect(written).toMatchObject({ name: 'ü.txt', path: '/home/user/dir/ü.txt', type: 'file' });
    expect(await files.read('dir/ü.txt')).toBe('text');
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await files.write('/tmp/bytes', bytes.buffer as ArrayBuffer);
    expect(await files.read('/tmp/bytes', { format: 'bytes' })).toEqual(bytes);
    expect(await files.list('dir')).toMatchObject([
      {
        name: 'ü.txt',
        type: 'file',
        size: 4,
        mode: 0o644,
        permissions: '-rw-r--r--',
        owner: 'user',
        group: 'user',
        metadata: { kind: 'note' },
      },
    ]);
    expect(await files.rename('dir/ü.txt', 'other/n.txt')).toMatchObject({
      path: '/home/user/other/n.txt',
      metadata: { kind: 'note' },
    });
    expect([await files.exists('dir/ü.txt'), await files.exists('other/n.txt')]).toEqual([
      false,
      true,
    ]);
    expect([await files.makeDir('other'), await files.makeDir('deep/er')]).toEqual([false, true]);
    await files.remove('other');
    await files.remove('other');
    expect((await failure(files.read('other/n.txt'))).name).toBe('FileNotFoundError');
    expect((await failure(files.list('nowhere'))).name).toBe('FileNotFoundError');
    expect(await failure(files.makeDir('/etc/passwd'))).toBeInstanceOf(sdk.InvalidArgumentError);
  });

  test('many files go in one upload, also compressed', { timeout: PATIENCE }, async () => {
    const entries = Array.from({ length: 300 }, (_, index) => ({
      path: `many/${index}.txt`,
      data: `number ${index}`,
    }));
    expect(await sandbox.files.write(entries)).toHaveLength(300);
    expect(await sandbox.files.list('many')).toHaveLength(300);
    expect(await sandbox.files.read('many/299.txt')).toBe('number 299');
    await sandbox.files.write('zipped', 'z'.repeat(100_000), { gzip: true, useOctetStream: true });
    expect(await sandbox.files.read('zipped', { gzip: true })).toHaveLength(100_000);
  });

  test('a link is described by what it leads to', { timeout: PATIENCE }, async () => {
    await sandbox.commands.run(
      'mkdir -p l && echo 1 > l/file && ln -s file l/link && ln -s no l/bad',
    );
    // The clients leave out what leads nowhere.
    const [file, link] = await sandbox.files.list('l');
    expect(file).toMatchObject({ type: 'file' });
    expect(link).toMatchObject({
      type: 'file',
      symlinkTarget: '/home/user/l/file',
      permissions: 'Lrwxrwxrwx',
    });
  });

  test('changes of a folder are told', { timeout: PATIENCE }, async () => {
    await sandbox.files.makeDir('watched/sub');
    const seen: string[] = [];
    const handle = await sandbox.files.watchDir(
      'watched',
      ({ name, type }) => void seen.push(`${type} ${name}`),
      { recursive: true, timeoutMs: 0 },
    );
    await sandbox.files.write('watched/sub/new.txt', '1');
    await until(async () => seen.includes('create sub/new.txt'));
    await sandbox.files.remove('watched/sub/new.txt');
    await until(async () => seen.includes('remove sub/new.txt'));
    await handle.stop();
    const missing = await failure(sandbox.files.watchDir('nothing', () => undefined));
    expect(missing.name).toBe('FileNotFoundError');
  });

  test('links to files are signed, for one path, user and time', {
    timeout: PATIENCE,
  }, async () => {
    await sandbox.files.write('linked.txt', 'by link');
    const link = await sandbox.downloadUrl('linked.txt', { useSignatureExpiration: 60 });
    expect(await (await fetch(link)).text()).toBe('by link');
    const range = await fetch(link, { headers: { range: 'bytes=3-' } });
    expect([range.status, await range.text()]).toEqual([206, 'link']);
    const other = link.replace('linked.txt', 'other.txt');
    expect((await fetch(other)).status).not.toBe(200);
    served.clock.advance(120_000);
    expect((await fetch(link)).status).toBe(401);
    const to = await sandbox.uploadUrl('uploaded.txt');
    const form = new FormData();
    form.append('file', new Blob(['sent by link']), 'ignored.txt');
    expect((await fetch(to, { method: 'POST', body: form })).status).toBe(200);
    expect(await sandbox.files.read('uploaded.txt')).toBe('sent by link');
  });

  test('nothing is done without the token of a secured sandbox', async () => {
    const headers = { 'e2b-sandbox-id': sandbox.sandboxId, 'e2b-sandbox-port': '49983' };
    const json = { ...headers, 'content-type': 'application/json' };
    const list = await fetch(`${served.url}/process.Process/List`, {
      method: 'POST',
      headers: json,
      body: '{}',
    });
    expect([list.status, await list.json()]).toMatchObject([401, { code: 401 }]);
    expect((await fetch(`${served.url}/files?path=/etc/passwd`, { headers })).status).toBe(401);
    expect((await fetch(`${served.url}/health`, { headers })).status).toBe(204);
    expect((await fetch(`${served.url}/init`, { method: 'POST', headers: json })).status).toBe(404);
  });

  test('pause keeps processes; connect wakes and extends', { timeout: PATIENCE }, async () => {
    const own = await sdk.Sandbox.create({ ...served.connection, timeoutMs: 60_000 });
    const sleep = await own.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
    expect(await own.pause()).toBe(true);
    expect(await own.pause()).toBe(false);
    expect((await own.getInfo()).state).toBe('paused');
    expect(await own.isRunning()).toBe(false);
    const again = await sdk.Sandbox.connect(own.sandboxId, {
      ...served.connection,
      timeoutMs: 90_000,
    });
    expect((await again.commands.list()).map(({ pid }) => pid)).toContain(sleep.pid);
    const before = (await again.getInfo()).endAt.getTime();
    await again.connect({ timeoutMs: 10_000 });
    expect((await again.getInfo()).endAt.getTime()).toBe(before);
    await again.connect({ timeoutMs: 200_000 });
    expect((await again.getInfo()).endAt.getTime() - before).toBe(110_000);
    await again.kill();
    const gone = await failure(sdk.Sandbox.connect(own.sandboxId, served.connection));
    expect(gone.name).toBe('SandboxNotFoundError');
  });

  test('pause without memory ends processes and keeps files', { timeout: PATIENCE }, async () => {
    const own = await sdk.Sandbox.create(served.connection);
    await own.files.write('kept', 'yes');
    await own.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
    await own.pause({ keepMemory: false });
    await own.connect();
    expect(await own.commands.list()).toEqual([]);
    expect(await own.files.read('kept')).toBe('yes');
    await own.kill();
  });

  test('snapshots and forks begin with the files of then', { timeout: PATIENCE }, async () => {
    await sandbox.files.write('state', 'then');
    const name = `snap-${release.replaceAll(/\W/g, '-')}`;
    const snapshot = await sandbox.createSnapshot({ name });
    expect(snapshot).toEqual({ snapshotId: `local/${name}:default`, names: [`local/${name}`] });
    await sandbox.files.write('state', 'now');
    const copy = await sdk.Sandbox.create(snapshot.snapshotId, served.connection);
    expect(await copy.files.read('state')).toBe('then');
    const [fork] = await copy.fork();
    if (!(fork instanceof sdk.Sandbox)) throw fork;
    expect(await fork.files.read('state')).toBe('then');
    await Promise.all([copy.kill(), fork.kill()]);
    const listed = await sdk.Sandbox.listSnapshots({ ...served.connection, name }).nextItems();
    expect(listed).toEqual([snapshot]);
    const remove = (): Promise<boolean> =>
      sdk.Sandbox.deleteSnapshot(snapshot.snapshotId, served.connection);
    expect([await remove(), await remove()]).toEqual([true, false]);
    const gone = await failure(sdk.Sandbox.create(snapshot.snapshotId, served.connection));
    expect(gone.message).toContain('404: template');
  });

  test('lists are filtered, sorted and cut into pages', { timeout: PATIENCE }, async () => {
    const metadata = { group: 'a&b=ü' };
    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      const own = await sdk.Sandbox.create({ ...served.connection, metadata });
      made.unshift(own.sandboxId);
      served.clock.advance(1000);
    }
    await sdk.Sandbox.pause(made[1] ?? '', served.connection);
    const ids = async (options: sdk250.SandboxListOpts): Promise<string[]> => {
      const pages = sdk.Sandbox.list({ ...served.connection, ...options });
      const found: string[] = [];
      while (pages.hasNext) found.push(...(await pages.nextItems()).map((item) => item.sandboxId));
      return found;
    };
    expect(await ids({ query: { metadata }, limit: 2 })).toEqual(made);
    expect(await ids({ query: { metadata, state: ['paused'] } })).toEqual([made[1]]);
    expect(await ids({ query: { metadata, state: ['running'] }, limit: 1 })).toEqual([
      made[0],
      made[2],
    ]);
    expect(await ids({ query: { metadata }, order: 'asc' })).toEqual(made.toReversed());
    expect(await ids({ query: { metadata: { 'a b': 'c/d é' } } })).toEqual([sandbox.sandboxId]);
    expect(await ids({ query: { template: 'no-such' } })).toEqual([]);
    for (const id of made) await sdk.Sandbox.kill(id, served.connection);
  });

  test('use is measured', { timeout: PATIENCE }, async () => {
    const sleep = await sandbox.commands.run('sleep 1000', { background: true });
    const [metric] = await sandbox.getMetrics();
    await sleep.kill();
    expect(metric?.cpuCount).toBe(2);
    expect(metric?.memUsed).toBeGreaterThan(0);
    expect(metric?.memTotal).toBe(1024 ** 3);
    const past = { start: new Date(0), end: new Date(1000) };
    expect(await sandbox.getMetrics(past)).toEqual([]);
  });

  test('the network policy is told back; updates replace it', { timeout: PATIENCE }, async () => {
    const network = { allowOut: ['1.1.1.1'], denyOut: ['0.0.0.0/0'] };
    const own = await sdk.Sandbox.create({ ...served.connection, network });
    expect((await own.getInfo()).network).toMatchObject(network);
    await own.updateNetwork({ denyOut: ['8.8.8.8'] });
    const info = await own.getInfo();
    expect(info.network?.denyOut).toEqual(['8.8.8.8']);
    expect(info.network?.allowOut).toBeUndefined();
    const names = await failure(own.updateNetwork({ allowOut: ['example.com'] }));
    expect(names.message).toContain('400');
    await own.kill();
  });

  test('a wrong key is refused', async () => {
    const connection = { ...served.connection, apiKey: 'e2b_ffff' };
    const refused = await failure(sdk.Sandbox.create(connection));
    expect(refused.name).toBe('AuthenticationError');
  });
});
