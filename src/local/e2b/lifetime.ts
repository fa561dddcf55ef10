import type { Clock } from '../engine/clock.ts';

/** Seconds that stand for no end. */
export const NEVER = -1;

/**
 * When a sandbox ends. `absolute`: so long after it was set. `idle`: so long after the last request.
 */
export class Lifetime {
  readonly #clock: Clock;
  readonly #isIdle: boolean;
  readonly #onEnd: () => void;
  #seconds = NEVER;
  #endAt: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, kind: 'absolute' | 'idle', onEnd: () => void) {
    this.#clock = clock;
    this.#isIdle = kind === 'idle';
    this.#onEnd = onEnd;
  }

  /** Milliseconds since the epoch; undefined is never. While it stands still: as it was. */
  get endAt(): number | undefined {
    return this.#endAt;
  }

  /** As last set. */
  get seconds(): number {
    return this.#seconds;
  }

  /** From now on, also shorter than before. */
  set(seconds: number): void {
    this.stop();
    this.#seconds = seconds;
    this.#endAt = seconds === NEVER ? undefined : this.#clock.now() + seconds * 1000;
    this.#arm();
  }

  /** From now on, unless it ends later already. */
  extend(seconds: number): void {
    const end = seconds === NEVER ? Infinity : this.#clock.now() + seconds * 1000;
    const isLonger = this.#isIdle
      ? (seconds === NEVER ? Infinity : seconds) >
        (this.#seconds === NEVER ? Infinity : this.#seconds)
      : end > (this.#endAt ?? Infinity);
    if (isLonger) this.set(seconds);
  }

  /** Something happened: an idle window begins anew. */
  touch(): void {
    // Cheap, since it comes with every request: the timer looks again when it fires.
    if (this.#isIdle && this.#cancel !== undefined && this.#seconds !== NEVER) {
      this.#endAt = this.#clock.now() + this.#seconds * 1000;
    }
  }

  /** Ends the counting; `set` starts it anew. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    if (this.#endAt === undefined) return;
    const left = this.#endAt - this.#clock.now();
    this.#cancel = this.#clock.setTimer(left, () => {
      this.#cancel = undefined;
      if (this.#endAt !== undefined && this.#endAt > this.#clock.now()) this.#arm();
      else this.#onEnd();
    });
  }
}
