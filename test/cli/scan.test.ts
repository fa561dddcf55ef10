import { existsSync, lstatSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ScanReport } from '../../src/model/report.ts';
import { COUPLED, cubeshift, project, read, shell, write } from './cli.ts';

const ESC = String.fromCharCode(27);

async function scanJson(root: string, ...args: string[]): Promise<ScanReport> {
  const { stdout } = await cubeshift(root, ['scan', '--json', ...args]);
  return JSON.parse(stdout) as ScanReport;
}

describe('exit codes of scan', () => {
  test('0 when nothing is coupled', async () => {
    const { code, stdout } = await cubeshift(project({ 'a.ts': 'export {};\n' }), ['scan']);
    expect(stdout).toBe('No Daytona coupling found in 1 file.\n');
    expect(code).toBe(0);
  });

  test('1 when something is', async () => {
    const { code, stdout, stderr } = await cubeshift(project({ 'a.ts': COUPLED }), ['scan']);
    expect(code).toBe(1);
    expect(stdout).toContain('Process.executeCommand');
    expect(stderr).toBe('');
  });

  test('--fail-on moves the gate', async () => {
    const root = project({ 'a.ts': COUPLED, 'only-text/.env': 'DAYTONA_API_KEY=x\n' });
    expect((await cubeshift(root, ['scan', '--fail-on', 'none'])).code).toBe(0);
    expect((await cubeshift(root, ['scan', '--fail-on', 'certain'])).code).toBe(1);
    const { findings } = await scanJson(root, 'only-text');
    const surest = findings.some((finding) => finding.confidence === 'certain');
    const gate = await cubeshift(root, ['scan', 'only-text', '--fail-on', 'certain']);
    expect(gate.code).toBe(surest ? 1 : 0);
  });

  test('2 for a path that does not exist', async () => {
    const { code, stdout, stderr } = await cubeshift(project({}), ['scan', 'no-such-folder']);
    expect(code).toBe(2);
    expect(stderr).toContain('no-such-folder');
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
  });

  test('3 when a coupled file does not parse, even with findings', async () => {
    const root = project({ 'a.ts': COUPLED, 'b.ts': `${COUPLED}\nfunction ( {` });
    const { code, stdout } = await cubeshift(root, ['scan']);
    expect(code).toBe(3);
    expect(stdout).toContain('Incomplete');
    expect((await cubeshift(root, ['scan', '--fail-on', 'none'])).code).toBe(3);
  });

  test('the same input gives the same bytes', async () => {
    const root = project({ 'a.ts': COUPLED, 'b/c.ts': COUPLED });
    const names = ['text', 'json', 'sarif', 'markdown', 'html', 'github'];
    const into = (folder: string) =>
      cubeshift(root, [
        'scan',
        '--ignore',
        'out*/',
        ...names.flatMap((name) => ['--reporter', `${name}=${folder}/${name}`]),
      ]);
    expect((await into('out1')).stdout).toBe('');
    await into('out2');
    for (const name of names) {
      expect(read(root, `out2/${name}`)).toBe(read(root, `out1/${name}`));
      expect(read(root, `out1/${name}`)).not.toContain(root);
    }
  });
});

