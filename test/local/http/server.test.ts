import { once } from 'node:events';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { Faults } from '../../../src/local/faults/faults.ts';
import { type FormPart, readForm, readJson } from '../../../src/local/http/body.ts';
import { HttpFailure } from '../../../src/local/http/failure.ts';
import { empty, json, plain, type Reply } from '../../../src/local/http/reply.ts';
import { Router } from '../../../src/local/http/router.ts';
import { type Listening, listen } from '../../../src/local/http/server.ts';

let server: Listening | undefined;
let errors: unknown[] = [];

afterEach(async () => {
  await server?.close();
  server = undefined;
  errors = [];
});

async function serve(router: Router, faults = new Faults()): Promise<string> {
  server = await listen({
    host: '127.0.0.1',
    port: 0,
    faults,
    onError: (error) => errors.push(error),
    site: {
      find(request, path) {
        const match = router.match(request.method ?? '', path);
        if (match.kind === 'found') return match;
        const status = match.kind === 'unknown' ? 404 : 405;
        return { route: { name: '*', handler: () => empty(status) }, params: {} };
      },
      findUpgrade: () => {
        throw new HttpFailure(404, 'no upgrades');
      },
      failure: failureOf,
    },
  });
  return `http://127.0.0.1:${server.port}`;
}

function failureOf(error: unknown): Reply {
  if (error instanceof HttpFailure) return plain(error.status, error.message, error.headers);
  return plain(500, 'broken');
}

