import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DoctorReport } from '../../src/doctor/doctor.ts';
import type { CubeVersion } from '../../src/local/e2b/presets.ts';
import { cubeVariables, freeAddress, local, projectWith } from './backends.ts';
import { cubeshift, project, type Result, ROOT } from './cli.ts';

const SDKS = { e2b: 'e2b', '@daytonaio/sdk': '@daytonaio/sdk' };

/** Runs the command, and gives what it found about one provider by check. */
async function doctor(
  cwd: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Result & { report: DoctorReport; found: Record<string, unknown> }> {
  const result = await cubeshift(cwd, ['doctor', '--json', ...args], env);
  expect(result.stderr).toBe('');
  const report = JSON.parse(result.stdout) as DoctorReport;
  const [provider] = report.providers;
  const found = Object.fromEntries((provider?.checks ?? []).map((check) => [check.name, check]));
  return { ...result, report, found };
}

describe('what works', () => {
  test.each<[CubeVersion, string]>([
    ['0.5.1', 'CubeSandbox 0.5'],
    ['0.6.0', 'CubeSandbox 0.6'],
    ['0.7.2', 'CubeSandbox 0.7 or newer'],
  ])('CubeSandbox %s', async (cubeVersion, told) => {
    const server = await local({ cubeVersion });
    const args = ['--provider', 'cube', '--create'];
    const { code, report, found } = await doctor(projectWith(SDKS), args, cubeVariables(server));
    expect(report.counts.problem, JSON.stringify(report.providers)).toBe(0);
    expect(code).toBe(0);
    expect(found.server).toMatchObject({ found: expect.stringContaining(told) });
    expect(found.sandbox).toMatchObject({
      status: 'ok',
      found: expect.stringMatching(/^made in [\d.]+ m?s, a command answered in .*, deleted$/),
    });
    const volumes = cubeVersion === '0.5.1' ? ['warning', 'skipped'] : ['ok', 'ok'];
    expect([found.volumes, found['volume driver']]).toMatchObject(
      volumes.map((status) => ({ status })),
    );
    expect(found.pause).toMatchObject({ status: cubeVersion === '0.6.0' ? 'warning' : 'ok' });
    expect(await sandboxesOf(server.e2b)).toEqual([]);
  });

  test('E2B', async () => {
    const { e2b } = await local({ flavor: 'e2b' });
    const args = ['--provider', 'e2b', '--create'];
    const { code, report } = await doctor(projectWith({ e2b: 'e2b-2.51' }), args, { ...e2b.env });
    expect(report.counts, JSON.stringify(report.providers)).toMatchObject({
      problem: 0,
      warning: 0,
    });
    expect(code).toBe(0);
    expect(await sandboxesOf(e2b)).toEqual([]);
  });

  test('Daytona', async () => {
    const { daytona } = await local();
    const args = ['--provider', 'daytona', '--create'];
    const { code, report } = await doctor(projectWith(SDKS), args, { ...daytona.env });
    expect(report.counts, JSON.stringify(report.providers)).toMatchObject({
      problem: 0,
      warning: 0,
    });
    expect(code).toBe(0);
  });

  test.each(['cube', 'e2b'] as const)('the local server as %s', async (flavor) => {
    const { e2b, daytona } = await local({ flavor });
    const config = {
      default: 'dev',
      providers: {
        dev: { use: 'local', url: e2b.url },
        other: {
          use: 'local',
          protocol: 'daytona',
          url: new URL(daytona.url).origin,
          apiKey: daytona.apiKey,
        },
      },
    };
    const cwd = projectWith(SDKS, { 'sandbox.config.json': JSON.stringify(config) });
    const env = { CUBESHIFT_LOCAL_KEY: e2b.apiKey };
    const { code, report } = await doctor(cwd, ['--create'], env);
    expect(report.providers.map(({ name }) => name)).toEqual(['dev', 'other']);
    expect(report.node).toBeNull();
    expect(report.counts.problem, JSON.stringify(report.providers)).toBe(0);
    expect(code).toBe(0);
  });
});

describe('what is wrong', () => {
  test('a wrong key, which is not shown', async () => {
    const env = { ...cubeVariables(await local()), CUBE_API_KEY: 'not-the-right-one' };
    const cwd = projectWith(SDKS);
    const { code, found, stdout } = await doctor(cwd, ['--provider', 'cube', '--create'], env);
    expect(code).toBe(1);
    expect(found.key).toMatchObject({ status: 'problem', fix: 'Correct CUBE_API_KEY' });
    expect(found.sandbox).toMatchObject({ status: 'skipped' });
    expect(stdout).not.toContain('not-the-right-one');
    const text = await cubeshift(cwd, ['doctor', '--provider', 'cube'], env);
    expect(text).toMatchObject({ code: 1, stderr: '' });
    expect(text.stdout).toMatch(/^ {2}problem {2}key .*\n +-> Correct CUBE_API_KEY$/m);
    expect(text.stdout).toMatch(/^1 problem, /m);
    expect(text.stdout).not.toContain('not-the-right-one');
  });

  test('no key', async () => {
    const { daytona } = await local();
    const env = { DAYTONA_API_URL: daytona.url };
    const files = { '.env': `DAYTONA_API_KEY=${daytona.apiKey}\n` };
    const { code, found } = await doctor(projectWith(SDKS, files), ['--provider', 'daytona'], env);
    expect(code).toBe(1);
    expect(found.settings).toMatchObject({ status: 'problem', fix: 'Set DAYTONA_API_KEY' });
    // With this package, Daytona's SDK reads the file.
    const dotenv = { ...files, 'node_modules/dotenv/index.js': '' };
    const read = await doctor(projectWith(SDKS, dotenv), ['--provider', 'daytona'], env);
    expect(read).toMatchObject({ code: 0, found: { key: { status: 'ok', found: 'accepted' } } });
  });

  test('an address where nothing listens, and one that is none', async () => {
    const nowhere = await freeAddress();
    const cwd = projectWith(SDKS);
    const args = ['--provider', 'cube'];
    const { code, found } = await doctor(cwd, args, { CUBE_API_URL: `http://${nowhere}` });
    expect(code).toBe(1);
    expect(found.api).toMatchObject({
      status: 'problem',
      found: expect.stringContaining('nothing listens at 127.0.0.1 port'),
      fix: 'Start the server, or correct CUBE_API_URL',
    });
    expect(found.key).toMatchObject({ status: 'skipped', found: 'cannot be told without "api"' });
    const invalid = await doctor(cwd, args, { CUBE_API_URL: 'cube.example' });
    expect(invalid.found.api).toMatchObject({ found: '"cube.example" is no address' });
    const name = await doctor(cwd, args, { CUBE_API_URL: 'http://no-such-host.invalid:3000' });
    expect(name.found.api).toMatchObject({ fix: expect.stringContaining('DNS') });
    const secret = await doctor(cwd, args, { CUBE_API_URL: 'http://me:hidden@127.0.0.1:3000' });
    expect(secret.found.api).toMatchObject({ status: 'problem' });
    expect(secret.stdout).not.toContain('hidden');
  });

  test('HTTPS where HTTP is spoken', async () => {
    const variables = cubeVariables(await local());
    const CUBE_API_URL = `${variables.CUBE_API_URL}`.replace('http:', 'https:');
    const env = { ...variables, CUBE_API_URL };
    const { code, found } = await doctor(projectWith(SDKS), ['--provider', 'cube'], env);
    expect(code).toBe(1);
    expect(found.api).toMatchObject({ fix: `Write ${variables.CUBE_API_URL} in CUBE_API_URL` });
  });

  test('a template that is not there, and none', async () => {
    const variables = cubeVariables(await local());
    const { CUBE_TEMPLATE_ID: there, ...without } = variables;
    const cwd = projectWith(SDKS);
    const env = { ...variables, CUBE_TEMPLATE_ID: 'tpl-missing' };
    const { code, found } = await doctor(cwd, ['--provider', 'cube'], env);
    expect(code).toBe(1);
    const fix = `Set CUBE_TEMPLATE_ID to one that is there, such as ${there}`;
    expect(found.template).toMatchObject({ found: 'tpl-missing does not exist', fix });
    const none = await doctor(cwd, ['--provider', 'cube'], without);
    expect(none).toMatchObject({ code: 0, found: { template: { status: 'warning', fix } } });
  });

  test('an SDK that is missing, too old, or too new for the server', async () => {
    const server = await local({ cubeVersion: '0.5.1' });
    const cube = cubeVariables(server);
    const missing = await doctor(project({}), ['--provider', 'cube'], cube);
    expect(missing).toMatchObject({ code: 1, found: { sdk: { fix: 'npm install e2b@2.50.0' } } });
    const old = project({
      'node_modules/e2b/package.json': '{ "name": "e2b", "version": "2.20.0" }',
      'node_modules/e2b/index.js': '',
    });
    const { found } = await doctor(old, ['--provider', 'cube'], cube);
    expect(found.sdk).toMatchObject({
      status: 'problem',
      found: 'e2b 2.20.0 is too old: 2.26.0 or newer is needed',
    });
    const newest = projectWith({ e2b: 'e2b-2.51' });
    const translated = await doctor(newest, ['--provider', 'cube'], cube);
    expect(translated).toMatchObject({
      code: 0,
      found: { sdk: { status: 'warning', fix: expect.stringContaining('cubeshift gateway --') } },
    });
    const direct = await doctor(newest, ['--provider', 'e2b'], { ...server.e2b.env });
    expect(direct).toMatchObject({
      code: 1,
      found: {
        server: { status: 'warning', found: 'this is a CubeSandbox, which differs from E2B' },
        sdk: { status: 'problem', fix: 'npm install e2b@2.50.0' },
      },
    });
  });

  test('a server of another kind', async () => {
    const server = await local({ flavor: 'e2b' });
    const { code, found } = await doctor(
      projectWith(SDKS),
      ['--provider', 'cube'],
      cubeVariables(server),
    );
    expect(code).toBe(1);
    expect(found.server).toMatchObject({ found: 'this is no CubeSandbox of 0.3.0 or newer' });
    const daytona = {
      DAYTONA_API_URL: new URL(server.daytona.url).origin,
      DAYTONA_API_KEY: server.daytona.apiKey,
    };
    const wrongPath = await doctor(projectWith(SDKS), ['--provider', 'daytona'], daytona);
    expect(wrongPath.found.key).toMatchObject({ fix: expect.stringContaining('ends with /api') });
  });
});

/** Whether certificates can be made here. */
const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasOpenssl)(`TLS${hasOpenssl ? '' : ' (openssl is not installed)'}`, () => {
  /** A server with a certificate that nobody knows, and the file that it is in. */
  async function secure(): Promise<{ address: string; certificate: string }> {
    const folder = project({});
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
    const of = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const args = [...how, '-nodes', '-days', '2', ...files, ...of];
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)));
    const server = createServer({ key, cert }, (_request, response) => {
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { address: `127.0.0.1:${port}`, certificate: join(folder, 'cert.pem') };
  }

  test('a certificate of an unknown authority', async () => {
    const { address, certificate } = await secure();
    const cwd = projectWith(SDKS);
    const env = { CUBE_API_URL: `https://${address}` };
    const { code, found } = await doctor(cwd, ['--provider', 'cube'], env);
    expect(code).toBe(1);
    expect(found.api).toMatchObject({
      status: 'problem',
      found: `the certificate of ${address} is of an authority that Node does not know`,
      fix: expect.stringContaining('export NODE_EXTRA_CA_CERTS='),
    });
    const known = { ...env, NODE_EXTRA_CA_CERTS: certificate };
    expect((await doctor(cwd, ['--provider', 'cube'], known)).found.api).toMatchObject({
      status: 'ok',
    });
  });

  test('HTTP where HTTPS is needed', async () => {
    const { address } = await secure();
    const env = { CUBE_API_URL: `http://${address}` };
    const { found } = await doctor(projectWith(SDKS), ['--provider', 'cube'], env);
    expect(found.api).toMatchObject({
      found: `${address} speaks TLS, not plain HTTP`,
      fix: `Write https://${address} in CUBE_API_URL`,
    });
  });
});

