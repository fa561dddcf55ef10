import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { ScanReport } from '../../src/model/report.ts';
import { COUPLED, ROOT } from '../cli/cli.ts';

/**
 * What users install: the packed tarball in an empty folder, without a network. Uses the built
 * dist/ of this checkout ("npm run build").
 */
const work = mkdtempSync(join(tmpdir(), 'cubeshift-packed-'));
const app = join(work, 'app');
const installed = join(app, 'node_modules/cubeshift');
/** Paths in the tarball. */
let packed: string[] = [];

const MEGABYTES = 1024 * 1024;

beforeAll(() => {
  // No scripts: prepack would build, and replace dist/ under the tests that run beside this one.
  const [tarball] = JSON.parse(
    run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', work], ROOT).stdout,
  ) as { filename: string; files: { path: string }[] }[];
  packed = (tarball?.files ?? []).map(({ path }) => path).sort();
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  writeFileSync(join(app, 'agent.ts'), COUPLED);
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  run('npm', ['install', ...quiet, join(work, tarball?.filename ?? '')], app);
}, 120_000);

afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Runs a program to its end with stdin closed. */
function run(
  command: string,
  args: readonly string[],
  cwd: string,
  codes: readonly number[] = [0],
) {
  const env = { ...process.env, NO_COLOR: '1', npm_config_offline: 'true' };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm is a script on Windows.
    shell: process.platform === 'win32',
  });
  expect(codes, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toContain(status);
  return { stdout, stderr };
}

const cubeshift = (args: readonly string[], codes?: readonly number[]) =>
  run('npx', ['--no-install', 'cubeshift', ...args], app, codes);

describe('the tarball', () => {
  test('holds what package.json lists, and nothing else', () => {
    const listed = [...manifest.files, 'LICENSE', 'NOTICE', 'README.md', 'package.json'];
    const others = packed.filter(
      (path) => !listed.some((entry) => path === entry || path.startsWith(`${entry}/`)),
    );
    expect(others).toEqual([]);
    for (const path of ['LICENSE', 'NOTICE', 'README.md', 'bin/cubeshift.js']) {
      expect(packed).toContain(path);
    }
    expect(packed).toContain('dist/THIRD-PARTY-LICENSES.txt');
    expect(packed).toContain('schema/report.schema.json');
    expect(
      packed.filter((path) => /\.map$|\.cache|\.tsbuildinfo$|(?<!\.d)\.ts$/.test(path)),
    ).toEqual([]);
  });

  test('says nothing about the machine it was built on', () => {
    const telling = packed.filter((path) => readFileSync(join(installed, path)).includes(ROOT));
    expect(telling).toEqual([]);
  });
});

describe('the installation', () => {
  test('is one package that runs nothing and needs nothing', () => {
    const { dependencies, scripts, ...rest } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string> | undefined>;
    expect(dependencies).toBeUndefined();
    expect(rest.optionalDependencies).toBeUndefined();
    expect(rest.peerDependencies).toBeUndefined();
    expect(Object.keys(scripts ?? {}).filter((name) => /install$|^prepare$/.test(name))).toEqual(
      [],
    );
    expect(packages().length).toBeLessThanOrEqual(25);
    expect(packages()).toEqual(['cubeshift']);
  });

  test('takes at most 25 MB', () => {
    expect(sizeOf(join(app, 'node_modules')) / MEGABYTES).toBeLessThanOrEqual(25);
  });

  function packages(): string[] {
    const lock = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, unknown>;
    };
    return Object.keys(lock.packages).map((path) => path.replace('node_modules/', ''));
  }

  function sizeOf(path: string): number {
    const stats = lstatSync(path);
    if (!stats.isDirectory()) return stats.size;
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
  }
});

