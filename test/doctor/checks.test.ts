import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Check, Outcome } from '../../src/doctor/check.ts';
import { clock } from '../../src/doctor/checks/clock.ts';
import { dataPlane } from '../../src/doctor/checks/data-plane.ts';
import { template } from '../../src/doctor/checks/template.ts';
import { volumes } from '../../src/doctor/checks/volumes.ts';
import { reach } from '../../src/doctor/reach.ts';
import type { Subject } from '../../src/doctor/subject.ts';
import { subjectOf } from '../../src/doctor/subjects.ts';

/** The address of a server that answers so. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** JSON by path; of what is not there, a 404 of CubeAPI. */
function answers(bodies: Readonly<Record<string, unknown>>, status = 200): RequestListener {
  return ({ url = '' }, response) => {
    const body = bodies[url];
    const [code, told] = body === undefined ? [404, { code: 404, message: 'no' }] : [status, body];
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  };
}

const CUBE = {
  '/health': { status: 'ok', sandboxes: 0 },
  '/snapshots?limit=1': [],
  '/snapshots?limit=100': [{ snapshotID: 'snap-there' }],
};

/** Runs a check of a CubeSandbox. */
async function check(
  one: Check<Subject>,
  answer: RequestListener,
  options: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const url = await serve(answer);
  const all = { apiUrl: url, proxyUrl: url, ...options };
  const source = { name: 'cube', backend: 'cube', options: all } as const;
  return one.run(await subjectOf(source, { folder: '.', env: {} }));
}

test.each([
  [0, 'ok', /^\d s from the server$/],
  [-20, 'ok', /^(?:19|2\d) s from the server$/],
  [-60, 'warning', /^this machine is (?:59|6\d) s ahead of the server$/],
  [90, 'warning', /^this machine is (?:8\d|9[01]) s behind the server$/],
])('a clock %i s from the server is %s', async (seconds, status, found) => {
  const date = new Date(Date.now() + seconds * 1000).toUTCString();
  const outcome = await check(clock, (_request, response) => {
    response.sendDate = false;
    response.setHeader('date', date).end('{}');
  });
  expect(outcome).toMatchObject({ status, found: expect.stringMatching(found) });
});

test('a server that does not tell its time', async () => {
  const outcome = await check(clock, (_request, response) => {
    response.sendDate = false;
    response.end('{}');
  });
  expect(outcome).toMatchObject({ status: 'skipped' });
});

test.each<[string, Record<string, unknown>, Outcome]>([
  ['READY', {}, { status: 'ok', found: 'tpl-x is ready' }],
  [
    'FAILED',
    { lastError: 'no envd' },
    { status: 'problem', found: 'tpl-x could not be built: no envd', fix: 'Build it anew' },
  ],
  [
    'CREATING',
    {},
    {
      status: 'problem',
      found: 'tpl-x is still being built',
      fix: 'Wait until it is ready, and run this again',
    },
  ],
  [
    'PARTIALLY_READY',
    {},
    {
      status: 'warning',
      found: 'tpl-x is on some nodes only',
      fix: 'Make it on the others: cubemastercli tpl redo',
    },
  ],
])('a template that is %s', async (status, more, outcome) => {
  const record = { templateID: 'tpl-x', status, ...more };
  const server = answers({ ...CUBE, '/templates/tpl-x': record });
  expect(await check(template, server, { template: 'tpl-x' })).toEqual(outcome);
});

test('a snapshot as template, and a name where only ids are taken', async () => {
  const record = { templateID: 'tpl-x', status: 'READY' };
  const server: RequestListener = (request, response) => {
    // Routes that a release before 0.6.0 lacks are told in no words.
    if (/^\/(?:volumes|templates\/tpl-does-not-exist|v2\/)/.test(request.url ?? '')) {
      response.writeHead(404).end();
    } else answers({ ...CUBE, '/templates/mine': record })(request, response);
  };
  expect(await check(template, server, { template: 'snap-there' })).toMatchObject({ status: 'ok' });
  expect(await check(template, server, { template: 'snap-gone' })).toMatchObject({
    status: 'problem',
    found: 'snap-gone does not exist',
  });
  expect(await check(template, server, { template: 'mine' })).toMatchObject({
    status: 'problem',
    fix: 'Set "template" of the provider "cube" to tpl-x',
  });
});

test('volumes without a driver', async () => {
  const server = answers({ '/volumes': { message: 'no volume plugin' } }, 500);
  expect(await check(volumes, server)).toMatchObject({
    status: 'problem',
    found: 'the server fails when asked for them: no volume plugin',
    fix: expect.stringContaining('volume_plugins'),
  });
});

test('a data plane that answers, but not as CubeProxy does', async () => {
  const outcome = await check(dataPlane, (_request, response) => void response.end('hello'));
  expect(outcome).toMatchObject({ status: 'warning', fix: expect.stringContaining('proxyUrl') });
});

test('an address that leads on to HTTPS, and one that does not speak HTTP', async () => {
  const leading = await serve((_request, response) => {
    response.writeHead(308, { location: 'https://cube.example/' }).end();
  });
  expect(await reach({ value: leading, where: 'CUBE_API_URL' })).toMatchObject({
    status: 'problem',
    fix: `Write ${leading.replace('http:', 'https:')} in CUBE_API_URL`,
  });
  const silent = await serve(({ socket }) => void socket.end('what?\n'));
  expect(await reach({ value: silent, where: 'CUBE_API_URL' })).toMatchObject({
    status: 'problem',
    found: expect.stringContaining('does not speak HTTP'),
  });
});
