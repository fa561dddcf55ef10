import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from './sandbox.ts';

/** When it looks again, counted from the look before. A creation that takes longer than all is not known. */
const LOOKS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000];

export interface ReaperDeps {
  find(token: string): Promise<Sandbox | undefined>;
  remove(sandbox: Sandbox): Promise<void>;
}

/**
 * Deletes sandboxes that come after their creator has given up. Its timers do not keep a program
 * alive; `close` makes one last look for each.
 */
export class Reaper {
  readonly #deps: ReaperDeps;
  readonly #watched = new Map<string, AbortController>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: ReaperDeps) {
    this.#deps = deps;
  }

  watch(token: string): void {
    if (this.#watched.has(token)) return;
    const stop = new AbortController();
    this.#watched.set(token, stop);
    const running = this.#watch(token, stop.signal).finally(() => {
      this.#watched.delete(token);
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  /** Its creator tries again: what comes is wanted after all. */
  forget(token: string): void {
    this.#watched.get(token)?.abort('forget');
  }

  async close(): Promise<void> {
    for (const stop of this.#watched.values()) stop.abort('close');
    await Promise.all(this.#running);
  }

  async #watch(token: string, signal: AbortSignal): Promise<void> {
    for (const ms of LOOKS_MS) {
      await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.reason === 'forget') return;
      // What cannot be told now may be told at the next look.
      const isDone = await this.#remove(token).catch(() => false);
      if (isDone || signal.aborted) return;
    }
  }

  async #remove(token: string): Promise<boolean> {
    const sandbox = await this.#deps.find(token);
    if (sandbox === undefined) return false;
    await this.#deps.remove(sandbox);
    return true;
  }
}
