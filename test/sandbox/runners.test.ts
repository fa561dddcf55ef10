import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { conformance } from '@cubeshift/sandbox/conformance';
import { expect, it } from 'vitest';
import { HostProvider } from '../../examples/provider/host-provider.ts';

it('runs the cases by node:test as well', { timeout: 180_000 }, async () => {
  const { cases } = conformance({ provider: () => new HostProvider() });
  const program = join(import.meta.dirname, 'support/with-node-test.ts');
  // A test runner of its own, that knows nothing of the one around it.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const args = ['--import', 'tsx', '--test-reporter=tap', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const counts = Object.fromEntries(
    [...stdout.matchAll(/^# (pass|fail|skipped) (\d+)$/gm)].map(([, what, n]) => [what, Number(n)]),
  );
  expect(counts).toEqual({ pass: cases.length - 1, fail: 0, skipped: 1 });
  expect(stdout).toContain('exec: several at once (to see how node:test shows it)');
});
