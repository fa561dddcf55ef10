import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Everything a change must pass, in the order that finds mistakes soonest. Stops at the first
 * failure and names it; the last line says how many tests passed and failed.
 *
 * `--tests [path…]` runs the tests only, or some of them, on what was built before.
 */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'cubeshift-check-'));
const results = join(scratch, 'results.json');

interface Step {
  name: string;
  script: string;
  args?: readonly string[];
}

const CHECKS: readonly Step[] = [
  { name: 'build', script: 'build' },
  { name: 'typecheck', script: 'typecheck' },
  { name: 'lint', script: 'lint' },
  { name: 'docs', script: 'docs', args: ['--check'] },
];

const [flag, ...paths] = process.argv.slice(2);
if (flag !== undefined && flag !== '--tests') throw new Error(`Unknown argument ${flag}`);
const TESTS: Step = {
  name: 'test',
  script: 'test:unit',
  args: ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`, ...paths],
};
const STEPS = flag === '--tests' ? [TESTS] : [...CHECKS, TESTS];

try {
  process.exitCode = run() ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function run(): boolean {
  for (const { name, script, args = [] } of STEPS) {
    console.log(`\n> ${name}`);
    const command = ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])];
    const { status } = spawnSync('npm', command, { cwd: ROOT, stdio: 'inherit' });
    if (status === 0) continue;
    console.log(`\nFailed: ${name}`);
    if (name === 'test') console.log(closingLine());
    return false;
  }
  console.log(`\n${closingLine()}`);
  return true;
}

/** Vitest's own closing line differs between versions and reporters; this one is for programs. */
function closingLine(): string {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites } = JSON.parse(
      readFileSync(results, 'utf8'),
    ) as Record<string, number>;
    const failed = numFailedTests || numFailedTestSuites || 0;
    const skipped = numPendingTests ? `, ${numPendingTests} skipped` : '';
    return `${numPassedTests} passed, ${failed} failed${skipped}`;
  } catch {
    return 'The tests did not run to their end.';
  }
}
