import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Gateway } from '../../shims/src/providers/cube/gateway.ts';
import { cubeVariables, freeAddress, local, projectWith } from './backends.ts';
import { cubeshift, project, type Serving, serve, stop } from './cli.ts';

/** Creates what only a token opens, uses it, and ends it. */
const JAVASCRIPT = `
import { Sandbox } from 'e2b';
const options = { timeoutMs: 60_000, network: { allowPublicTraffic: false } };
const sandbox = await Sandbox.create(process.env.CUBE_TEMPLATE_ID, options);
const { stdout } = await sandbox.commands.run('echo hello');
await sandbox.files.write('/tmp/file', stdout + 'there');
console.log(await sandbox.files.read('/tmp/file'));
console.log((await sandbox.files.list('/tmp')).map(({ name }) => name).includes('file'));
console.log(await sandbox.kill(), await sandbox.kill());
`;

const PYTHON = `
import os
from e2b import Sandbox
sandbox = Sandbox.create(os.environ['CUBE_TEMPLATE_ID'], timeout=60, network={'allow_public_traffic': False})
sandbox.files.write('/tmp/file', sandbox.commands.run('echo hello').stdout + 'there')
print(sandbox.files.read('/tmp/file'))
print('file' in [entry.name for entry in sandbox.files.list('/tmp')])
print(sandbox.kill(), sandbox.kill())
`;

test('a token is known from the creation to the end, and not lost on the way', async () => {
  const answers: [number, Record<string, string>, string][] = [
    [201, { 'content-type': 'application/json' }, '{"sandboxID":"s1","trafficAccessToken":"t1"}'],
    [404, { 'content-type': 'text/html' }, '<html>'],
    [503, { 'content-type': 'application/json' }, '{}'],
    [204, {}, ''],
  ];
  const server = createHttpServer((request, response) => {
    const [status, headers, body] = answers.shift() ?? [500, {}, ''];
    response.writeHead(status, { ...headers, 'x-asked': `${request.method} ${request.url}` });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway = new Gateway({ apiUrl: url, proxyUrl: url, hasV2Create: false });
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  });
  await gateway.open();
  const made = await fetch(`${gateway.apiUrl}/v2/sandboxes`, { method: 'POST', body: '{}' });
  expect(made.headers.get('x-asked')).toBe('POST /sandboxes');
  expect(await made.json()).toMatchObject({ sandboxID: 's1' });
  expect(gateway.tokenOf('s1')).toBe('t1');
  for (const known of ['t1', 't1', undefined]) {
    await fetch(`${gateway.apiUrl}/sandboxes/s1`, { method: 'DELETE' });
    expect(gateway.tokenOf('s1')).toBe(known);
  }
});

/** A gateway that runs, and what it printed. */
function serveGateway(env: Record<string, string>, ...args: string[]): Promise<Serving> {
  return serve(project({}), ['gateway', '--port', '0', ...args], env);
}

test.each(['e2b-2.51', 'e2b'])('leads %s of JavaScript into private sandboxes', async (name) => {
  const server = await local({ cubeVersion: '0.5.1' });
  const cwd = projectWith({ e2b: name }, { 'run.mjs': JAVASCRIPT });
  const args = ['gateway', '--port', '0', '--quiet', '--', 'node', 'run.mjs'];
  const result = await cubeshift(cwd, args, cubeVariables(server));
  expect(result).toEqual({ code: 0, stdout: 'hello\nthere\ntrue\ntrue false\n', stderr: '' });
});

const python = process.env.CUBESHIFT_TEST_PYTHON;
const why = python === undefined ? ' (CUBESHIFT_TEST_PYTHON names no interpreter)' : '';

