import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { RULES } from '../../src/catalog/rules.ts';
import type { ScanReport } from '../../src/model/report.ts';
import { CLI, COUPLED, cubeshift, project, read } from './cli.ts';

describe('cubeshift', () => {
  test('--version prints the version of the package', async () => {
    const { code, stdout } = await cubeshift(project({}), ['--version']);
    expect(stdout).toBe(`${manifest.version}\n`);
    expect(code).toBe(0);
  });

  test.each([[['--help']], [['scan', '--help']], [['explain', '--help']], [['help', 'scan']]])(
    '%j starts with examples',
    async (args) => {
      const { code, stdout, stderr } = await cubeshift(project({}), args);
      expect(stdout).toMatch(/^Examples:/);
      expect(stdout).toContain('Usage: cubeshift');
      expect(stderr).toBe('');
      expect(code).toBe(0);
    },
  );

  test('without a command it helps and fails', async () => {
    const { code, stdout, stderr } = await cubeshift(project({}), []);
    expect(stderr).toContain('Usage: cubeshift');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test.skipIf(process.platform === 'win32')('Ctrl-C ends a run at once', async () => {
    const child = spawn(process.execPath, [CLI, 'scan', '--json'], {
      cwd: project({ 'a.ts': COUPLED }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.once('spawn', () => child.kill('SIGINT'));
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGINT'); // Shells call this 130.
  });
});

describe('cubeshift rules', () => {
  test('lists every rule once, by topic', async () => {
    const { code, stdout } = await cubeshift(project({}), ['rules']);
    for (const { id } of RULES) expect(stdout.split(`  ${id}  `)).toHaveLength(2);
    expect(stdout).toMatch(/^Health and traps$/m);
    expect(code).toBe(0);
  });

  test('--json gives them as data', async () => {
    const { stdout } = await cubeshift(project({}), ['rules', '--json']);
    const rules = JSON.parse(stdout) as { id: string; topic: string }[];
    expect(rules.map(({ id }) => id)).toEqual(RULES.map(({ id }) => id));
    expect(rules.every(({ topic }) => topic !== '')).toBe(true);
  });
});

describe('cubeshift explain', () => {
  test.each([['DT401'], ['dt401'], ['exec-command']])('a rule as %s', async (topic) => {
    const { code, stdout } = await cubeshift(project({}), ['explain', topic]);
    expect(stdout).toContain('DT401 exec-command: Command execution');
    expect(stdout).toContain('Process.executeCommand');
    expect(stdout).toContain('cube@0.7.2');
    expect(code).toBe(0);
  });

  test.each([['Process.executeCommand'], ['process.executecommand'], ['executeCommand']])(
    'a symbol as %s',
    async (topic) => {
      const args = ['explain', topic, '--json', '--target', 'cube@0.6.0'];
      const { code, stdout } = await cubeshift(project({}), args);
      const { rule, symbols } = JSON.parse(stdout) as {
        rule: { id: string };
        symbols: { id: string; verdicts: object }[];
      };
      expect(rule.id).toBe('DT401');
      expect(symbols.map(({ id }) => id)).toEqual(['Process.executeCommand']);
      expect(Object.keys(symbols[0]?.verdicts ?? {})).toEqual(['cube@0.6.0']);
      expect(code).toBe(0);
    },
  );

  test('a finding, from a report or by scanning', async () => {
    const root = project({ 'a.ts': COUPLED });
    await cubeshift(root, ['scan', '--reporter', 'json=report.json', '--ignore', 'report.json']);
    const { findings } = JSON.parse(read(root, 'report.json')) as ScanReport;
    const found = findings.find((finding) => finding.rule === 'DT401');
    const id = found?.id ?? '';
    const fromReport = await cubeshift(root, ['explain', id, '--report', 'report.json']);
    expect(fromReport.stdout).toContain(`a.ts:${found?.line}:${found?.column}`);
    expect((await cubeshift(root, ['explain', id])).stdout).toBe(fromReport.stdout);
  });

  test.each([
    ['exec-comand', 'exec-command'],
    ['executeComand', 'Process.executeCommand'],
    ['0123456789abcdef', 'No finding 0123456789abcdef'],
  ])('%s is unknown and says what is near', async (topic, near) => {
    const { code, stdout, stderr } = await cubeshift(project({}), ['explain', topic]);
    expect(stderr).toContain(near);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('a report that is none is refused', async () => {
    const root = project({ 'package.json': '{}' });
    const args = ['explain', '0123456789abcdef', '--report', 'package.json'];
    const { code, stderr } = await cubeshift(root, args);
    expect(stderr).toContain('package.json is not a report');
    expect(code).toBe(2);
  });
});
