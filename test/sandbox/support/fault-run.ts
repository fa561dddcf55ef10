import { isSandboxError, type Sandbox, type SandboxProvider, withRetry } from '@cubeshift/sandbox';
import type { FaultPlan } from '../../../src/local/faults/faults.ts';

/** Every kind of trouble, each now and then; the same seed brings the same. */
export const TROUBLE = (seed: number): FaultPlan => ({
  seed,
  rules: [
    { probability: 0.01, reset: 'before' },
    { probability: 0.01, reset: 'after' },
    // The answer to a creation is lost more often than any other.
    { route: 'POST /sandboxes', probability: 0.1, reset: 'after' },
    { route: 'POST /sandbox', probability: 0.1, reset: 'after' },
    { probability: 0.01, status: 500 },
    { probability: 0.01, status: 502 },
    { probability: 0.02, status: 503, retryAfterS: 0 },
    { probability: 0.01, status: 429, retryAfterS: 0 },
    { probability: 0.01, status: 408 },
    { probability: 0.005, status: 409 },
    { probability: 0.01, truncateBytes: 20 },
    { probability: 0.05, latencyMs: { kind: 'uniform', minMs: 1, maxMs: 20 } },
  ],
});

/** What went wrong that must not, and what was seen. */
export interface FaultReport {
  operations: number;
  /** How many calls failed, by code. */
  failures: Record<string, number>;
  created: number;
  /** Errors that are none of this package. */
  untyped: string[];
  /** Sandboxes that were there and were said not to exist. */
  wronglyAbsent: string[];
}

export interface FaultRunOptions {
  seed: number;
  operations: number;
  /** Loses what a restart of the backend loses. */
  restart: () => Promise<void>;
}

/** How many sandboxes there may be, so that they do not get in each other's way. */
const MOST = 6;
const WORKERS = 6;

/**
 * Makes calls of all kinds by chance, several at a time. Half of them are tried again by the layer for
 * that. In the end all sandboxes that are known are deleted.
 */
export async function faultRun(
  provider: SandboxProvider,
  { seed, operations, restart }: FaultRunOptions,
): Promise<FaultReport> {
  const random = randomFrom(seed);
  const retrying = withRetry(provider, { firstDelayMs: 1, longestDelayMs: 10 });
  const report: FaultReport = {
    operations: 0,
    failures: {},
    created: 0,
    untyped: [],
    wronglyAbsent: [],
  };
  const live = new Map<string, Sandbox>();
  /** Changes at a restart, after which nothing is known of those from before. */
  let age = 0;

  const tried = async (what: string, call: () => Promise<void>, id?: string): Promise<void> => {
    const then = age;
    try {
      await call();
    } catch (error) {
      if (!isSandboxError(error)) {
        report.untyped.push(`${what}: ${error}`);
        return;
      }
      report.failures[error.code] = (report.failures[error.code] ?? 0) + 1;
      const isKnown = id !== undefined && live.has(id) && then === age;
      if (error.code === 'not_found' && isKnown) report.wronglyAbsent.push(`${what} ${id}`);
    }
  };

  const step = async (): Promise<void> => {
    const through = random() < 0.5 ? provider : retrying;
    const sandbox = [...live.values()][Math.floor(random() * live.size)];
    const dice = random();
    if (sandbox === undefined || (dice < 0.15 && live.size < MOST)) {
      return tried('create', async () => {
        const then = age;
        const made = await through.create({ labels: { run: `${seed}` } });
        report.created += 1;
        if (then === age) live.set(made.id, made);
      });
    }
    const { id } = sandbox;
    if (dice < 0.25) {
      return tried('delete', async () => {
        // From here on it may be gone.
        live.delete(id);
        await through.delete(id);
      });
    }
    if (dice < 0.4) {
      return tried(
        'find',
        async () => {
          const then = age;
          const found = await through.find(id);
          if (found !== undefined || !live.has(id) || then !== age) return;
          report.wronglyAbsent.push(`find ${id}`);
        },
        id,
      );
    }
    if (dice < 0.45) {
      return tried('list', async () => {
        for await (const _ of through.list({ labels: { run: `${seed}` } }));
      });
    }
    if (dice < 0.6) return tried('write', () => sandbox.files.write('file', 'text'), id);
    if (dice < 0.7) {
      return tried('exists', async () => void (await sandbox.files.exists('file')), id);
    }
    return tried('exec', async () => void (await sandbox.exec('echo done')), id);
  };

  const restarts = new Set([1, 2, 3].map((part) => Math.floor((operations * part) / 4)));
  const work = async (): Promise<void> => {
    while (report.operations < operations) {
      report.operations += 1;
      if (restarts.has(report.operations)) {
        // What is made meanwhile may be lost as well.
        for (const deed of [restart, async () => undefined]) {
          age += 1;
          live.clear();
          await deed();
        }
      }
      await step();
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return report;
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
