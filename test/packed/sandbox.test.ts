import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createProvider, type SandboxConfig } from '@cubeshift/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI, ROOT } from '../cli/cli.ts';
import { installInto, type Packed, pack, packagesIn, run, TSC } from './support.ts';

/**
 * The package @cubeshift/sandbox as users install it: without any SDK, and beside those of its
 * backends. Uses what was built of this checkout ("npm run build").
 */
const NAME = '@cubeshift/sandbox';
const SHIMS = join(ROOT, 'shims');
const work = mkdtempSync(join(tmpdir(), 'cubeshift-packed-sandbox-'));
/** Has nothing but the package. */
const alone = join(work, 'alone');
/** Has the SDKs as well. */
const beside = join(work, 'beside');
let packed: Packed;

beforeAll(() => {
  packed = pack(SHIMS, work);
  for (const folder of [alone, beside]) installInto(folder, packed.tarball);
  for (const sdk of ['e2b', '@daytonaio/sdk']) link(beside, sdk);
}, 120_000);

afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Makes an installed package of this repository one of a folder. */
function link(folder: string, name: string): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), path);
}

/** Runs a program in a folder. */
function node(folder: string, file: string, text: string): string {
  writeFileSync(join(folder, file), text);
  return run(process.execPath, [file], folder).stdout;
}

const KEY = 'a-key-that-nobody-is-shown';

/** What a first call fails with in a folder, before it asks anybody. */
function failure(folder: string, provider: string): string {
  const text = `import { createProvider } from '${NAME}';
    const provider = createProvider({ provider: '${provider}', apiKey: '${KEY}' });
    const call = provider.find('${provider}:some-id');
    await call.catch(({ code, message }) => console.log(code, message));`;
  return node(folder, 'failure.mjs', text);
}

/** Compiles a program in a folder; types of packages are checked as well, unless `more` says otherwise. */
function compile(folder: string, file: string, text: string, ...more: readonly string[]): void {
  writeFileSync(join(folder, file), text);
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  const strict = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--module', 'nodenext'];
  const args = [TSC, ...strict, '--target', 'es2022', '--lib', 'es2022', ...types, ...more, file];
  run(process.execPath, args, folder);
}

/** Programs and configurations in a README. */
function examples(path: string, language: string, word: string): string[] {
  const text = readFileSync(path, 'utf8');
  const all = [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))];
  return all.map(([, example = '']) => example).filter((example) => example.includes(word));
}

describe('the tarball', () => {
  test('holds the compiled package, its licence and nothing else', () => {
    const others = packed.paths.filter((path) => !path.startsWith('dist/'));
    expect(others).toEqual(['LICENSE', 'NOTICE', 'README.md', 'package.json']);
    expect(packed.paths.filter((path) => !/\.(?:js|d\.ts)$/.test(path))).toEqual(others);
    expect(packed.size).toBeLessThanOrEqual(300_000);
    const read = (folder: string): string => readFileSync(join(folder, 'LICENSE'), 'utf8');
    expect(read(join(alone, 'node_modules', NAME))).toBe(read(ROOT));
  });

  test('says nothing about the machine it was built on', () => {
    const telling = packed.paths.filter((path) =>
      readFileSync(join(alone, 'node_modules', NAME, path)).includes(ROOT),
    );
    expect(telling).toEqual([]);
  });
});

