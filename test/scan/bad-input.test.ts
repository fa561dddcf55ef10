import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseTarget } from '../../src/catalog/targets.ts';
import { DEFAULT_CONFIG, type ScanConfig } from '../../src/config/config.ts';
import type { ScanReport } from '../../src/model/report.ts';
import { type ScanOptions, scan } from '../../src/scan/scan.ts';
import { CLI, COUPLED, cubeshift, ROOT, read } from '../cli/cli.ts';
import { addFiles, git, tempDir, tempRepo } from '../discover/temp.ts';

/**
 * What a scan does with what nobody wants to meet: each case ends in a report, a message and an exit
 * code that are written down here. Files that cannot be checked in are made on the fly. A closed
 * stdin, broken pipes and full disks are in test/cli/scan.test.ts.
 */
const isWindows = process.platform === 'win32';
const isRoot = process.getuid?.() === 0;

type Files = Readonly<Record<string, string | Buffer>>;

function scanIn(
  cwd: string,
  options: Partial<ScanOptions> = {},
  config: Partial<ScanConfig> = {},
): Promise<ScanReport> {
  return scan({
    cwd,
    paths: ['.'],
    targets: [parseTarget('cube')],
    config: { ...structuredClone(DEFAULT_CONFIG), ...config },
    ...options,
  });
}

/** Scans a folder that is no repository, with a sound file beside the given ones. */
function scanFiles(files: Files): Promise<ScanReport> {
  return scanIn(tempDir({ 'sound.ts': COUPLED, ...files }));
}

/** The places of one file, e.g. `1:10 DT101`. */
function places(report: ScanReport, file: string): string[] {
  return report.findings
    .filter((finding) => finding.file === file)
    .map(({ line, column, rule }) => `${line}:${column} ${rule}`);
}

/** The sound file was analysed in full, whatever happened to the others. */
function expectSound(report: ScanReport): void {
  expect(places(report, 'sound.ts')).toContain('7:40 DT401');
}

function filesOf(report: ScanReport): string[] {
  return [...new Set(report.findings.map((finding) => finding.file))];
}

const inCode = (text: string): string => `import { Daytona } from '@daytonaio/sdk';
export const daytona = new Daytona();
export const value = ${text};
await daytona.create({ image: String(value) });
`;

