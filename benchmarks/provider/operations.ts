import type { Box, Create, Pair } from './contenders.ts';

export const OPERATIONS = ['create', 'exec', 'read', 'write', 'delete'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Something for each operation and way to make it. */
export type PerOperation<T> = Record<Operation, { sdk: T; provider: T }>;

type Side = 'sdk' | 'provider';

const FILE = '/tmp/benchmark.txt';
const TEXT = 'Sixty-four bytes of text, many times over, make four kilobytes.\n'.repeat(64);

/** An operation on a sandbox that is there. */
const CALLS: Record<Exclude<Operation, 'create' | 'delete'>, (box: Box) => Promise<unknown>> = {
  exec: (box) => box.exec('true'),
  write: (box) => box.write(FILE, TEXT),
  read: (box) => box.read(FILE),
};

export function perOperation<T>(make: (operation: Operation, side: Side) => T): PerOperation<T> {
  const entries = OPERATIONS.map((operation) => [
    operation,
    { sdk: make(operation, 'sdk'), provider: make(operation, 'provider') },
  ]);
  return Object.fromEntries(entries) as PerOperation<T>;
}

/** How many requests each operation takes, after a first round in which all that is kept was asked for. */
export async function countEach(pair: Pair): Promise<PerOperation<number>> {
  const counts = perOperation(() => 0);
  for (const side of ['sdk', 'provider'] as const) {
    await life(pair[side], async (_, call) => call());
    await life(pair[side], async (operation, call) => {
      const before = await pair.requests();
      await call();
      counts[operation][side] = (await pair.requests()) - before;
    });
  }
  return counts;
}

/** One life of a sandbox, with every operation once. */
async function life(
  create: Create,
  around: (operation: Operation, call: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  let box: Box | undefined;
  await around('create', async () => {
    box = await create();
  });
  const made = box as unknown as Box;
  await around('exec', () => CALLS.exec(made));
  await around('write', () => CALLS.write(made));
  await around('read', () => CALLS.read(made));
  await around('delete', () => made.delete());
}

/** How often each side does what in one round. */
export interface Repeats {
  /** Sandboxes that are created and deleted. */
  lives: number;
  /** Of exec, read and write, on one sandbox. */
  calls: number;
}

/**
 * Times both sides of a pair next to each other: each operation by one and then by the other, which of
 * them first by turns, so that a slow moment of the machine hits both. Only one sandbox at a time is
 * being created or deleted: a server that is still busy with the one before would be measured else.
 */
export async function timeRound(
  pair: Pair,
  round: number,
  { lives, calls }: Repeats,
  times: PerOperation<number[]>,
): Promise<void> {
  const sides: Side[] = round % 2 === 0 ? ['sdk', 'provider'] : ['provider', 'sdk'];
  const timed = async <T>(operation: Operation, side: Side, call: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await call();
    times[operation][side].push(performance.now() - started);
    return result;
  };
  for (let i = 0; i < lives; i++, sides.reverse()) {
    for (const side of sides) {
      const box = await timed('create', side, pair[side]);
      await timed('delete', side, () => box.delete());
    }
  }
  const boxes = { sdk: await pair.sdk(), provider: await pair.provider() };
  for (let i = 0; i < calls; i++, sides.reverse()) {
    for (const operation of ['exec', 'write', 'read'] as const) {
      for (const side of sides) await timed(operation, side, () => CALLS[operation](boxes[side]));
    }
  }
  await boxes.sdk.delete();
  await boxes.provider.delete();
}