describe('without an SDK', () => {
  test('it is one package, which runs nothing when it is installed', () => {
    const manifest = readFileSync(join(alone, 'node_modules', NAME, 'package.json'), 'utf8');
    const { dependencies, scripts } = JSON.parse(manifest) as Record<string, object | undefined>;
    expect(dependencies).toBeUndefined();
    expect(Object.keys(scripts ?? {})).not.toContain('install');
    expect(packagesIn(alone)).toEqual([NAME]);
  });

  test.each([
    ['e2b', ['the package e2b', 'npm install e2b@2.50.0']],
    ['cube', ['the package e2b', 'npm install e2b@2.50.0']],
    ['daytona', ["Daytona's SDK", 'npm install @daytona/sdk', '0.162.0 or newer']],
  ])('the provider "%s" says what to install, in which version', (provider, words) => {
    const told = failure(alone, provider);
    expect(told).toMatch(/^configuration /);
    for (const word of [`"${provider}"`, ...words]) expect(told).toContain(word);
    expect(told).not.toContain(KEY);
  });

  test.each([
    ['e2b', 'e2b', '2.25.3', 'install e2b@2.26.0 or newer'],
    ['cube', 'e2b', '2.25.3', 'install e2b@2.26.0 or newer'],
    ['daytona', '@daytonaio/sdk', '0.149.0', 'install @daytonaio/sdk@0.150.0 or newer'],
    ['daytona', '@daytona/sdk', '0.149.0', 'install @daytona/sdk@0.150.0 or newer'],
  ])('the provider "%s" says that %s %s is too old', (provider, sdk, version, fix) => {
    const folder = join(work, `old-${provider}-${sdk.replace('/', '-')}`);
    installInto(folder, packed.tarball);
    const path = join(folder, 'node_modules', sdk);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name: sdk, version }));
    writeFileSync(join(path, 'index.js'), '');
    const told = failure(folder, provider);
    expect(told).toMatch(/^configuration /);
    for (const word of [`${sdk} ${version} is too old`, `"${provider}"`, fix]) {
      expect(told).toContain(word);
    }
  });

  test('types need none', () => {
    compile(
      alone,
      'use.mts',
      `import { createProvider, defineConfig, type Sandbox, withRetry } from '${NAME}';
       import { conformance } from '${NAME}/conformance';
       const config = defineConfig({
         default: 'old',
         providers: { old: { use: 'daytona' }, cube: { apiUrl: 'http://10.0.0.5:3000' } },
       });
       const provider = withRetry(createProvider({ config }));
       const sandbox: Sandbox = await provider.create({ labels: { tenant: 'acme' } });
       export const code: number = (await sandbox.exec('true')).exitCode;
       export const { cases } = conformance({ provider: () => provider });
       // @ts-expect-error: no such backend.
       createProvider({ provider: 'none' });
       // @ts-expect-error: results are typed.
       (await sandbox.exec('true')).noSuchThing;`,
    );
  });
});

describe('beside the SDKs', () => {
  test('importing it loads none of them', () => {
    const folder = join(work, 'loud');
    installInto(folder, packed.tarball);
    for (const sdk of ['e2b', '@daytona/sdk', '@daytonaio/sdk']) {
      const path = join(folder, 'node_modules', sdk);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'package.json'), JSON.stringify({ name: sdk, version: '9.0.0' }));
      writeFileSync(join(path, 'index.js'), `console.log('loaded ${sdk}');`);
    }
    const text = `import { createProvider } from '${NAME}';
      for (const provider of ['e2b', 'daytona', 'cube', 'local']) createProvider({ provider });`;
    expect(node(folder, 'quiet.mjs', text)).toBe('');
  });

  test('the classes of the backends are typed with them', () => {
    compile(
      beside,
      'classes.mts',
      `import { CubeProvider } from '${NAME}/cube';
       import { DaytonaProvider, type DaytonaSandbox } from '${NAME}/daytona';
       import { E2BProvider, type E2BSandbox } from '${NAME}/e2b';
       import * as sdk from 'e2b';
       export const providers = [new CubeProvider(), new DaytonaProvider(), new E2BProvider({ sdk })];
       export const pid = (sandbox: E2BSandbox) => sandbox.native.sandboxId;
       export const state = (sandbox: DaytonaSandbox) => sandbox.native.state;
       // @ts-expect-error: the SDK's objects are typed.
       export const wrong = (sandbox: DaytonaSandbox) => sandbox.native.noSuchThing;`,
      // Types of the SDKs name packages that they do not install.
      '--skipLibCheck',
    );
  });
});

describe.each([
  ['its README', join(SHIMS, 'README.md')],
  ['the README of the repository', join(ROOT, 'README.md')],
])('what is shown in %s', (_, readme) => {
  test.each(['daytona', 'e2b', 'cube'])('runs on %s', (provider) => {
    const [program = ''] = examples(readme, 'js', NAME);
    writeFileSync(join(beside, 'program.mjs'), program);
    const flavor = provider === 'e2b' ? ['--flavor', 'e2b'] : [];
    const serve = ['local', '--quiet', '--port', '0', '--daytona-port', '0', ...flavor];
    const args = [CLI, ...serve, '--', 'node', 'program.mjs'];
    const { stdout } = run(process.execPath, args, beside, [0], { SANDBOX_PROVIDER: provider });
    expect(stdout.trim()).toBe('0 Hello from any backend!');
  });

  test('is a configuration', () => {
    const [config = ''] = examples(readme, 'json', '"rollout"');
    const parsed = JSON.parse(config) as SandboxConfig;
    expect(() => createProvider({ config: parsed }, {})).not.toThrow();
  });
});
