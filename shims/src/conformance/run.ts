import { setTimeout as delay } from 'node:timers/promises';
import { CASES } from './cases/index.ts';
import { type Case, Kit } from './kit.ts';
import type { Conformance, ConformanceCase, ConformanceOptions } from './options.ts';
import { Stage } from './stage.ts';

/**
 * The cases that every provider has to pass, ours or yours. They create sandboxes, two at a time at
 * most, and delete them. What a backend says it cannot do has to be refused in the right way.
 *
 * Templates need `sh` and the usual small programs; `git` for its cases; `python3` or `node` to serve a
 * port.
 *
 * @example
 * const { cases, close } = conformance({ provider: () => new MyProvider() });
 * for (const { name, skip, run } of cases) …
 *
 * @throws {Error} when `skips` names a case that there is not, or gives no reason
 */
export function conformance(options: ConformanceOptions): Conformance {
  const skips = checkedSkips(options);
  const caseTimeoutMs = options.caseTimeoutMs ?? 120_000;
  let stage: Promise<Stage> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other. */
  const queue = (deed: () => Promise<void>): Promise<void> => {
    const next = last.then(deed);
    last = next.catch(() => undefined);
    return next;
  };
  const cases = CASES.map((one): ConformanceCase => {
    const skip = skips.get(one.name);
    if (skip !== undefined) return { name: one.name, skip, run: async () => undefined };
    const run = async (): Promise<void> => {
      stage ??= Stage.open(options);
      await runCase(one, await stage, options, caseTimeoutMs);
    };
    return { name: one.name, run: () => queue(run) };
  });
  const close = async (): Promise<void> => {
    // A provider that could not be made has nothing to close, and each case has said so.
    const opened = await stage?.catch(() => undefined);
    await opened?.close();
  };
  return { cases, caseTimeoutMs, close: () => queue(close) };
}

async function runCase(
  { name, run }: Case,
  stage: Stage,
  options: ConformanceOptions,
  timeoutMs: number,
): Promise<void> {
  const kit = new Kit(stage, options, (seen) => options.onEvidence?.({ case: name, seen }));
  const stop = new AbortController();
  const time = delay(timeoutMs, undefined, { signal: stop.signal }).then(
    () => Promise.reject(new Error(`The case took longer than ${timeoutMs} ms`)),
    () => undefined,
  );
  try {
    await Promise.race([run(kit), time]);
  } catch (error) {
    await kit.end().catch(() => undefined);
    // It may be in a state that others do not expect.
    await stage.dropShared().catch(() => undefined);
    throw error;
  } finally {
    stop.abort();
  }
  await kit.end();
}

function checkedSkips({ skips = {} }: ConformanceOptions): ReadonlyMap<string, string> {
  const names = new Set(CASES.map(({ name }) => name));
  for (const [name, reason] of Object.entries(skips)) {
    if (!names.has(name)) throw new Error(`skips names "${name}", but there is no such case`);
    if (reason.trim() === '') throw new Error(`skips gives no reason for "${name}"`);
  }
  return new Map(Object.entries(skips));
}
