import type { Marks } from './marks.ts';

/** Moves the moment at which a sandbox ends, `ms` from now. */
export type Extend = (ms: number) => Promise<void>;

/**
 * Makes an idle window of E2B's deadline: each use moves the deadline, though not at every call, and
 * one that lasts moves it again and again.
 */
export class Lease {
  readonly #windowMs: number | undefined;
  readonly #deadline: number;
  readonly #extend: Extend;
  #extendedAt: number;
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;

  /** A sandbox that has no window has no lease. `isFresh`: its window has just begun. */
  constructor({ idleTimeoutMs, deadline }: Partial<Marks>, isFresh: boolean, extend: Extend) {
    this.#windowMs = idleTimeoutMs ?? undefined;
    this.#deadline = deadline?.getTime() ?? Number.POSITIVE_INFINITY;
    this.#extend = extend;
    this.#extendedAt = isFresh ? Date.now() : 0;
  }

  /** Its window has just begun anew by other means. */
  renewed(): void {
    this.#extendedAt = Date.now();
  }

  /** Keeps it alive while something goes on; call the answer at its end. */
  use(): () => void {
    if (this.#windowMs === undefined) return () => undefined;
    this.#touch();
    this.#uses += 1;
    this.#timer ??= setInterval(() => this.#touch(), this.#windowMs / SHARE).unref();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#uses -= 1;
      if (this.#uses > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#touch();
    };
  }

  #touch(): void {
    const window = this.#windowMs;
    const now = Date.now();
    // The rest of the window is always longer than this share of it.
    if (window === undefined || now - this.#extendedAt < window / SHARE) return;
    this.#extendedAt = now;
    // That it failed shows in the call that it was for.
    void this.#extend(Math.max(1, Math.min(window, this.#deadline - now))).catch(() => undefined);
  }
}

const SHARE = 4;