describe('text that is not as it should be', () => {
  test.each([
    ['a syntax error', `${COUPLED}\nfunction ( {`, 12],
    ['a file cut off in the middle of a name', COUPLED.slice(0, COUPLED.indexOf('Command(')), 7],
    ['a merge conflict', COUPLED.replace('\n\n', '\n<<<<<<< HEAD\n\n=======\n>>>>>>> b\n'), 2],
    ['an open string', `${COUPLED}const s = 'open\n`, 11],
  ])('%s: findings stay, the run is incomplete', async (_, text, line) => {
    const report = await scanFiles({ 'a.ts': text });
    expectSound(report);
    expect(report.complete).toBe(false);
    expect(report.skipped).toMatchObject([
      { file: 'a.ts', reason: 'unparsable', incomplete: true },
    ]);
    const found = places(report, 'a.ts');
    expect(found).toContain('1:25 DT101');
    expect(found.filter((place) => place.endsWith('DT001'))).toHaveLength(1);
    expect(report.findings.find(({ rule }) => rule === 'DT001')?.line).toBe(line);
  });

  test('a minified file is told once and not analysed', async () => {
    const minified = `${COUPLED.replace(/\n/g, '')}${'var a=1;'.repeat(1000)}`;
    const report = await scanFiles({ 'vendor.js': minified });
    expectSound(report);
    expect(places(report, 'vendor.js').map((place) => place.slice(-5))).toEqual(['DT003']);
    expect(report.complete).toBe(true);
  });

  test('binary files that hold the word are named and hide nothing', async () => {
    const word = Buffer.from('\0daytona\0');
    const video = Buffer.concat([Buffer.from([0x47, 0x40, 0x11, 0xff, 0xfe]), word]);
    const report = await scanFiles({ 'logo.png': word, 'movie.ts': video, 'other.png': '\0' });
    expectSound(report);
    expect(filesOf(report)).toEqual(['sound.ts']);
    expect(report.skipped).toEqual([
      { file: 'logo.png', reason: 'binary', incomplete: false },
      { file: 'movie.ts', reason: 'binary', incomplete: false },
    ]);
    expect(report.complete).toBe(true);
  });

  test.each([
    ['latin-1', (text: string) => Buffer.from(text, 'latin1')],
    ['UTF-16 LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ])('%s: the same places as in UTF-8', async (_, encode) => {
    const text = `// Fähre nach Malmö\n${COUPLED.replace("'npm test'", "/* ö */ 'npm test'")}`;
    for (const ending of [text, text.replaceAll('\n', '\r\n')]) {
      const report = await scanFiles({ 'plain.ts': ending, 'a.ts': encode(ending) });
      expect(places(report, 'a.ts')).toContain('8:40 DT401');
      expect(places(report, 'a.ts')).toEqual(places(report, 'plain.ts'));
      expect(report.complete).toBe(true);
    }
  });

  test('empty files and files of blanks are nothing', async () => {
    const report = await scanFiles({ 'a.ts': '', 'b.ts': '\n\n', 'package.json': '', '.env': '' });
    expect(filesOf(report)).toEqual(['sound.ts']);
    expect(report.complete).toBe(true);
    expect(report.warnings).toEqual(['package.json is not valid JSON and was ignored']);
  });

  test('lines of a megabyte, in every kind of file', async () => {
    const words = 'lorem ipsum; const x = "y"; { [ ( <a b="c"> '.repeat(25_000);
    const names = ['a.md', 'b.py', '.env', 'c.yml', 'd.sh', 'e.json', 'f.txt', 'Dockerfile'];
    const files = names.map((name) => [name, `${words}DAYTONA_API_KEY=x ${words}`] as const);
    const report = await scanFiles({
      ...Object.fromEntries(files),
      'long.ts': inCode(`'${words}'`),
    });
    expectSound(report);
    expect(filesOf(report)).toEqual(expect.arrayContaining(['.env', 'a.md', 'c.yml', 'long.ts']));
    expect(report.findings.every(({ snippet }) => snippet.length <= 120)).toBe(true);
  });

  test('very many couplings on one line, and comments without an end', async () => {
    const line = 'https://app.daytona.io/api new Daytona( DAYTONA_X /home/daytona '.repeat(30_000);
    const report = await scanFiles({
      'a.md': line,
      'b.yml': line,
      'c.py': line,
      'd.js': `${COUPLED}${'import(/*\n'.repeat(100_000)}`,
    });
    expectSound(report);
    expect(filesOf(report)).toEqual(['a.md', 'b.yml', 'c.py', 'd.js', 'sound.ts']);
  });

  test('more findings in one file than a call can have arguments', async () => {
    const count = 150_000;
    const report = await scanIn(tempDir({ '.env': 'DAYTONA_A=1\n'.repeat(count) }));
    expect(report.summary.sites).toBe(count);
  });
});

describe('code that overflows the stack of a recursive program', () => {
  const times = (count: number, part: (i: number) => string, between = '\n'): string =>
    Array.from({ length: count }, (_, i) => part(i)).join(between);
  const nest = (count: number, open: string, inner: string, close: string): string =>
    `${times(count, () => open)}${inner}${times(count, () => close)}`;

  test.each([
    ['10,000 parentheses', nest(10_000, '(', '1', ')')],
    ['10,000 arrays', nest(10_000, '[', '1', ']')],
    ['10,000 objects', nest(10_000, '{ a:', '1', '}')],
    ['10,000 functions', nest(10_000, '() => (', '1', ')')],
    ['10,000 calls', nest(10_000, 'f(', '1', ')')],
    ['10,000 conditionals', `${times(10_000, (i) => `q === ${i} ? ${i} :`)} 0`],
    ['10,000 nots', `${times(10_000, () => '!')}1`],
    ['5,000 templates', nest(5_000, '`${', '1', '}`')],
    ['5,000 terms', times(5_000, (i) => `'x${i}'`, ' +\n')],
    ['5,000 calls added', times(5_000, (i) => `f(${i})`, ' +\n')],
    ['a chain of 3,000 calls', `f${times(3_000, () => '.a()')}`],
    ['a chain of 1,000 callbacks', `daytona.create()${times(1_000, () => '.then((x) => x)')}`],
    ['a chain of 700 calls', `f${times(700, () => '.a()')}`],
    [
      '5,000 names for one value',
      `daytona;\n${times(5_000, (i) => `const v${i + 1} = ${i === 0 ? 'value' : `v${i}`};`)}\nv5000.create()`,
    ],
    ['5,000 else', `1;\n${times(5_000, (i) => `if (value === ${i}) f(${i});`, ' else\n')}`],
    ['5,000 type arguments', `1 as ${nest(5_000, 'A<', 'B', '>')}`],
  ])('%s: the file may be incomplete, the run goes on', async (_, text) => {
    const report = await scanFiles({
      'deep.ts': inCode(text),
      'uses.ts': "import { value } from './deep.ts';\nvalue.create();\n",
    });
    expectSound(report);
    // Either it was analysed, or the report says that it was not.
    const failed = report.skipped.filter(({ incomplete }) => incomplete).map(({ file }) => file);
    expect(report.complete).toBe(failed.length === 0);
    const rules = report.findings.filter(({ file }) => file === 'deep.ts').map(({ rule }) => rule);
    expect(rules).toContain(failed.includes('deep.ts') ? 'DT001' : 'DT102');
  });

  test.each([
    ['package.json', '{"dependencies":{"@daytonaio/sdk":"0.1.0"},"x":'],
    ['tsconfig.json', '{"compilerOptions":{"baseUrl":"."},"daytona":'],
    ['deno.json', '{"imports":{"@daytonaio/sdk":"npm:@daytonaio/sdk@0.1.0"},"x":'],
    ['data.json', '{"host":"https://app.daytona.io/api","x":'],
    ['.devcontainer/devcontainer.json', '{"DAYTONA_API_KEY":"x","x":'],
  ])('%s with 100,000 arrays in each other', async (name, start) => {
    const text = `${start}${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const report = await scanFiles({ [name]: text });
    expectSound(report);
  });
});

test('an analyser that fails on one file stops no other', async () => {
  vi.resetModules();
  onTestFinished(() => {
    vi.doUnmock('../../src/analyze/text/index.ts');
    vi.doUnmock('../../src/analyze/typescript/detect/traps.ts');
    vi.resetModules();
  });
  vi.doMock('../../src/analyze/text/index.ts', async (original) => ({
    ...(await original<object>()),
    analyzeTextFile: () => {
      throw new Error('bug in text');
    },
  }));
  vi.doMock('../../src/analyze/typescript/detect/traps.ts', () => ({
    detectTraps: (_node: unknown, { text }: { text: string }) => {
      if (text.includes('bad')) throw new Error('bug in code');
    },
  }));
  const fresh = await import('../../src/scan/scan.ts');
  const cwd = tempDir({ 'bad.ts': `${COUPLED}bad();\n`, 'bad.md': 'Daytona', 'sound.ts': COUPLED });
  const report = await fresh.scan({
    cwd,
    paths: ['.'],
    targets: [parseTarget('cube')],
    config: structuredClone(DEFAULT_CONFIG),
  });
  expectSound(report);
  expect(report.skipped).toEqual([
    { file: 'bad.md', reason: 'unparsable', incomplete: true, detail: 'bug in text' },
    { file: 'bad.ts', reason: 'unparsable', incomplete: true, detail: 'bug in code' },
  ]);
  expect(places(report, 'bad.md')).toEqual(['1:1 DT001']);
  expect(places(report, 'bad.ts')).toEqual(['1:1 DT001']);
  expect(report.complete).toBe(false);
});

describe('files of other sizes', () => {
  test('code above the limit that names Daytona makes the run incomplete', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    const filler = Buffer.alloc(5 * 1024 * 1024, '// filler\n');
    writeFileSync(join(cwd, 'huge.ts'), Buffer.concat([filler, Buffer.from(COUPLED)]));
    writeFileSync(join(cwd, 'unrelated.ts'), filler);
    const { code, stdout } = await cubeshift(cwd, ['scan', '--json']);
    const report = JSON.parse(stdout) as ScanReport;
    expect(places(report, 'huge.ts')).toEqual(['1:1 DT002']);
    expect(report.skipped).toEqual([
      { file: 'huge.ts', reason: 'too-large', incomplete: true, detail: 'names Daytona, 5.0 MiB' },
    ]);
    expect(places(report, 'a.ts')).toContain('7:40 DT401');
    expect(code).toBe(3);
  });

  test('the limit can be raised', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    const small = await scanIn(cwd, {}, { maxFileSizeBytes: 50 });
    expect(small.complete).toBe(false);
    expect((await scanIn(cwd, {}, { maxFileSizeBytes: 500 })).complete).toBe(true);
  });

  test('a data file of 100 MB is searched in little memory', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    const data = Buffer.alloc(100 * 1024 * 1024, '{"row": 1, "text": "nothing to see"}\n');
    data.write('daytona', data.length - 100);
    writeFileSync(join(cwd, 'data.jsonl'), data);
    const { report, megabytes } = measured(cwd);
    expect(report.skipped).toMatchObject([{ file: 'data.jsonl', incomplete: false }]);
    expect(report.complete).toBe(true);
    expect(megabytes).toBeLessThan(250);
  });

  test('100,000 files', { timeout: 120_000 }, () => {
    const cwd = tempDir();
    for (let i = 0; i < 100; i++) {
      const dir = join(cwd, `d${i}`);
      mkdirSync(dir);
      writeFileSync(join(dir, 'f0.ts'), `import './f${i}.ts';\nexport const x = ${i};\n`);
      // Names are cheaper to make, and to remove, than files.
      for (let j = 1; j < 1000; j++) linkSync(join(dir, 'f0.ts'), join(dir, `f${j}.ts`));
    }
    addFiles(cwd, { 'd50/coupled.ts': COUPLED });
    const { report, megabytes } = measured(cwd);
    rmSync(cwd, { recursive: true });
    expect(report.summary.filesListed).toBe(100_001);
    expect(filesOf(report)).toEqual(['d50/coupled.ts']);
    expect(megabytes).toBeLessThan(1024);
  });

  /** Runs the command line and tells how much memory it took at most. */
  function measured(cwd: string): { report: ScanReport; megabytes: number } {
    const tell = 'process.on("exit",()=>console.error(process.resourceUsage().maxRSS))';
    const args = ['--import', `data:text/javascript,${tell}`, CLI, 'scan', '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    return { report: JSON.parse(stdout) as ScanReport, megabytes: Number(stderr) / 1024 };
  }
});

describe('folders', () => {
  test('an empty one', async () => {
    const { code, stdout } = await cubeshift(tempDir(), ['scan']);
    expect(stdout).toBe('No Daytona coupling found in 0 files.\n');
    expect(code).toBe(0);
  });

  test.skipIf(isWindows)('links in circles and to nowhere are not followed', async () => {
    for (const cwd of [tempDir({ 'a.ts': COUPLED }), tempRepo({ 'a.ts': COUPLED })]) {
      mkdirSync(join(cwd, 'sub'));
      symlinkSync('..', join(cwd, 'sub/up'));
      symlinkSync('self', join(cwd, 'self'));
      symlinkSync('nowhere.ts', join(cwd, 'dangling.ts'));
      symlinkSync('a.ts', join(cwd, 'link.ts'));
      const report = await scanIn(cwd);
      expect(filesOf(report)).toEqual(['a.ts']);
      expect(report.skipped.map(({ file, reason }) => `${file} ${reason}`)).toEqual([
        'dangling.ts symlink',
        'link.ts symlink',
        'self symlink',
        'sub/up symlink',
      ]);
      expect(report.complete).toBe(true);
    }
  });

  test.skipIf(isWindows)('a named path may be a link, and a broken one is an error', async () => {
    const cwd = tempDir({ 'real/a.ts': COUPLED });
    symlinkSync('real', join(cwd, 'link'));
    symlinkSync('nowhere', join(cwd, 'broken'));
    symlinkSync('loop', join(cwd, 'loop'));
    expect((await cubeshift(cwd, ['scan', 'link'])).code).toBe(1);
    for (const name of ['broken', 'loop']) {
      const { code, stderr } = await cubeshift(cwd, ['scan', name]);
      expect(stderr).toMatch(new RegExp(`^error: .*${name}`));
      expect(code).toBe(2);
    }
  });

  test.skipIf(isWindows)('a pipe or a socket is never opened', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    spawnSync('mkfifo', [join(cwd, 'pipe.ts')]);
    const report = await scanIn(cwd);
    expect(filesOf(report)).toEqual(['a.ts']);
    const { code, stderr } = await cubeshift(cwd, ['scan', 'pipe.ts']);
    expect(stderr).toContain('Neither a file nor a folder: pipe.ts');
    expect(code).toBe(2);
  });

  test('files deleted during the scan hide nothing', async () => {
    const many = Array.from({ length: 600 }, (_, i) => [`f${String(i).padStart(3, '0')}.ts`, '']);
    const cwd = tempDir({ ...Object.fromEntries(many), 'sound.ts': COUPLED, 'z/gone.ts': COUPLED });
    const report = await scanIn(cwd, {
      onProgress: () => rmSync(join(cwd, 'z'), { recursive: true, force: true }),
    });
    expectSound(report);
    expect(report.skipped).toEqual([{ file: 'z/gone.ts', reason: 'vanished', incomplete: false }]);
    expect(report.complete).toBe(true);
  });

  test('a file that goes away before the compiler asks for it', async () => {
    const client = inCode('1').replaceAll('const daytona', 'const client');
    const user = "import { client } from './b.ts';\nclient.create();\n";
    const many = Array.from({ length: 600 }, (_, i) => [`x${i}.ts`, '']);
    const cwd = tempDir({
      ...Object.fromEntries(many),
      'b.ts': client.replace('await daytona.', 'await client.'),
      'c.ts': user,
      'sound.ts': COUPLED,
    });
    const report = await scanIn(cwd, {
      onProgress: () => rmSync(join(cwd, 'c.ts'), { force: true }),
    });
    expectSound(report);
    expect(places(report, 'c.ts')).toEqual([]);
  });

  test.skipIf(isWindows)('what may not be read makes the run incomplete', async () => {
    for (const cwd of [tempDir(), tempRepo()]) {
      addFiles(cwd, {
        'a.ts': COUPLED,
        'locked.ts': COUPLED,
        'locked/b.ts': COUPLED,
        '.gitignore': 'ignored/\n',
        'ignored/c.ts': COUPLED,
      });
      for (const name of ['locked.ts', 'locked', 'ignored']) chmodSync(join(cwd, name), 0);
      onTestFinished(() => {
        for (const name of ['locked', 'ignored']) chmodSync(join(cwd, name), 0o755);
      });
      const { status, stdout } = asNobody(cwd, ['scan', '--json']);
      const report = JSON.parse(stdout) as ScanReport;
      expect(report.skipped).toEqual([
        { file: 'locked', reason: 'unreadable', incomplete: true, detail: 'EACCES' },
        { file: 'locked.ts', reason: 'unreadable', incomplete: true, detail: 'EACCES' },
      ]);
      expect(places(report, 'locked')).toEqual(['1:1 DT002']);
      expect(places(report, 'locked.ts')).toEqual(['1:1 DT002']);
      expect(places(report, 'a.ts')).toContain('7:40 DT401');
      expect(report.complete).toBe(false);
      expect(status).toBe(3);
    }
  });

  test.skipIf(isWindows)('a configuration that may not be read is an error', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED, 'cubeshift.config.json': '{}' });
    chmodSync(join(cwd, 'cubeshift.config.json'), 0);
    const { status, stderr, stdout } = asNobody(cwd, ['scan']);
    expect(stderr).toBe('error: cubeshift.config.json: cannot be read (EACCES).\n');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  test.skipIf(isWindows)('a folder that may not be written', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    mkdirSync(join(cwd, 'out'), { mode: 0o555 });
    const args = ['scan', '--reporter', 'text', '--reporter', 'json=out/report.json'];
    const { status, stderr, stdout } = asNobody(cwd, args);
    expect(stderr).toBe('error: Cannot write out/report.json: permission denied (EACCES)\n');
    expect(stdout).toContain('Daytona sites');
    expect(readdirSync(join(cwd, 'out'))).toEqual([]);
    expect(status).toBe(3);
  });

  /** Runs the command line as somebody whom file permissions stop. */
  function asNobody(cwd: string, args: readonly string[]) {
    chmodSync(cwd, 0o755);
    const options: SpawnSyncOptionsWithStringEncoding = {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    };
    if (!isRoot) return spawnSync(process.execPath, [CLI, ...args], options);
    // This checkout, and Node itself, may be where only root can go: copy one, start as root.
    const copy = tempDir();
    chmodSync(copy, 0o755);
    for (const name of ['bin', 'dist', 'package.json']) {
      // Other tests make the compiled form of the compiler come and go.
      const filter = (path: string) => !path.includes('.cache');
      cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter });
    }
    const cli = join(copy, 'bin/cubeshift.js');
    const start = `process.setgroups([]); process.setgid(65534); process.setuid(65534);
      process.argv.splice(1, 0, ${JSON.stringify(cli)}); await import(${JSON.stringify(cli)});`;
    return spawnSync(
      process.execPath,
      ['--input-type=module', '-e', start, '--', ...args],
      options,
    );
  }
});

describe('git', () => {
  test('a machine without it', async () => {
    const cwd = tempRepo({ 'a.ts': COUPLED, '.gitignore': 'b.ts\n', 'b.ts': COUPLED });
    vi.stubEnv('PATH', tempDir());
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const report = await scanIn(cwd);
    expect(filesOf(report)).toEqual(['a.ts']);
    expect(report.complete).toBe(true);
  });

  test.each([
    ['an empty .git', {}],
    ['a HEAD of garbage', { '.git/HEAD': 'garbage' }],
    ['a .git that leads nowhere', { '.git': 'gitdir: /no/such/place\n' }],
    ['a .git of garbage', { '.git': Buffer.from([0, 1, 2]) }],
  ])('%s: the folder is walked, and nothing above it looked at', async (_, files) => {
    // The repository above ignores the folder, and must not be asked.
    const outer = tempRepo({ '.gitignore': 'inner/\n' });
    addFiles(outer, { 'inner/a.ts': COUPLED });
    if (Object.keys(files).length === 0) mkdirSync(join(outer, 'inner/.git'));
    const inner = Object.entries(files).map(([name, text]) => [`inner/${name}`, text]);
    addFiles(outer, Object.fromEntries(inner));
    const report = await scanIn(join(outer, 'inner'));
    expect(filesOf(report)).toEqual(['a.ts']);
    expect(report.complete).toBe(true);
  });

  test('a broken index', async () => {
    const cwd = tempRepo({ 'a.ts': COUPLED });
    writeFileSync(join(cwd, '.git/index'), 'garbage');
    expect(filesOf(await scanIn(cwd))).toEqual(['a.ts']);
  });

  test('a file of the index that is gone, and a path in conflict', async () => {
    const cwd = tempRepo({ 'a.ts': 'export {};\n', 'gone.ts': COUPLED });
    unlinkSync(join(cwd, 'gone.ts'));
    git(cwd, 'checkout', '-q', '-b', 'other');
    writeFileSync(join(cwd, 'a.ts'), 'export const a = 1;\n');
    git(cwd, 'commit', '-qm', 'other', 'a.ts');
    git(cwd, 'checkout', '-q', '-b', 'third', 'HEAD~1');
    writeFileSync(join(cwd, 'a.ts'), COUPLED);
    git(cwd, 'commit', '-qm', 'third', 'a.ts');
    expect(() => git(cwd, 'merge', 'other')).toThrow();
    const report = await scanIn(cwd);
    expect(filesOf(report)).toEqual(['a.ts']);
    expect(report.skipped).toMatchObject([{ file: 'a.ts', reason: 'unparsable' }]);
  });

  test('a sub-folder: paths from the root, lockfile and tsconfig above it are used', async () => {
    const cwd = tempRepo({
      'package.json': '{"dependencies": {"@daytonaio/sdk": "^0.20.0"}}',
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: { 'node_modules/@daytonaio/sdk': { version: '0.20.3' } },
      }),
      'tsconfig.json': '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
      'src/deep/a.ts': inCode('1'),
      'src/deep/b.ts': "import { daytona } from '@/deep/a';\nawait daytona.create();\n",
      'other/c.ts': COUPLED,
    });
    const report = await scanIn(join(cwd, 'src/deep'));
    expect(filesOf(report)).toEqual(['src/deep/a.ts', 'src/deep/b.ts']);
    expect(report.sdk).toMatchObject([{ manifest: 'package.json', version: '0.20.3' }]);
  });

  test('a package below a root that uses the SDK too: its own release counts', async () => {
    const cwd = tempRepo({
      'package.json': '{"devDependencies": {"@daytonaio/sdk": "0.218.0"}}',
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: { '': {}, 'node_modules/@daytonaio/sdk': { version: '0.218.0' } },
      }),
      'examples/a/package.json': '{"dependencies": {"@daytonaio/sdk": "0.20.3"}}',
      'examples/a/src/a.ts': COUPLED,
    });
    const own = { manifest: 'examples/a/package.json', version: '0.20.3' };
    for (const folder of ['examples/a', 'examples/a/src']) {
      expect((await scanIn(join(cwd, folder))).sdk).toMatchObject([own]);
    }
    expect((await scanIn(cwd)).sdk).toMatchObject([own, { manifest: 'package.json' }]);
  });
});

describe('tsconfig', () => {
  const files = {
    'src/lib.ts': inCode('1'),
    'src/use.ts': "import { daytona } from './lib';\nawait daytona.create();\n",
  };

  test.each([
    ['{ "compilerOptions": {', 'tsconfig.json is not valid JSON'],
    ['{ "extends": "./absent.json" }', 'tsconfig.json extends ./absent.json'],
    ['{ "extends": "@tsconfig/absent" }', 'tsconfig.json extends @tsconfig/absent'],
  ])('%s is a warning', async (text, warning) => {
    const report = await scanFiles({ ...files, 'tsconfig.json': text });
    expectSound(report);
    expect(filesOf(report)).toContain('src/use.ts');
    expect(report.warnings.join('\n')).toContain(warning);
    expect(report.complete).toBe(true);
  });

  test.each([
    ['{ "extends": "./tsconfig.json" }'],
    ['{ "references": [{ "path": "." }] }'],
    ['{ "compilerOptions": { "paths": { "*": 1, "@/*": ["../../../../*"] }, "baseUrl": 7 } }'],
    ['[]'],
    ['null'],
    [''],
  ])('%s does no harm', async (text) => {
    const report = await scanFiles({ ...files, 'tsconfig.json': text });
    expectSound(report);
    expect(filesOf(report)).toContain('src/use.ts');
  });

  test('none, and a folder of that name', async () => {
    expect((await scanFiles(files)).warnings).toEqual([]);
    const report = await scanFiles({ ...files, 'tsconfig.json/a.ts': COUPLED });
    expect(filesOf(report)).toContain('src/use.ts');
  });
});

describe.skipIf(isWindows)('file names', () => {
  const names = [
    '#hash?.ts',
    '%41.ts',
    '-x.ts',
    '100%.ts',
    'a b.ts',
    'back\\slash.ts',
    'new\nline.ts',
    'quote\'".ts',
    '\u001b[31mred.ts',
    '日本é\u0301.ts',
  ];

  test.each([
    ['a folder', tempDir],
    ['a repository', tempRepo],
  ])('in %s', async (_, make) => {
    const cwd = make(Object.fromEntries(names.map((name) => [name, COUPLED])));
    const report = await scanIn(cwd);
    expect(filesOf(report).sort()).toEqual([...names].sort());
    expect(report.complete).toBe(true);
  });

  test('a name that is not UTF-8 cannot be reported and makes the run incomplete', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    try {
      writeFileSync(
        Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from([0xff, 0x2e, 0x74, 0x73])]),
        COUPLED,
      );
    } catch {
      return; // macOS refuses such names.
    }
    const report = await scanIn(cwd);
    expect(filesOf(report)).toContain('a.ts');
    expect(report.skipped).toMatchObject([{ reason: 'unreadable', incomplete: true }]);
  });

  test('in every report', async () => {
    const cwd = tempRepo(Object.fromEntries(names.map((name) => [name, COUPLED])));
    const reporters = ['json', 'sarif', 'markdown', 'html', 'github', 'text'];
    const args = reporters.flatMap((name) => ['--reporter', `${name}=out/${name}`]);
    expect((await cubeshift(cwd, ['scan', ...args])).code).toBe(1);
    const { runs } = JSON.parse(read(cwd, 'out/sarif')) as Sarif;
    const uris = (runs[0]?.results ?? []).map(
      ({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri ?? '',
    );
    expect([...new Set(uris.map((uri) => decodeURIComponent(uri)))].sort()).toEqual(
      [...names].sort(),
    );
    for (const uri of uris) expect(uri).toMatch(/^[\w.~!$&'()*+,;=:@/%-]+$/);
    for (const name of ['text', 'github', 'markdown']) {
      // An annotation must name the file as it is; what people read is made printable.
      if (name !== 'github') expect(read(cwd, `out/${name}`)).not.toContain('\u001b');
      expect(read(cwd, `out/${name}`)).not.toMatch(/^line\.ts/m);
    }
  });

  test('as arguments', async () => {
    const cwd = tempDir(Object.fromEntries(names.map((name) => [name, COUPLED])));
    const { code, stdout } = await cubeshift(cwd, ['scan', '--json', '--', ...names]);
    expect(filesOf(JSON.parse(stdout) as ScanReport)).toHaveLength(names.length);
    expect(code).toBe(1);
    expect((await cubeshift(cwd, ['scan', '-x.ts'])).code).toBe(2);
  });
});

interface Sarif {
  runs: {
    results: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }[];
  }[];
}

describe('arguments', () => {
  test.each([
    [['scan', 'nowhere'], 'No such file or folder: nowhere'],
    [['scan', 'a.ts/b.ts'], 'No such file or folder: a.ts/b.ts'],
    [['scan', ''], 'empty'],
    [['scan', '--target', 'cubee'], 'Unknown target "cubee"'],
    [['scan', '--reporter', 'xml'], 'Unknown reporter "xml"'],
    [['scan', '--only', 'DT9999'], 'Unknown rule "DT9999"'],
    [['scan', '--config', '.'], 'cannot be read (EISDIR)'],
  ])('%j is refused', async (args, message) => {
    const { code, stdout, stderr } = await cubeshift(tempDir({ 'a.ts': COUPLED }), args);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('the folders of a report are created where that is possible', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    const good = await cubeshift(cwd, ['scan', '--reporter', 'json=new/deep/report.json']);
    expect(good.code).toBe(1);
    expect(JSON.parse(read(cwd, 'new/deep/report.json'))).toHaveProperty('complete', true);
    const { code, stderr } = await cubeshift(cwd, ['scan', '--reporter', 'json=/proc/no/x.json']);
    expect(stderr).toMatch(/^error: Cannot write \/proc\/no\/x\.json: /);
    expect(code).toBe(3);
  });

  test('reports in the scanned tree are not scanned, whatever their name', async () => {
    const cwd = tempDir({ 'a.ts': COUPLED });
    const names = ['[a]*!.json', ' b .md', '#c.html', 'd\\e.txt'];
    const args = names.flatMap((name, i) => [
      '--reporter',
      `${['json', 'markdown', 'html', 'text'][i]}=${name}`,
    ]);
    const run = async () => {
      await cubeshift(cwd, ['scan', ...args]);
      return read(cwd, names[0] ?? '');
    };
    const first = await run();
    expect(await run()).toBe(first);
  });
});