describe('the command', () => {
  test('--version', () => {
    expect(cubeshift(['--version']).stdout).toBe(`${manifest.version}\n`);
  });

  test('scan', () => {
    expect(cubeshift(['scan'], [1]).stdout).toContain('agent.ts');
    const report = JSON.parse(cubeshift(['scan', '--json'], [1]).stdout) as ScanReport;
    expect(report.findings.map(({ rule }) => rule)).toContain('DT401');
    expect(report.complete).toBe(true);
  });

  test('survives damage to what it keeps beside the compiler', () => {
    cubeshift(['scan'], [1]);
    const dist = join(installed, 'dist');
    // Only on Node 20; later releases keep it elsewhere.
    for (const name of readdirSync(dist).filter((entry) => entry.endsWith('.cache'))) {
      writeFileSync(join(dist, name), readFileSync(join(dist, name)).fill(7, 1_000, 100_000));
    }
    cubeshift(['scan'], [1]);
  });

  test('every reporter', () => {
    const names = ['text', 'json', 'sarif', 'markdown', 'html', 'github'];
    cubeshift(['scan', ...names.flatMap((name) => ['--reporter', `${name}=out/${name}`])], [1]);
    for (const name of names)
      expect(readFileSync(join(app, 'out', name), 'utf8')).toContain('agent.ts');
  });

  test('explain and rules', () => {
    expect(cubeshift(['explain', 'DT401']).stdout).toContain('DT401 exec-command');
    const rules = JSON.parse(cubeshift(['rules', '--json']).stdout) as { id: string }[];
    expect(rules.length).toBeGreaterThan(30);
  });
});

describe('the local server', () => {
  test.each(['@daytonaio/sdk', 'e2b'])('runs the program in the README that uses %s', (sdk) => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    const programs = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, text]) => text ?? '');
    const program = programs.find((text) => text.includes(`from '${sdk}'`));
    const folder = join(work, 'programs');
    mkdirSync(folder, { recursive: true });
    if (!existsSync(join(folder, 'node_modules'))) {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    }
    writeFileSync(join(folder, 'program.mjs'), program ?? '');
    const serve = ['local', '--quiet', '--port', '0', '--daytona-port', '0'];
    const { stdout } = cubeshift([...serve, '--', 'node', join(folder, 'program.mjs')]);
    expect(stdout.trim()).toMatch(/^Hello from (?:Daytona|Cube)!$/);
  });

  test('is there for programs, with types', () => {
    writeFileSync(
      join(app, 'serve.mts'),
      `import { type LocalServer, ManualClock, startLocal } from 'cubeshift/local';
       const clock = new ManualClock();
       const server: LocalServer = await startLocal({ cubeVersion: '0.6.0', clock });
       console.log(server.e2b.preset, server.daytona.url.endsWith('/api'));
       await server.close();
       // @ts-expect-error: only releases that are imitated.
       export const wrong = () => startLocal({ cubeVersion: '0.1.0' });`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const options = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
    run(process.execPath, [tsc, ...options, ...types, 'serve.mts'], app);
    expect(run(process.execPath, ['serve.mjs'], app).stdout).toBe('cube@0.6.0 true\n');
  });
});

describe('the library', () => {
  test('runs', () => {
    writeFileSync(
      join(app, 'use.mjs'),
      `import { DEFAULT_CONFIG, parseTarget, scan } from 'cubeshift';
       const report = await scan({
         cwd: process.cwd(),
         paths: ['agent.ts'],
         targets: [parseTarget('e2b')],
         config: DEFAULT_CONFIG,
       });
       console.log(report.tool.name, report.complete, report.findings.length > 0);`,
    );
    expect(run(process.execPath, ['use.mjs'], app).stdout).toBe('cubeshift true true\n');
  });

  test('has types for those who import it', () => {
    writeFileSync(
      join(app, 'use.mts'),
      `import { DEFAULT_CONFIG, type Finding, parseTarget, type ScanReport, scan } from 'cubeshift';
       const report: ScanReport = await scan({
         cwd: '/',
         paths: ['.'],
         targets: [parseTarget('cube')],
         config: { ...DEFAULT_CONFIG, failOn: 'none' },
         onProgress: ({ done, total }) => done / total,
       });
       export const lines: number[] = report.findings.map((finding: Finding) => finding.line);
       // @ts-expect-error: the report is typed.
       report.noSuchThing;`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const strict = ['--strict', '--noEmit', '--target', 'es2022'];
    for (const module of ['nodenext', 'preserve']) {
      run(process.execPath, [tsc, ...strict, '--module', module, 'use.mts'], app);
    }
  });

  test('ships its schemas', () => {
    for (const name of ['report', 'config']) {
      const code = `import schema from 'cubeshift/schema/${name}.schema.json' with { type: 'json' };
        console.log(typeof schema.properties);`;
      const args = ['--no-warnings', '--input-type=module', '-e', code];
      expect(run(process.execPath, args, app).stdout).toBe('object\n');
    }
  });
});
