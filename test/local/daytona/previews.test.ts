import { type IncomingMessage, request } from 'node:http';
import type { Sandbox } from '@daytonaio/sdk';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveInside } from './preview-program.ts';
import { failureOf, KEY, PATIENCE, type Server, withServer } from './support.ts';

withServer('ports of a sandbox from outside', (server) => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await server().client().create({ autoStopInterval: 0 });
    await serveInside(sandbox);
  }, PATIENCE);

  test('are reached by a host name, with the token of the preview link', async () => {
    const { url, token } = await sandbox.getPreviewLink(8123);
    const host = new URL(url).host;
    expect(host).toBe(`8123-${sandbox.id}.localhost:${server().listening.port}`);
    const headers = { 'x-daytona-preview-token': token, cookie: 'a=b', 'x-own': 'kept' };
    const answer = await ask(
      server(),
      host,
      '/a%20b?x=1&y=%2F',
      { method: 'POST', headers },
      'body',
    );
    expect(answer).toMatchObject({ status: 200, from: 'inside' });
    expect(answer.body).toMatchObject({ method: 'POST', url: '/a%20b?x=1&y=%2F', body: 'body' });
    expect(answer.headers).toMatchObject({
      cookie: 'a=b',
      'x-own': 'kept',
      'x-forwarded-host': host,
    });
    expect(answer.headers).not.toHaveProperty('x-daytona-preview-token');
    expect((await ask(server(), host, '/teapot', { headers })).status).toBe(418);
  });

  test('take the token from the query, or the key, and show neither inside', async () => {
    const { url, token } = await sandbox.getPreviewLink(8123);
    const host = new URL(url).host;
    const byQuery = await ask(server(), host, `/p?a=1&DAYTONA_SANDBOX_AUTH_KEY=${token}&b`);
    expect(byQuery.body).toMatchObject({ url: '/p?a=1&b' });
    const byKey = await ask(server(), host, '/', { headers: { authorization: `Bearer ${KEY}` } });
    expect(byKey.status).toBe(200);
    expect(byKey.headers).not.toHaveProperty('authorization');
  });

  test('are closed to everybody else until the sandbox is public', async () => {
    const host = `8123-${sandbox.id}.localhost:${server().listening.port}`;
    expect((await ask(server(), host, '/')).status).toBe(401);
    const wrong = { headers: { 'x-daytona-preview-token': 'wrong' } };
    expect((await ask(server(), host, '/', wrong)).status).toBe(401);
    const shown = await server().call('POST', `/sandbox/${sandbox.id}/public/true`);
    expect(await shown.json()).toMatchObject({ public: true });
    const page = { headers: { origin: 'http://somewhere.test', authorization: 'Basic eDp5' } };
    const open = await ask(server(), host, '/', page);
    expect(open.status).toBe(200);
    // A program's own use of that header is no business of ours.
    expect(open.headers).toMatchObject({ authorization: 'Basic eDp5' });
    await server().call('POST', `/sandbox/${sandbox.id}/public/false`);
    expect((await ask(server(), host, '/')).status).toBe(401);
  });

  test('carry WebSockets', async () => {
    const { token } = await sandbox.getSignedPreviewUrl(8123, 60);
    const { port } = server().listening;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, {
      headers: { host: `8123-${token}.localhost:${port}` },
    });
    const said = await new Promise((resolve, reject) => {
      socket.once('message', (data) => resolve(`${data}`)).once('error', reject);
    });
    expect(said).toBe('hello');
    socket.terminate();
  });

  test('tell when nothing listens, or the sandbox sleeps or is not known', async () => {
    const key = { headers: { authorization: `Bearer ${KEY}` } };
    const at = (name: string) => `${name}.localhost:${server().listening.port}`;
    expect((await ask(server(), at(`8124-${sandbox.id}`), '/', key)).status).toBe(502);
    expect((await ask(server(), at('8123-00000000'), '/', key)).status).toBe(401);
    const other = await server().client().create();
    await other.stop();
    const asleep = await ask(server(), at(`8123-${other.id}`), '/', key);
    expect(asleep.status).toBe(400);
    await other.delete();
    expect(await failureOf(sandbox.getPreviewLink(70_000))).toMatchObject({ statusCode: 400 });
  });

  test('the toolbox has a port, too', async () => {
    const { url, token } = await sandbox.getPreviewLink(2280);
    const headers = { 'x-daytona-preview-token': token };
    const answer = await ask(server(), new URL(url).host, '/work-dir', { headers });
    expect(answer.body).toEqual({ dir: '/home/daytona' });
  });

  test('a key for SSH is kept and checked, though there is no SSH here', async () => {
    const { token, sshCommand } = await sandbox.createSshAccess(5);
    expect(sshCommand).toContain('no SSH server');
    expect(await sandbox.validateSshAccess(token)).toEqual({ valid: true, sandboxId: sandbox.id });
    await sandbox.revokeSshAccess(token);
    expect((await sandbox.validateSshAccess(token)).valid).toBe(false);
  });

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});

interface Answer {
  status: number;
  from: string | undefined;
  body: { headers?: Record<string, string> } & Record<string, unknown>;
  headers: Record<string, string>;
}

/** `fetch` does not let one choose the host. */
async function ask(
  { listening }: Server,
  host: string,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
  body = '',
): Promise<Answer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...options.headers, host };
    const asked = request({ ...options, host: '127.0.0.1', port: listening.port, path, headers });
    asked.once('response', resolve).once('error', reject).end(body);
  });
  let text = '';
  for await (const chunk of answer) text += chunk;
  const parsed = JSON.parse(text) as Answer['body'];
  const from = answer.headers['x-from'];
  return {
    status: answer.statusCode ?? 0,
    from: typeof from === 'string' ? from : undefined,
    body: parsed,
    headers: parsed.headers ?? {},
  };
}
