import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { conformance } from '@cubeshift/sandbox/conformance';
import { expect, it } from 'vitest';
import { HostProvider } from '../../examples/provider/host-provider.ts';

it('runs cases by node:test as well', { timeout: 180_000 }, async () => {
  const { cases } = conformance({ provider: () => new HostProvider() });
  const program = join(import.meta.dirname, 'support/with-node-test.ts');
  // A test runner of its own, that knows nothing of the one around it.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const args = ['--import', 'tsx', '--test-reporter=tap', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const counts = Object.fromEntries(
    [...stdout.matchAll(/^# (pass|fail|skipped) (\d+)$/gm)].map(([, what, n]) => [what, Number(n)]),
  );
  const pass = cases.filter(({ name }) => name.startsWith('files: ')).length;
  expect(pass).toBeGreaterThan(5);
  expect(counts).toEqual({ pass, fail: 0, skipped: cases.length - pass });
  expect(stdout).toContain('exec: several at once (not of this topic)');
});
