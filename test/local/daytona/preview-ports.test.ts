import type { Sandbox } from '@daytonaio/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { leadsTo } from '../../../src/local/daytona/names.ts';
import { PreviewPorts } from '../../../src/local/daytona/preview-ports.ts';
import { ManualClock } from '../../../src/local/engine/clock.ts';
import { serveInside } from './preview-program.ts';
import { failureOf, KEY, PATIENCE, withServer } from './support.ts';

const BY_PORT = /^http:\/\/127\.0\.0\.1:\d+$/;
const clock = new ManualClock();
const asked: string[] = [];

/** As where only names in files and on servers are known. */
async function lookup(name: string): Promise<string[]> {
  asked.push(name);
  if (/^[\d.]+$/.test(name)) return [name];
  throw new Error(`getaddrinfo ENOTFOUND ${name}`);
}

withServer(
  'ports of a sandbox, where no name leads here',
  (server) => {
    let sandbox: Sandbox;

    beforeAll(async () => {
      sandbox = await server().client().create({ autoStopInterval: 0 });
      await serveInside(sandbox);
    }, PATIENCE);

    test('are reached by any program, with the token of the preview link', async () => {
      const { url, token } = await sandbox.getPreviewLink(8123);
      expect(url).toMatch(BY_PORT);
      expect((await sandbox.getPreviewLink(8123)).url).toBe(url);
      expect((await sandbox.getPreviewLink(8124)).url).not.toBe(url);
      expect(asked.filter((name) => name.endsWith('localhost'))).toEqual(['3000-probe.localhost']);
      const headers = { 'x-daytona-preview-token': token };
      const answer = await fetch(`${url}/api/health?x=1`, {
        method: 'POST',
        headers,
        body: 'sent',
      });
      expect(answer.headers.get('x-from')).toBe('inside');
      expect(await answer.json()).toMatchObject({
        method: 'POST',
        url: '/api/health?x=1',
        body: 'sent',
        headers: { 'x-forwarded-host': new URL(url).host },
      });
      const byQuery = await fetch(`${url}/p?DAYTONA_SANDBOX_AUTH_KEY=${token}`);
      expect(await byQuery.json()).toMatchObject({ url: '/p' });
    });

    test('are closed to everybody else until the sandbox is public', async () => {
      const { url } = await sandbox.getPreviewLink(8123);
      const origin = 'http://somewhere.test';
      expect((await fetch(url)).status).toBe(401);
      await server().call('POST', `/sandbox/${sandbox.id}/public/true`);
      expect((await fetch(url, { headers: { origin } })).status).toBe(200);
      await server().call('POST', `/sandbox/${sandbox.id}/public/false`);
      expect((await fetch(url)).status).toBe(401);
    });

    test('tell when nothing listens', async () => {
      const { url, token } = await sandbox.getPreviewLink(8124);
      const answer = await fetch(url, { headers: { 'x-daytona-preview-token': token } });
      expect(answer.status).toBe(502);
    });

    test('carry WebSockets', async () => {
      const { url } = await sandbox.getSignedPreviewUrl(8123, 60);
      const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`);
      const said = await new Promise((resolve, reject) => {
        socket.once('message', (data) => resolve(`${data}`)).once('error', reject);
      });
      expect(said).toBe('hello');
      socket.terminate();
    });

    test('need no token when signed, until that expires or is revoked', async () => {
      const brief = await sandbox.getSignedPreviewUrl(8123, 30);
      const revoked = await sandbox.getSignedPreviewUrl(8123, 60);
      expect(new Set([brief.url, revoked.url, (await sandbox.getPreviewLink(8123)).url]).size).toBe(
        3,
      );
      expect((await fetch(brief.url)).status).toBe(200);
      expect((await fetch(revoked.url)).status).toBe(200);
      await sandbox.expireSignedPreviewUrl(8123, revoked.token);
      await isClosed(revoked.url);
      expect((await fetch(brief.url)).status).toBe(200);
      clock.advance(31_000);
      await isClosed(brief.url);
    });

    test('are reached by host name as well', async () => {
      const { token } = await sandbox.getSignedPreviewUrl(8123, 60);
      const { port } = server().listening;
      const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, {
        headers: { host: `8123-${token}.localhost:${port}` },
      });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      socket.terminate();
    });

    test('the toolbox has a port, too, and it is not the control plane', async () => {
      const { url, token } = await sandbox.getPreviewLink(2280);
      const headers = { 'x-daytona-preview-token': token };
      const answer = await fetch(`${url}/work-dir`, { headers });
      expect(await answer.json()).toEqual({ dir: '/home/daytona' });
      const all = await fetch(`${url}/api/sandbox`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      expect(all.status).toBe(404);
    });

    test('end with the sandbox', async () => {
      const other = await server().client().create();
      const { url } = await other.getPreviewLink(8123);
      const signed = await other.getSignedPreviewUrl(8123, 60);
      const authorization = `Bearer ${KEY}`;
      await other.stop();
      expect((await fetch(url, { headers: { authorization } })).status).toBe(400);
      await other.start();
      expect((await other.getPreviewLink(8123)).url).toBe(url);
      expect((await fetch(signed.url)).status).toBe(502);
      await other.delete();
      await isClosed(url);
      await isClosed(signed.url);
    });

    test('end with the server', async () => {
      const { url } = await sandbox.getPreviewLink(8123);
      await server().front.close();
      await isClosed(url);
      expect(await failureOf(sandbox.getPreviewLink(8123))).toMatchObject({ statusCode: 503 });
      expect(server().failures).toEqual([]);
    });
  },
  { clock, lookup },
);

/** Nothing listens any more; a listener that closes is given a moment. */
async function isClosed(url: string): Promise<void> {
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'answered',
        (error) => error.cause?.code,
      ),
    )
    .toBe('ECONNREFUSED');
}

describe('ports for previews', () => {
  const listening = (port: number, closed: number[]) => ({
    host: '127.0.0.1',
    port,
    dropConnections: () => undefined,
    close: async () => void closed.push(port),
  });

  test('are as many as is allowed', async () => {
    const closed: number[] = [];
    const ports = new PreviewPorts(async ({ port }) => listening(port + 1000, closed), 2);
    expect(await ports.open('a', { port: 1, name: 'a' })).toBe(1001);
    expect(await ports.open('a', { port: 2, name: 'a' })).toBe(1002);
    expect(await ports.open('a', { port: 2, name: 'a' })).toBe(1002);
    const third = ports.open('b', { port: 3, name: 'b' });
    expect(await failureOf(third)).toMatchObject({
      status: 400,
      message: expect.stringContaining('2 ports are open'),
    });
    await ports.close({ port: 1, name: 'a' });
    expect(await ports.open('b', { port: 3, name: 'b' })).toBe(1003);
    await ports.closeOf('a');
    expect(closed).toEqual([1001, 1002]);
    await ports.end();
    expect(closed).toEqual([1001, 1002, 1003]);
  });

  test('that are still being opened are closed as well', async () => {
    const closed: number[] = [];
    let ready = (): void => undefined;
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const ports = new PreviewPorts(async ({ port }) => {
      await isReady;
      return listening(port, closed);
    });
    const opening = ports.open('a', { port: 1, name: 'a' });
    const ending = ports.end();
    ready();
    await Promise.all([opening, ending]);
    expect(closed).toEqual([1]);
    expect(await failureOf(ports.open('a', { port: 1, name: 'a' }))).toMatchObject({ status: 503 });
  });

  test('that could not be opened are tried anew', async () => {
    let isFull = true;
    const ports = new PreviewPorts(async ({ port }) => {
      if (isFull) throw new Error('EMFILE');
      return listening(port, []);
    });
    expect(await failureOf(ports.open('a', { port: 1, name: 'a' }))).toMatchObject({
      message: 'EMFILE',
    });
    isFull = false;
    expect(await ports.open('a', { port: 1, name: 'a' })).toBe(1);
  });
});

describe('a name', () => {
  const known: Record<string, string[]> = {
    'a.localhost': ['::1', '127.0.0.1'],
    // Some name servers answer everything, with an address of their own.
    'b.localhost': ['203.0.113.7'],
    '127.0.0.1': ['127.0.0.1'],
  };
  const find = async (name: string): Promise<string[]> => {
    const found = known[name];
    if (found === undefined) throw new Error('ENOTFOUND');
    return found;
  };

  test('leads to a host if one of the addresses is the same', async () => {
    expect(await leadsTo(find, 'a.localhost', '127.0.0.1')).toBe(true);
    expect(await leadsTo(find, 'b.localhost', '127.0.0.1')).toBe(false);
    expect(await leadsTo(find, 'c.localhost', '127.0.0.1')).toBe(false);
  });
});
