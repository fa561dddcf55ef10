import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from './sandbox.ts';

/** When it looks again, counted from the look before. A creation that takes longer than all is not known. */
const LOOKS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000];

export interface ReaperDeps {
  /** All sandboxes with a token. */
  find(token: string): AsyncIterable<Sandbox>;
  remove(sandbox: Sandbox): Promise<void>;
}

/**
 * Deletes sandboxes that come after their creator has given up. Its timers do not keep a program
 * alive; `close` makes one last look for each.
 */
export class Reaper {
  readonly #deps: ReaperDeps;
  readonly #watched = new Map<string, { stop: AbortController; running: Promise<void> }>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: ReaperDeps) {
    this.#deps = deps;
  }

  /** `wanted`: id of the one that is not too late. */
  watch(token: string, wanted?: string): void {
    if (this.#watched.has(token)) return;
    const stop = new AbortController();
    const running = this.#watch(token, wanted, stop.signal).finally(() => {
      if (this.#watched.get(token)?.stop === stop) this.#watched.delete(token);
      this.#running.delete(running);
    });
    this.#watched.set(token, { stop, running });
    this.#running.add(running);
  }

  /**
   * Its creator tries again: what comes is wanted after all. Answers whether it was watched, once nothing
   * is being deleted any more.
   */
  async forget(token: string): Promise<boolean> {
    const watched = this.#watched.get(token);
    if (watched === undefined) return false;
    this.#watched.delete(token);
    watched.stop.abort('forget');
    await watched.running;
    return true;
  }

  async close(): Promise<void> {
    for (const { stop } of this.#watched.values()) stop.abort('close');
    await Promise.all(this.#running);
  }

  /** Every attempt may have made one, so that one is not the last. */
  async #watch(token: string, wanted: string | undefined, signal: AbortSignal): Promise<void> {
    for (const ms of LOOKS_MS) {
      await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
      // What cannot be told now may be told at the next look.
      await this.#remove(token, wanted, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  async #remove(token: string, wanted: string | undefined, signal: AbortSignal): Promise<void> {
    if (signal.reason === 'forget') return;
    for await (const sandbox of this.#deps.find(token)) {
      if (signal.reason === 'forget') return;
      if (sandbox.id !== wanted) await this.#deps.remove(sandbox);
    }
  }
}
