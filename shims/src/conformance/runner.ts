import type { ConformanceOptions } from './options.ts';
import { conformance } from './run.ts';

/** The functions of a test runner: those of vitest, Jest, node:test and others fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it: {
    (name: string, run: () => Promise<void>, timeoutMs: number): unknown;
    skip(name: string, run: () => Promise<void>): unknown;
  };
  /** What runs after all cases: `afterAll`, or `after` of node:test. */
  after(run: () => Promise<void>): unknown;
}

/**
 * Makes a test of every case.
 *
 * @example
 * import { afterAll, describe, it } from 'vitest';
 * // Deleting takes longer than vitest gives hooks.
 * const after = (run: () => Promise<void>) => afterAll(run, 60_000);
 * describeProvider('mine', { provider: () => new MyProvider() }, { describe, it, after });
 *
 * @example
 * import { after, describe, it } from 'node:test';
 * describeProvider('mine', { provider: () => new MyProvider() }, { describe, it, after });
 */
export function describeProvider(
  name: string,
  options: ConformanceOptions,
  { describe, it, after }: TestRunner,
): void {
  const { cases, caseTimeoutMs, close } = conformance(options);
  // A case tells itself when its time is over, then deletes its sandboxes.
  const patienceMs = caseTimeoutMs * 2;
  describe(name, () => {
    for (const { name: title, skip, run } of cases) {
      if (skip === undefined) it(title, run, patienceMs);
      else it.skip(`${title} (${skip})`, run);
    }
    after(close);
  });
}