describe('arguments of scan', () => {
  test.each([
    [['scan', '--traget', 'e2b'], '--target'],
    [['scna'], 'scan'],
    [['scan', '--reporter', 'jsno'], 'json'],
    [['scan', '--only', 'DT4O1'], 'DT401'],
    [['scan', '--skip', 'exec-comand'], 'exec-command'],
    [['scan', '--target', 'cube@9.9.9'], '0.7.2'],
    [['scan', '--fail-on', 'sometimes'], 'likely'],
    [['scan', '--json', '--reporter', 'sarif'], 'stdout'],
    [['scan', '--reporter', 'json='], 'file name'],
    [['scan', '--config', 'nowhere.json'], 'nowhere.json'],
  ])('%j is refused and names the remedy', async (args, remedy) => {
    const { code, stdout, stderr } = await cubeshift(project({ 'a.ts': COUPLED }), args);
    expect(stderr).toContain(remedy);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('several targets stand side by side, each once', async () => {
    const root = project({ 'a.ts': COUPLED });
    const targets = ['cube', 'e2b', 'cube@0.7.2'].flatMap((name) => ['--target', name]);
    const report = await scanJson(root, ...targets);
    expect(report.targets).toEqual(['cube@0.7.2', 'e2b']);
    expect(Object.keys(report.findings[0]?.verdicts ?? {})).toEqual(['cube@0.7.2', 'e2b']);
  });

  test('--only, --skip and --ignore leave findings out', async () => {
    const root = project({ 'a.ts': COUPLED, 'b.test.ts': COUPLED });
    const rules = async (...args: string[]) => [
      ...new Set((await scanJson(root, ...args)).findings.map((finding) => finding.rule)),
    ];
    expect(await rules('--only', 'exec-command')).toEqual(['DT401']);
    expect(await rules('--skip', 'DT401')).not.toContain('DT401');
    const ignoring = await scanJson(root, '--ignore', '*.test.ts');
    expect(new Set(ignoring.findings.map((finding) => finding.file))).toEqual(new Set(['a.ts']));
  });

  test('paths are relative to the repository in data and to the folder in text', async () => {
    const root = project({ 'packages/a/src/x.ts': COUPLED });
    const folder = join(root, 'packages/a');
    expect((await scanJson(folder)).findings[0]?.file).toBe('packages/a/src/x.ts');
    const { stdout } = await cubeshift(folder, ['scan']);
    expect(stdout).toMatch(/^src\/x\.ts/m);
  });
});

describe('output of scan', () => {
  test('colour only where it is wanted', async () => {
    const root = project({ 'a.ts': COUPLED });
    const plain = await cubeshift(root, ['scan']);
    expect(plain.stdout).not.toContain(ESC);
    const forced = await cubeshift(root, ['scan'], { FORCE_COLOR: '1' });
    expect(forced.stdout).toContain(ESC);
    const refused = await cubeshift(root, ['scan'], { FORCE_COLOR: '1', NO_COLOR: '1' });
    expect(refused.stdout).not.toContain(ESC);
    const flag = await cubeshift(root, ['scan', '--no-color'], { FORCE_COLOR: '1' });
    expect(flag.stdout).not.toContain(ESC);
  });

  test('several reporters, one to stdout and others to files in new folders', async () => {
    const root = project({ 'a.ts': COUPLED });
    const reporters = ['text', 'json=out/deep/report.json', 'sarif=out/report.sarif'];
    const { code, stdout } = await cubeshift(root, [
      'scan',
      ...reporters.flatMap((reporter) => ['--reporter', reporter]),
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain('Daytona sites');
    const report = JSON.parse(read(root, 'out/deep/report.json')) as ScanReport;
    expect(report.findings.length).toBeGreaterThan(0);
    expect(JSON.parse(read(root, 'out/report.sarif'))).toHaveProperty('version', '2.1.0');
    expect(readdirSync(join(root, 'out'))).toEqual(['deep', 'report.sarif']);
  });

  test('a report inside the repository is not scanned next time', async () => {
    const root = project({ 'a.ts': COUPLED });
    const args = ['scan', '--reporter', 'json=report.json'];
    await cubeshift(root, args);
    const first = read(root, 'report.json');
    await cubeshift(root, args);
    expect(read(root, 'report.json')).toBe(first);
  });

  test.skipIf(process.platform === 'win32')('a link as target stays a link', async () => {
    const root = project({ 'a.ts': COUPLED, 'real.json': 'old' });
    symlinkSync('real.json', join(root, 'link.json'));
    await cubeshift(root, ['scan', '--reporter', 'json=link.json']);
    expect(lstatSync(join(root, 'link.json')).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read(root, 'real.json'))).toHaveProperty('schemaVersion', 1);
  });

  test('a result that cannot be written is an error, and the others still appear', async () => {
    const root = project({ 'a.ts': COUPLED, file: 'in the way' });
    const args = ['scan', '--reporter', 'text', '--reporter', 'json=file/report.json'];
    const { code, stdout, stderr } = await cubeshift(root, args);
    expect(code).toBe(3);
    expect(stdout).toContain('Daytona sites');
    expect(stderr).toContain('Cannot write file/report.json');
  });

  test.skipIf(process.platform === 'win32')('a closed stdin changes nothing', async () => {
    const root = project({ 'a.ts': COUPLED });
    const { stdout } = await shell(root, 'cubeshift scan --json <&-; echo "exit $?" >&2');
    expect((JSON.parse(stdout) as ScanReport).findings.length).toBeGreaterThan(0);
  });

  describe.skipIf(process.platform === 'win32')('to a pipe', () => {
    const many = Array.from({ length: 3000 }, (_, i) => {
      return `export const f${i} = () => daytona.create({ labels: { n: '${i}' } });`;
    });
    const big = `import { Daytona } from '@daytonaio/sdk';\nconst daytona = new Daytona();\n${many.join('\n')}\n`;

    test('a reader that stops early does not disturb', async () => {
      const root = project({ 'a.ts': big });
      const line = 'cubeshift scan --json | head -1; echo "exit $' + '{PIPESTATUS[0]}"';
      const { stdout, stderr } = await shell(root, line);
      expect(stdout).toBe('{\nexit 1\n');
      expect(stderr).toBe('');
    });

    test('a slow reader gets everything', async () => {
      const root = project({ 'a.ts': big });
      const { stdout } = await shell(root, 'cubeshift scan --json | (sleep 1; cat)');
      expect((JSON.parse(stdout) as ScanReport).findings.length).toBeGreaterThan(6000);
    });

    test.skipIf(!existsSync('/dev/full'))('a full disk is an error', async () => {
      const root = project({ 'a.ts': COUPLED });
      const { stdout, stderr } = await shell(root, 'cubeshift scan >/dev/full; echo "exit $?" >&2');
      expect(stdout).toBe('');
      expect(stderr).toContain('Cannot write to stdout: no space left on the device');
      expect(stderr).toContain('exit 3');
    });
  });
});

describe('baseline', () => {
  test('a missing file is an error that names the remedy', async () => {
    const root = project({ 'a.ts': COUPLED });
    const { code, stderr } = await cubeshift(root, ['scan', '--baseline', 'no.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('--update-baseline');
  });

  test('known findings pass, new ones fail, gone ones are listed', async () => {
    const root = project({ 'a.ts': COUPLED });
    const update = await cubeshift(root, ['scan', '--update-baseline']);
    expect(update.code).toBe(0);
    expect(update.stderr).toContain('cubeshift-baseline.json');
    const withBaseline = ['scan', '--baseline', 'cubeshift-baseline.json'];
    expect((await cubeshift(root, withBaseline)).code).toBe(0);

    // Moving code and adding unrelated code makes nothing new.
    write(root, 'a.ts', `// moved\n\n${COUPLED}`);
    expect((await cubeshift(root, withBaseline)).code).toBe(0);

    write(root, 'a.ts', COUPLED.replace('delete()', 'stop()'));
    const { code, stdout } = await cubeshift(root, [...withBaseline, '--json']);
    const report = JSON.parse(stdout) as ScanReport;
    expect(code).toBe(1);
    expect(report.baseline).toMatchObject({ file: 'cubeshift-baseline.json', new: 1 });
    expect(report.findings.filter((finding) => finding.baseline === 'new')).toHaveLength(1);
    expect(report.baseline?.fixed.map((entry) => entry.snippet)).toEqual([
      'await sandbox.delete();',
    ]);
  });

  test('a scan of one folder calls nothing elsewhere fixed and forgets nothing', async () => {
    const root = project({ 'a/x.ts': COUPLED, 'b/x.ts': COUPLED });
    await cubeshift(root, ['scan', '--update-baseline']);
    const before = read(root, 'cubeshift-baseline.json');
    const report = await scanJson(root, 'a', '--baseline', 'cubeshift-baseline.json');
    expect(report.baseline?.fixed).toEqual([]);
    await cubeshift(root, ['scan', 'a', '--update-baseline']);
    expect(read(root, 'cubeshift-baseline.json')).toBe(before);
  });

  test.each([
    ['not json', 'not valid JSON'],
    ['<<<<<<< HEAD\n{}\n=======\n', 'merge conflicts'],
    ['{}', 'no version'],
    ['{"version": 99, "minConfidence": "possible", "findings": []}', 'Update cubeshift'],
    ['{"version": 1, "minConfidence": "possible", "findings": [{"id": 1}]}', 'findings[0]'],
  ])('a file with %j is refused', async (text, why) => {
    const root = project({ 'a.ts': COUPLED, 'base.json': text });
    const { code, stderr } = await cubeshift(root, ['scan', '--baseline', 'base.json']);
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  });
});

test('a comment hides what it names; one that hides nothing is reported', async () => {
  const root = project({
    'a.ts': COUPLED.replace('  await sandbox.delete', '  // cubeshift-ignore DT301 ok\n$&').replace(
      'export',
      '// cubeshift-ignore DT999 typo\nexport',
    ),
  });
  const report = await scanJson(root);
  expect(report.findings.map((finding) => finding.rule)).not.toContain('DT301');
  expect(report.suppressions).toEqual({
    used: 1,
    unused: [{ file: 'a.ts', line: 5, rule: 'DT999' }],
  });
});

describe('configuration', () => {
  test('is found above the folder and overridden by flags', async () => {
    const root = project({
      'cubeshift.config.json': `{
        // comments and trailing commas are fine
        "targets": ["e2b"],
        "rules": { "exec-command": "off", },
        "failOn": "none",
      }`,
      'packages/a/x.ts': COUPLED,
    });
    const folder = join(root, 'packages/a');
    expect((await cubeshift(folder, ['scan'])).code).toBe(0);
    expect((await cubeshift(folder, ['scan', '--fail-on', 'certain'])).code).toBe(1);
    const report = await scanJson(folder);
    expect(report.targets).toEqual(['e2b']);
    expect(report.findings.map((finding) => finding.rule)).not.toContain('DT401');
    expect((await scanJson(folder, '--target', 'local')).targets).toEqual(['local']);
  });

  test('may live in package.json; --print-config shows what is in effect', async () => {
    const root = project({ 'package.json': '{ "cubeshift": { "ignore": ["old/"] } }' });
    const { code, stdout } = await cubeshift(root, ['scan', '--print-config', '--ignore', 'x']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ignore: ['old/', 'x'], targets: ['cube'] });
  });

  test.each([
    ['{ "tragets": [] }', 'cubeshift.config.json: tragets: unknown key. Did you mean "targets"?'],
    ['{ "rules": { "DT4O1": "off" } }', 'rules.DT4O1: unknown rule. Did you mean "DT401"?'],
    ['{ "rules": { "DT401": "warn" } }', 'rules.DT401: expected one of on, off, found "warn"'],
    ['{ "targets": ["cube", "cubee"] }', 'targets[1]: Unknown target "cubee"'],
    ['{ "maxFileSizeBytes": "1MB" }', 'maxFileSizeBytes: expected a whole number above 0'],
    ['{ "failOn": "likly" }', 'Did you mean "likely"?'],
    ['{\n  "targets": [\n}', 'cubeshift.config.json:3:1: value expected.'],
    ['[]', 'cubeshift.config.json: expected an object'],
  ])('%j is refused by name', async (text, why) => {
    const root = project({ 'cubeshift.config.json': text, 'a.ts': COUPLED });
    const { code, stderr } = await cubeshift(root, ['scan']);
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  });
});
