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
import { installInto, pack, packagesIn, run, TSC } from './support.ts';

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
  const { tarball, paths } = pack(ROOT, work);
  packed = paths;
  installInto(app, tarball);
  writeFileSync(join(app, 'agent.ts'), COUPLED);
}, 120_000);

afterAll(() => rmSync(work, { recursive: true, force: true }));

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
    expect(packagesIn(app).length).toBeLessThanOrEqual(25);
    expect(packagesIn(app)).toEqual(['cubeshift']);
  });

  test('takes at most 25 MB', () => {
    expect(sizeOf(join(app, 'node_modules')) / MEGABYTES).toBeLessThanOrEqual(25);
  });

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
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const options = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
    run(process.execPath, [TSC, ...options, ...types, 'serve.mts'], app);
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
    const strict = ['--strict', '--noEmit', '--target', 'es2022'];
    for (const module of ['nodenext', 'preserve']) {
      run(process.execPath, [TSC, ...strict, '--module', module, 'use.mts'], app);
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