/** A request with headers that fetch would not send. */
async function raw(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const request = send(url, { headers });
  request.end();
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

test('finds handlers by method and path', async () => {
  const url = await serve(
    new Router()
      .on('GET /boxes', () => plain(200, 'all'))
      .on('GET /boxes/new', () => plain(200, 'new'))
      .on('GET /boxes/:id', ({ params }) => plain(200, `one ${params.id}`))
      .on('GET /boxes/:id/files/*', ({ params }) => plain(200, `${params.id}: ${params['*']}`)),
  );
  const get = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
  expect(await get('/boxes')).toBe('all');
  expect(await get('/boxes/new')).toBe('new');
  expect(await get('/boxes/a%2Fb?x=1')).toBe('one a/b');
  expect(await get('/boxes/%ff')).toBe('one %ff');
  expect(await get('/boxes/7/files/a/b%20c')).toBe('7: a/b%20c');
  expect((await fetch(`${url}/boxes/`)).status).toBe(404);
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/boxes`, { method: 'PUT' })).status).toBe(405);
  const head = await fetch(`${url}/boxes`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('refuses foreign names and pages of other origins', async () => {
  const url = await serve(new Router().on('GET /', () => plain(200, 'hello')));
  expect(await raw(url, { host: 'localhost:1' })).toBe(200);
  expect(await raw(url, { host: '3000-abc.localhost' })).toBe(200);
  expect(await raw(url, { host: '[::1]:80' })).toBe(200);
  expect(await raw(url, { host: 'rebound.example' })).toBe(403);
  expect(await raw(url, { host: 'localhost.example' })).toBe(403);
  expect(await raw(url, { host: 'a', origin: url })).toBe(403);
  expect(await raw(url, { origin: 'https://page.example' })).toBe(403);
  expect(await raw(url, { origin: 'null' })).toBe(403);
  expect(await raw(url, { origin: url })).toBe(200);
});

test('answers in no case with headers that let other pages read', async () => {
  const url = await serve(new Router().on('GET /', () => plain(200, 'hello')));
  const { headers } = await fetch(url, { method: 'OPTIONS' });
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('reads JSON, and says what is wrong with it', async () => {
  const url = await serve(
    new Router().on('POST /', async ({ request }) => json(200, await readJson(request, 20))),
  );
  const post = (body: string) => fetch(url, { method: 'POST', body });
  expect(await (await post('{"a":[1]}')).json()).toEqual({ a: [1] });
  const broken = await post('{"a":');
  expect([broken.status, await broken.text()]).toEqual([
    400,
    expect.stringMatching(/^the body is not JSON: /),
  ]);
  expect((await post(`"${'x'.repeat(40)}"`)).status).toBe(413);
});

test('hands out the parts of a form in order, however long they are', async () => {
  const seen: string[] = [];
  const url = await serve(
    new Router().on('POST /', async ({ request }) => {
      await readForm(request, async (part: FormPart) => {
        if (part.kind === 'field') seen.push(`${part.name}=${part.value}`);
        else if (part.filename === 'skipped') seen.push('skipped');
        else seen.push(`${part.name}:${part.filename}:${(await text(part.stream)).length}`);
      });
      return empty(204);
    }),
  );
  const form = new FormData();
  form.set('one', 'first');
  form.set('a', new Blob(['x'.repeat(3_000_000)]), 'dir/a.txt');
  form.set('b', new Blob(['y'.repeat(3_000_000)]), 'skipped');
  form.set('two', 'second');
  form.set('c', new Blob([]), 'c');
  expect((await fetch(url, { method: 'POST', body: form })).status).toBe(204);
  expect(seen).toEqual(['one=first', 'a:dir/a.txt:3000000', 'skipped', 'two=second', 'c:c:0']);
});

test('tells the reader of a form that the client went away', async () => {
  let told: (error: unknown) => void = () => undefined;
  const outcome = new Promise((resolve) => {
    told = resolve;
  });
  const url = await serve(
    new Router().on('POST /', async ({ request }) => {
      await readForm(request, async (part) => {
        if (part.kind === 'file') await text(part.stream);
      }).catch((error) => {
        told(error);
        throw error;
      });
      return empty(204);
    }),
  );
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n' +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n' +
      '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nsome',
  );
  await once(socket, 'connect');
  socket.end();
  expect(await outcome).toMatchObject({ status: 400 });
});

test('refuses what is not a form', async () => {
  const url = await serve(
    new Router().on('POST /', async ({ request }) => {
      await readForm(request, () => undefined);
      return empty(204);
    }),
  );
  expect((await fetch(url, { method: 'POST', body: 'text' })).status).toBe(400);
  const headers = { 'content-type': 'multipart/form-data' };
  expect((await fetch(url, { method: 'POST', body: 'text', headers })).status).toBe(400);
});

test('ends a streamed body when its reader goes away', async () => {
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        yield 'x'.repeat(1000);
        await new Promise(setImmediate);
      }
    } finally {
      ended();
    }
  }
  const url = await serve(new Router().on('GET /', () => ({ status: 200, body: endless() })));
  const abort = new AbortController();
  const response = await fetch(url, { signal: abort.signal });
  await response.body?.getReader().read();
  abort.abort();
  await end;
  expect(errors).toEqual([]);
});

test('breaks the connection when a streamed body fails', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'some';
    throw new Error('half-way');
  }
  const url = await serve(new Router().on('GET /', () => ({ status: 200, body: failing() })));
  const response = await fetch(url);
  await expect(response.text()).rejects.toThrow();
  expect(errors).toMatchObject([{ message: 'half-way' }]);
});

test('injects faults before and after the effect', async () => {
  let effects = 0;
  const faults = new Faults();
  const url = await serve(
    new Router().on('POST /things', () => {
      effects += 1;
      return plain(201, 'made');
    }),
    faults,
  );
  const post = () => fetch(`${url}/things`, { method: 'POST' });

  faults.set({ rules: [{ route: 'POST /things', status: 503, retryAfterS: 2, times: 1 }] });
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after'), effects]).toEqual([503, '2', 0]);
  expect((await post()).status).toBe(201);

  faults.set({ rules: [{ route: 'POST *', reset: 'before' }] });
  await expect(post()).rejects.toThrow();
  expect(effects).toBe(1);

  faults.set({ rules: [{ reset: 'after' }] });
  await expect(post()).rejects.toThrow();
  expect(effects).toBe(2);

  faults.set({ rules: [{ front: 'daytona', status: 500 }] });
  expect((await post()).status).toBe(201);
});

test('cuts answers short', async () => {
  const faults = new Faults({ rules: [{ truncateBytes: 5 }] });
  const url = await serve(
    new Router()
      .on('GET /whole', () => plain(200, 'hello, world'))
      .on('GET /stream', () => ({ status: 200, body: Readable.from(['hel', 'lo, world']) }))
      .on('GET /short', () => ({ status: 200, body: 'abc' })),
    faults,
  );
  for (const path of ['/whole', '/stream']) {
    const reader = (await fetch(`${url}${path}`)).body?.getReader();
    let read = '';
    const rest = async (): Promise<void> => {
      for (;;) {
        const chunk = await reader?.read();
        if (chunk === undefined || chunk.done) return;
        read += Buffer.from(chunk.value).toString();
      }
    };
    await expect(rest()).rejects.toThrow();
    expect(read).toBe('hello');
  }
  expect(await (await fetch(`${url}/short`)).text()).toBe('abc');
});
