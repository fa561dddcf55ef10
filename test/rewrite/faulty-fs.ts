import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Every call by which the code changes something on the disk, or makes it last. */
const CALLS = [
  'mkdirSync',
  'openSync',
  'writeFileSync',
  'fchownSync',
  'fchmodSync',
  'fsyncSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
] as const;

type Call = (typeof CALLS)[number];
type AnyFunction = (...args: never[]) => unknown;

export interface FaultyRun {
  /** Calls that were made, up to the fault. */
  calls: number;
  /** Whether the fault was reached. */
  reached: boolean;
  error: unknown;
}

/** Runs an action in a process that "ends" at its `at`th call: of this call and later ones nothing happens. */
export function crashAt(at: number, action: () => unknown): FaultyRun {
  return run(action, (call, index, args) => {
    if (index < at) return;
    // What a process had written when it was killed may be a part of the whole.
    if (index === at && call === 'writeFileSync') writeHalf(args);
    throw new Error('The process has ended.');
  });
}

/** Runs an action of which the `at`th call fails with a code of the system, and the others do not. */
export function failAt(at: number, code: string, action: () => unknown): FaultyRun {
  return run(action, (call, index) => {
    if (index !== at) return;
    throw Object.assign(new Error(`${code}: it was injected, ${call}`), { code });
  });
}

function run(
  action: () => unknown,
  before: (call: Call, index: number, args: readonly unknown[]) => void,
): FaultyRun {
  const real = new Map(CALLS.map((call) => [call, fs[call] as AnyFunction]));
  const result: FaultyRun = { calls: 0, reached: false, error: undefined };
  const patch = (call: Call, replacement: AnyFunction) =>
    Object.assign(fs, { [call]: replacement });
  for (const [call, original] of real) {
    patch(call, (...args: never[]) => {
      const index = result.calls++;
      try {
        before(call, index, args);
      } catch (error) {
        result.reached = true;
        throw error;
      }
      return original(...args);
    });
  }
  syncBuiltinESMExports();
  try {
    action();
  } catch (error) {
    result.error = error;
  } finally {
    for (const [call, original] of real) patch(call, original);
    syncBuiltinESMExports();
  }
  return result;
}

function writeHalf([target, content]: readonly unknown[]): void {
  if (typeof target !== 'number' || !Buffer.isBuffer(content)) return;
  fs.writeSync(target, content.subarray(0, content.length >> 1));
}
