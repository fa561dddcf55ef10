import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daytona } from '@daytonaio/sdk';
import { Sandbox } from 'e2b';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/local/engine/clock.ts';
import { type LocalOptions, type LocalServer, startLocal } from '../../src/local/index.ts';

let dir: string;
let server: LocalServer | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cubeshift-local-test-'));
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dir, { recursive: true, force: true });
});

async function start(options: LocalOptions = {}): Promise<LocalServer> {
  server = await startLocal({ dir, ...options });
  return server;
}

/** A call to the server itself. */
async function admin(
  { e2b }: LocalServer,
  call: string,
  body?: unknown,
  key = e2b.apiKey,
): Promise<{ status: number; body: unknown }> {
  const [method = '', path = ''] = call.split(' ');
  const response = await fetch(`${e2b.url}/_cubeshift${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

function connectionTo({ e2b }: LocalServer) {
  return { apiUrl: e2b.url, sandboxUrl: e2b.url, apiKey: e2b.apiKey };
}

function createE2b(local: LocalServer): Promise<Sandbox> {
  return Sandbox.create(local.e2b.templateId, { ...connectionTo(local), timeoutMs: 60_000 });
}

test('serves both protocols over one engine and leaves nothing', async () => {
  const local = await start();
  const cube = await createE2b(local);
  const daytona = new Daytona({ apiUrl: local.daytona.url, apiKey: local.daytona.apiKey });
  const other = await daytona.create();
  expect((await cube.commands.run('echo from cube')).stdout).toBe('from cube\n');
  expect((await other.process.executeCommand('echo from daytona')).result.trim()).toBe(
    'from daytona',
  );
  await local.close();
  expect(readdirSync(dir)).toEqual([]);
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(dir);
});

test('both SDKs find it through the environment it names', async () => {
  const { e2b, daytona } = await start();
  expect(e2b.env).toMatchObject({
    E2B_API_URL: e2b.url,
    E2B_SANDBOX_URL: e2b.url,
    E2B_API_KEY: e2b.apiKey,
    CUBE_TEMPLATE_ID: e2b.templateId,
  });
  expect(daytona.env).toEqual({ DAYTONA_API_URL: daytona.url, DAYTONA_API_KEY: daytona.apiKey });
});

test('has new keys each time unless it is told one', async () => {
  const first = await start();
  await first.close();
  const second = await start({ key: 'a-key-from-outside' });
  expect(first.e2b.apiKey).toMatch(/^e2b_[0-9a-f]{40}$/);
  expect(first.daytona.apiKey).toMatch(/^dtn_[0-9a-f]{40}$/);
  expect([second.e2b.apiKey, second.daytona.apiKey]).toEqual(Array(2).fill('a-key-from-outside'));
});

test('refuses whoever has no key, a foreign name or another origin', async () => {
  const local = await start();
  const status = async (url: string, headers: Record<string, string>): Promise<unknown> => {
    const [response] = await once(request(url, { headers }).end(), 'response');
    response.resume();
    return response.statusCode;
  };
  const { e2b, daytona } = local;
  const keys = { 'x-api-key': e2b.apiKey };
  expect(await status(`${e2b.url}/sandboxes`, keys)).toBe(200);
  expect(await status(`${e2b.url}/sandboxes`, {})).toBe(401);
  expect(await status(`${e2b.url}/sandboxes`, { 'x-api-key': 'e2b_guess' })).toBe(401);
  expect(await status(`${e2b.url}/sandboxes`, { ...keys, host: 'rebound.example' })).toBe(403);
  expect(await status(`${e2b.url}/sandboxes`, { ...keys, origin: 'https://a.example' })).toBe(403);
  const bearer = { authorization: `Bearer ${daytona.apiKey}` };
  expect(await status(`${daytona.url}/sandbox`, bearer)).toBe(200);
  expect(await status(`${daytona.url}/sandbox`, {})).toBe(401);
  expect(await status(`${daytona.url}/sandbox`, { ...bearer, host: 'rebound.example' })).toBe(403);
  expect((await admin(local, 'GET /status', undefined, 'wrong')).status).toBe(401);
});

test('puts ports of sandboxes before a domain it is given', async () => {
  const local = await start({ domain: 'sandboxes.example:8443' });
  const sandbox = await createE2b(local);
  const host = sandbox.getHost(3000);
  expect(host).toBe(`3000-${sandbox.sandboxId}.sandboxes.example:8443`);
  // Nothing listens there, which only the sandbox itself can tell.
  const [response] = await once(request(local.e2b.url, { headers: { host } }).end(), 'response');
  response.resume();
  expect(response.statusCode).not.toBe(403);
});

test('a preview link is one that any program can follow', async () => {
  const local = await start({ faults: { rules: [{ route: 'PREVIEW *', status: 503, times: 1 }] } });
  const daytona = new Daytona({ apiUrl: local.daytona.url, apiKey: local.daytona.apiKey });
  const sandbox = await daytona.create();
  const { url, token } = await sandbox.getPreviewLink(3000);
  const status = async (headers: Record<string, string>): Promise<number> => {
    // A restart breaks connections that are kept.
    const answer = await fetch(url, { headers: { ...headers, connection: 'close' } });
    return answer.status;
  };
  expect(await status({})).toBe(503);
  expect(await status({})).toBe(401);
  // Nothing listens there, which only the sandbox itself can tell.
  expect(await status({ 'x-daytona-preview-token': token })).toBe(502);
  await local.restart();
  expect(await status({ authorization: `Bearer ${local.daytona.apiKey}` })).toBe(400);
  await local.close();
  await expect(fetch(url)).rejects.toThrow();
});

test('a lost answer leaves the sandbox that was made', async () => {
  const local = await start({
    faults: { rules: [{ front: 'e2b', route: 'POST /sandboxes', reset: 'after', times: 1 }] },
  });
  await expect(createE2b(local)).rejects.toThrow();
  const { e2b } = local;
  const list = await fetch(`${e2b.url}/sandboxes`, { headers: { 'x-api-key': e2b.apiKey } });
  expect(await list.json()).toHaveLength(1);
  await createE2b(local);
});

test('takes faults while it runs, and says what they did', async () => {
  const local = await start();
  const rule = { route: 'POST /sandboxes', status: 503, times: 1 };
  expect((await admin(local, 'PUT /faults', { rules: [rule] })).status).toBe(200);
  await expect(createE2b(local)).rejects.toThrow();
  await createE2b(local);
  expect(await admin(local, 'GET /faults')).toEqual({
    status: 200,
    body: { rules: [{ rule, matched: 2, struck: 1 }] },
  });
  expect((await admin(local, 'DELETE /faults')).body).toEqual({ rules: [] });
  const wrong = await admin(local, 'PUT /faults', { rules: [{ stauts: 500 }] });
  expect(wrong).toEqual({
    status: 400,
    body: { error: expect.stringContaining('unknown key "stauts". Did you mean "status"?') },
  });
  expect((await admin(local, 'POST /nothing')).status).toBe(404);
});

test('a restart loses sandboxes that run and keeps paused ones', async () => {
  const local = await start();
  const paused = await createE2b(local);
  const running = await createE2b(local);
  await paused.pause();
  expect((await admin(local, 'POST /restart')).status).toBe(200);
  const connection = connectionTo(local);
  await expect(Sandbox.getInfo(running.sandboxId, connection)).rejects.toThrow();
  const back = await Sandbox.connect(paused.sandboxId, connection);
  expect((await back.commands.run('echo back')).stdout).toBe('back\n');
});

test('makes time pass when told to', async () => {
  const local = await start({ clock: new ManualClock() });
  const sandbox = await createE2b(local);
  expect((await admin(local, 'POST /clock', { advanceMs: 61_000 })).status).toBe(200);
  await expect(Sandbox.getInfo(sandbox.sandboxId, connectionTo(local))).rejects.toThrow();
  expect((await admin(local, 'POST /clock', { advanceMs: 'soon' })).status).toBe(400);
});

test('says when a port is taken, and leaves nothing', async () => {
  const first = await start();
  const port = Number(new URL(first.daytona.url).port);
  const before = readdirSync(dir);
  await expect(startLocal({ dir, daytonaPort: port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  expect(readdirSync(dir)).toEqual(before);
});

test('what a killed server leaves is removed by the next one', async () => {
  const program = `
    import { startLocal } from ${JSON.stringify(new URL('../../src/local/index.ts', import.meta.url).href)};
    import { Sandbox } from 'e2b';
    const { e2b } = await startLocal({ dir: ${JSON.stringify(dir)} });
    const sandbox = await Sandbox.create(e2b.templateId, { apiUrl: e2b.url, sandboxUrl: e2b.url, apiKey: e2b.apiKey });
    await sandbox.commands.run('sleep 1000', { background: true });
    console.log('ready');
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readdirSync(dir)).not.toEqual([]);
  await (await start()).close();
  expect(readdirSync(dir)).toEqual([]);
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(dir);
});
