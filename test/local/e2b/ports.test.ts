import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PATIENCE, reasonToSkip, type Served, serve, until } from './support.ts';

const missing = await reasonToSkip();
const why = missing === undefined ? '' : ` (not on this machine: ${missing})`;

/** Says what it was asked, sends redirects, and turns what it hears over a WebSocket around. */
const SERVER = String.raw`
const { createServer } = require('node:http');
const { createHash } = require('node:crypto');
const server = createServer((request, response) => {
  if (request.url === '/away') {
    response.writeHead(302, { location: '/there', 'set-cookie': 'a=1; Path=/' });
    return response.end();
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const body = Buffer.concat(chunks).toString();
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });
});
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ' + accept + '\r\n\r\n');
  socket.once('data', (frame) => {
    const length = frame[1] & 127;
    const mask = frame.subarray(2, 6);
    const payload = frame.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]);
    socket.write(Buffer.concat([Buffer.from([129, length]), payload.reverse()]));
  });
});
server.listen(8080, () => console.log('listening'));
`;

interface Seen {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

describe.skipIf(missing !== undefined).each(['e2b', 'cube'] as const)(
  `ports on %s${why}`,
  (flavor) => {
    let served: Served;
    let sandbox: Sandbox;

    beforeAll(async () => {
      served = await serve({ flavor });
      const template = served.front.defaultTemplate;
      sandbox = await Sandbox.create(template, { ...served.connection, timeoutMs: 3_600_000 });
      await sandbox.files.write('/tmp/server.cjs', SERVER);
      let output = '';
      await sandbox.commands.run('node /tmp/server.cjs', {
        background: true,
        timeoutMs: 0,
        onStdout: (line) => {
          output += line;
        },
        onStderr: (line) => {
          output += line;
        },
      });
      await until(async () => output !== '');
      expect(output).toBe('listening\n');
    }, PATIENCE);
    afterAll(() => served?.close(), PATIENCE);

    /** By the name alone, as a browser would. */
    async function byHost(
      port: number,
      path = '/',
      headers: Record<string, string> = {},
      id = sandbox.sandboxId,
    ): Promise<{ status: number | undefined; body: string; headers: Record<string, unknown> }> {
      const host = `${port}-${id}.localhost:${served.port}`;
      const sent = request({
        host: '127.0.0.1',
        port: served.port,
        path,
        headers: { host, ...headers },
      });
      sent.end();
      const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve).once('error', reject);
      });
      return { status: answer.statusCode, body: await text(answer), headers: answer.headers };
    }

    test('getHost is a name that leads there', async () => {
      const host = sandbox.getHost(8080);
      expect(host).toBe(`8080-${sandbox.sandboxId}.localhost:${served.port}`);
      const { status, body } = await byHost(8080, '/a?b=c', {
        origin: 'https://elsewhere.example',
      });
      const seen = JSON.parse(body) as Seen;
      expect(status).toBe(200);
      expect(seen).toMatchObject({ method: 'GET', url: '/a?b=c', headers: { host } });
    });

    test('headers choose the port when the name does not', async () => {
      const headers = { 'e2b-sandbox-id': sandbox.sandboxId, 'e2b-sandbox-port': '8080' };
      const options = { method: 'POST', headers, body: 'sent' };
      const seen = (await (await fetch(`${served.url}/x`, options)).json()) as Seen;
      expect(seen).toMatchObject({ method: 'POST', url: '/x', body: 'sent' });
      expect(seen.headers).not.toHaveProperty('e2b-sandbox-id');
    });

    test('envd and the interpreter answer under their names', async () => {
      expect((await byHost(49983, '/health')).status).toBe(204);
      expect((await byHost(49999, '/health')).body).toBe('"OK"');
    });

    test('paths lead into sandboxes of Cube, and nothing leads out again', async () => {
      const prefix = `/sandbox/${sandbox.sandboxId}/8080`;
      const response = await fetch(`${served.url}${prefix}/deep/er?q=1`);
      if (flavor === 'e2b') {
        expect(response.status).toBe(404);
        return;
      }
      const seen = (await response.json()) as Seen;
      expect(seen).toMatchObject({
        url: '/deep/er?q=1',
        headers: { 'x-forwarded-prefix': prefix },
      });
      const away = await fetch(`${served.url}${prefix}/away`, { redirect: 'manual' });
      expect(away.headers.get('location')).toBe(`${prefix}/there`);
      expect(away.headers.get('set-cookie')).toBe(`a=1; Path=${prefix}/`);
      expect((await fetch(`${served.url}${prefix}`)).status).toBe(200);
    });

    test('WebSockets go through', { timeout: PATIENCE }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${served.port}/`, {
        headers: { host: sandbox.getHost(8080) },
      });
      const message = await new Promise<string>((resolve, reject) => {
        socket.once('open', () => socket.send('abc'));
        socket.once('message', (data) => resolve(`${data}`));
        socket.once('error', reject);
      });
      socket.terminate();
      expect(message).toBe('cba');
    });

    test('a closed port and an unknown sandbox answer as the proxy does', async () => {
      const closed = await byHost(9, '/');
      expect(closed.status).toBe(502);
      const unknown = await byHost(8080, '/', {}, flavor === 'e2b' ? 'iabc' : '0'.repeat(32));
      if (flavor === 'e2b') {
        expect(JSON.parse(closed.body)).toEqual({
          sandboxId: sandbox.sandboxId,
          message: 'The sandbox is running but port is not open',
          port: 9,
          code: 502,
        });
        expect([unknown.status, JSON.parse(unknown.body)]).toEqual([
          502,
          { sandboxId: 'iabc', message: 'The sandbox was not found', code: 502 },
        ]);
      } else {
        expect(closed.body).toContain('502 Bad Gateway');
        expect(unknown).toMatchObject({ status: 503, body: '{"error":"service unavailable"}' });
      }
      const refused = new WebSocket(`ws://127.0.0.1:${served.port}/`, {
        headers: { host: sandbox.getHost(9) },
      });
      const error = await new Promise<Error>((resolve) => refused.once('error', resolve));
      expect(error.message).toContain('502');
    });

    test('the token of restricted sandboxes, and the Host they see', {
      timeout: PATIENCE,
    }, async () => {
      const own = await Sandbox.create(served.front.defaultTemplate, {
        ...served.connection,
        network: { allowPublicTraffic: false, maskRequestHost: 'app.local:${PORT}' },
      });
      const status = async (token?: string): Promise<number | undefined> =>
        (
          await byHost(
            8080,
            '/',
            token === undefined ? {} : { 'e2b-traffic-access-token': token },
            own.sandboxId,
          )
        ).status;
      expect(await status()).toBe(403);
      expect(await status('wrong')).toBe(403);
      expect(await status(own.trafficAccessToken)).toBe(502);
      await own.kill();
    });

    test('open connections end with the sandbox', { timeout: PATIENCE }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${served.port}/`, {
        headers: { host: sandbox.getHost(8080) },
      });
      await new Promise((resolve) => socket.once('open', resolve));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined);
      await sandbox.pause();
      await closed;
      await sandbox.connect();
      expect((await byHost(8080)).status).toBe(200);
    });
  },
);