test.skipIf(python === undefined)(`leads e2b of Python there${why}`, async () => {
  const server = await local({ cubeVersion: '0.5.1' });
  const cwd = project({ 'run.py': PYTHON });
  const args = ['gateway', '--port', '0', '--quiet', '--', python ?? '', 'run.py'];
  const result = await cubeshift(cwd, args, cubeVariables(server));
  expect(result).toEqual({ code: 0, stdout: 'hello\nthere\nTrue\nTrue False\n', stderr: '' });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'prints the variables but no key, and serves until %s',
  async (signal) => {
    const server = await local();
    const { child, printed, stderr } = await serveGateway(cubeVariables(server));
    expect(printed).toMatch(
      /^export E2B_API_URL=http:\/\/127\.0\.0\.1:\d+\/\w+\/api\nexport E2B_SANDBOX_URL=http:\/\/127\.0\.0\.1:\d+\/\w+\nexport E2B_API_KEY="\$CUBE_API_KEY"\n$/,
    );
    const [, url = ''] = /E2B_API_URL=(\S+)/.exec(printed) ?? [];
    const headers = { 'x-api-key': server.e2b.apiKey };
    expect((await fetch(`${url}/v2/sandboxes`, { headers })).status).toBe(200);
    expect((await fetch(url.replace(/\/\w+\/api$/, '/api/v2/sandboxes'), { headers })).status).toBe(
      404,
    );
    expect(await stop(child, signal)).toBe(0);
    expect(await stderr).toContain(`CubeSandbox 0.7.0 or newer at ${server.e2b.url}`);
    expect(printed + (await stderr)).not.toContain(server.e2b.apiKey);
  },
);

test('prints JSON, and keeps its address when a word for it is given', async () => {
  const server = await local();
  const secret = 'a-word-of-16-letters';
  const variables = { ...cubeVariables(server), CUBESHIFT_GATEWAY_SECRET: secret };
  const { child, printed, stderr } = await serveGateway(variables, '--json', '--quiet');
  const { env, ...rest } = JSON.parse(printed);
  expect(env.E2B_SANDBOX_URL).toMatch(new RegExp(`:\\d+/${secret}$`));
  expect(rest).toMatchObject({
    apiUrl: server.e2b.url,
    server: { atLeast: '0.7.0', hasV2Create: false },
    apiKeyFrom: 'CUBE_API_KEY',
  });
  expect(await stop(child, 'SIGTERM')).toBe(0);
  expect(await stderr).toBe('');
  expect(printed).not.toContain(server.e2b.apiKey);
});

test('says that keys of another form are to be sent as they are', async () => {
  const server = await local({ key: 'a-key-of-another-form' });
  const { child, printed } = await serveGateway(cubeVariables(server), '--quiet');
  await stop(child, 'SIGTERM');
  expect(printed).toContain('export E2B_VALIDATE_API_KEY=false\n');
});

test('refuses what is no CubeSandbox, and keys it does not accept', async () => {
  const server = await local({ flavor: 'e2b' });
  const cube = await local();
  const nowhere = await freeAddress();
  const attempts: [Record<string, string>, string][] = [
    [cubeVariables(server), `${server.e2b.url} does not answer like a CubeSandbox`],
    [{ CUBE_API_URL: server.daytona.url }, 'does not answer like a CubeSandbox'],
    [
      { ...cubeVariables(cube), CUBE_API_KEY: 'wrong' },
      'Set CUBE_API_KEY to a key that it accepts.',
    ],
    [{ CUBE_API_URL: `http://${nowhere}` }, `could not be reached at http://${nowhere}`],
  ];
  for (const [env, message] of attempts) {
    const result = await cubeshift(project({}), ['gateway', '--port', '0'], env);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/^\s+at /m);
  }
});

test.each([
  [['--api-url', 'cube:3000'], '--api-url takes an address such as http://10.0.0.5:3000'],
  [['--proxy-url', 'nowhere'], '--proxy-url takes an address'],
  [['--port', '70000'], 'Expected a port, 0 to 65535.'],
])('says what is wrong with %j', async (args, message) => {
  const result = await cubeshift(project({}), ['gateway', ...args]);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(message);
});

test('says that a port is taken, that a word is too short and that a command is not there', async () => {
  const variables = cubeVariables(await local());
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const taken = await cubeshift(project({}), ['gateway', '--port', `${port}`], variables);
  other.close();
  expect(taken).toMatchObject({ code: 2, stdout: '' });
  expect(taken.stderr).toContain(`Cannot listen on 127.0.0.1 port ${port}: `);
  expect(taken.stderr).toContain('Choose another with --port.');
  const short = { ...variables, CUBESHIFT_GATEWAY_SECRET: 'shorter' };
  const refused = await cubeshift(project({}), ['gateway', '--port', '0'], short);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).not.toContain('shorter.');
  const args = ['gateway', '--port', '0', '--quiet', '--', 'no-such-program'];
  const missing = await cubeshift(project({}), args, variables);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain('Cannot run no-such-program');
});