test('no SDK of a backend is in the bundle', () => {
  const licences = readFileSync(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect(licences).toContain('commander');
  expect(licences).not.toMatch(/^(?:e2b|@daytona\w*\/\S+) /m);
});

describe('which providers', () => {
  test('all that are configured, one of the program itself too', async () => {
    const nowhere = await freeAddress();
    const config = `
      const own = {
        name: 'own',
        create() {}, find() {}, list() {},
        async capabilities() { throw new Error('nothing works'); },
      };
      const providers = { own, mine: { use: 'cube', apiUrl: 'http://${nowhere}' } };
      const rollout = [{ provider: 'mine', percent: 10, key: 'tenant' }];
      export default { default: 'own', providers, rollout };`;
    const cwd = projectWith(SDKS, { 'sandbox.config.mjs': config });
    const { code, report } = await doctor(cwd, [], {});
    expect(code).toBe(1);
    expect(report.configuration).toBe(join(cwd, 'sandbox.config.mjs'));
    expect(report.providers).toMatchObject([
      {
        ...{ name: 'own', isDefault: true, backend: null },
        checks: [{ status: 'problem', found: 'Error: nothing works' }],
      },
      { name: 'mine', isDefault: false, backend: 'cube' },
    ]);
    const api = report.providers[1]?.checks.find(({ name }) => name === 'api');
    expect(api).toMatchObject({ fix: expect.stringContaining('"apiUrl" of the provider "mine"') });
  });

  test.each<[string[], Record<string, string>, string]>([
    [[], {}, 'Nothing says which provider is used here. Name one with --provider'],
    [['--provider', 'cubee'], {}, '"cubee" is not the name of a provider. There are "daytona"'],
    [['--config', 'missing.json'], {}, 'missing.json does not exist'],
    [['--config', 'broken.json'], {}, 'broken.json is not JSON'],
    [[], { SANDBOX_PROVIDER: 'nobody' }, '"nobody" is not the name of a provider'],
    [['extra'], {}, 'too many arguments'],
  ])('%j %j is told to be wrong', async (args, env, message) => {
    const cwd = project({ 'broken.json': '{' });
    const result = await cubeshift(cwd, ['doctor', ...args], env);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/^\s+at /m);
  });
});

async function sandboxesOf({ url, apiKey }: { url: string; apiKey: string }): Promise<unknown> {
  const headers = { 'x-api-key': apiKey };
  return (await fetch(`${url}/v2/sandboxes`, { headers })).json();
}
