import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cubeshift, project, read, type Serving, serve, shell, stop } from './cli.ts';

/** Any free ports, sandboxes below the project. */
const HERE = ['--port', '0', '--daytona-port', '0', '--dir', '.'];

/** A server that runs, and the variables it printed. */
function serveLocal(cwd: string, ...args: string[]): Promise<Serving> {
  return serve(cwd, ['local', ...HERE, ...args]);
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'prints the variables, serves until %s and leaves nothing',
  async (signal) => {
    const cwd = project({});
    const { child, printed, stderr } = await serveLocal(cwd);
    const names = printed
      .trim()
      .split('\n')
      .map((line) => /^export (\w+)=\S+$/.exec(line)?.[1]);
    expect(names).toEqual(
      expect.arrayContaining(['E2B_API_URL', 'E2B_API_KEY', 'DAYTONA_API_URL', 'DAYTONA_API_KEY']),
    );
    expect(names).not.toContain(undefined);
    expect(await stop(child, signal)).toBe(0);
    expect(await stderr).toMatch(/development server.*\n.*cube@0\.7\.2.*\n.*daytona/);
    expect(readdirSync(cwd)).toEqual(['.git']);
  },
);

test('prints JSON, and nothing on stderr when it is to be quiet', async () => {
  const cwd = project({});
  const { child, printed, stderr } = await serveLocal(cwd, '--json', '--quiet', '--flavor', 'e2b');
  const { e2b, daytona, isolation } = JSON.parse(printed);
  expect(e2b).toMatchObject({ preset: 'e2b', templateId: 'base' });
  expect(daytona.env.DAYTONA_API_KEY).toBe(daytona.apiKey);
  expect(isolation).toMatchObject({ mode: expect.any(String), limits: expect.any(Array) });
  const keys = { 'x-api-key': e2b.apiKey };
  expect((await fetch(`${e2b.url}/sandboxes`, { headers: keys })).status).toBe(200);
  await stop(child, 'SIGTERM');
  expect(await stderr).toBe('');
});

test('runs a command with the variables, and ends as it does', async () => {
  const cwd = project({ 'show.mjs': 'console.log(process.env.DAYTONA_API_URL); process.exit(7)' });
  const result = await cubeshift(cwd, ['local', ...HERE, '--quiet', '--', 'node', 'show.mjs']);
  expect(result).toEqual({
    code: 7,
    stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\n$/),
    stderr: '',
  });
  const killed = await shell(
    cwd,
    `cubeshift local ${HERE.join(' ')} --quiet -- sh -c 'kill -9 $$'`,
  );
  expect(killed.code).toBe(137);
  expect(readdirSync(cwd)).toEqual(['.git', 'show.mjs']);
});

test('writes the variables to a file that only its owner reads', async () => {
  const cwd = project({});
  const key = 'a-key-from-outside';
  const { code } = await cubeshift(
    cwd,
    ['local', ...HERE, '--write-env', 'out/.env', '--', 'true'],
    { CUBESHIFT_LOCAL_KEY: key },
  );
  expect(code).toBe(0);
  expect(read(cwd, 'out/.env')).toContain(`DAYTONA_API_KEY=${key}\n`);
  expect(statSync(join(cwd, 'out/.env')).mode & 0o777).toBe(0o600);
});

test('takes faults from a file and from flags', async () => {
  const cwd = project({
    'faults.json': '{ "seed": 3, "rules": [{ "route": "GET /sandboxes", "status": 503 }] } // why',
    'ask.mjs': `
      const { E2B_API_URL: url, E2B_API_KEY: key } = process.env;
      for (const path of ['/sandboxes', '/templates']) {
        const { status } = await fetch(url + path, { headers: { 'x-api-key': key } });
        console.log(path, status);
      }`,
  });
  const faults = ['--faults', 'faults.json', '--fault', 'GET /templates status=429'];
  const result = await cubeshift(cwd, ['local', ...HERE, ...faults, '--', 'node', 'ask.mjs']);
  expect(result.stdout).toBe('/sandboxes 503\n/templates 429\n');
});

test.each([
  [
    ['--cube-version', '0.4.0'],
    'CubeSandbox 0.4.0 is not imitated; there are 0.5.1, 0.6.0, 0.7.2.',
  ],
  [['--flavor', 'e2b', '--cube-version', '0.6.0'], '--cube-version goes with --flavor cube.'],
  [['--port', 'x'], "argument 'x' is invalid. Expected a whole number."],
  [['--port', '70000'], 'Expected a port, 0 to 65535.'],
  [['--fault', 'POST /sandboxes stauts=1'], 'unknown key "stauts". Did you mean "status"?'],
  [
    ['--faults', 'missing.json'],
    'Cannot read faults missing.json: no such file or folder (ENOENT)',
  ],
  [['--faults', 'broken.json'], 'Cannot read faults broken.json:1:'],
  [['--dir', '/proc/nope'], "folder '/proc/nope' cannot be used"],
  [['--', 'no-such-program'], 'Cannot run no-such-program: no such file or folder (ENOENT).'],
])('says what is wrong with %j', async (args, message) => {
  const cwd = project({ 'broken.json': '{"rules": [' });
  const result = await cubeshift(cwd, ['local', ...HERE, '--quiet', ...args]);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(message);
  expect(result.stderr).not.toMatch(/^\s+at /m);
});

test('says that a port is taken, and that a key is too short', async () => {
  const cwd = project({});
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const taken = await cubeshift(cwd, ['local', ...HERE, '--port', `${port}`, '--', 'true']);
  other.close();
  expect(taken).toMatchObject({ code: 2, stdout: '' });
  expect(taken.stderr).toContain(`Cannot listen on 127.0.0.1 port ${port}: `);
  expect(taken.stderr).toContain('Choose others with --port and --daytona-port.');
  const short = await cubeshift(cwd, ['local', ...HERE], { CUBESHIFT_LOCAL_KEY: 'short' });
  expect(short).toMatchObject({ code: 2, stdout: '' });
  expect(short.stderr).not.toContain('short.');
  expect(readdirSync(cwd)).toEqual(['.git']);
});
