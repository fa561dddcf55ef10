import type { KernelEvent } from './types.ts';

/** Characters that may wait for the reader before the process is held back. */
const MOST_WAITING = 1024 * 1024;

/**
 * Hands events from a process to one reader. What waits is bounded by telling the process's side to
 * pause; once an execution is being stopped its output is dropped instead, because a reader that is
 * gone must not keep it from ending.
 */
export class EventQueue {
  readonly #events: KernelEvent[] = [];
  readonly #flow: { pause(): void; resume(): void };
  #waiting = 0;
  #isPaused = false;
  #isDropping = false;
  #isClosed = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(flow: { pause(): void; resume(): void }) {
    this.#flow = flow;
  }

  push(event: KernelEvent): void {
    if (this.#isClosed) return;
    const size = weight(event);
    if (size > 0 && this.#isDropping && this.#waiting > MOST_WAITING) return;
    this.#events.push(event);
    this.#waiting += size;
    if (!this.#isPaused && !this.#isDropping && this.#waiting > MOST_WAITING) {
      this.#isPaused = true;
      this.#flow.pause();
    }
    this.#wake?.();
  }

  /** From now on nothing holds the process back. */
  drop(): void {
    this.#isDropping = true;
    this.#resume();
  }

  close(failure?: unknown): void {
    this.#isClosed = true;
    this.#failure = failure;
    this.#wake?.();
  }

  /** The next event; undefined after the last. */
  async next(): Promise<KernelEvent | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) {
        this.#waiting -= weight(event);
        if (this.#waiting <= MOST_WAITING / 2) this.#resume();
        return event;
      }
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#flow.resume();
  }
}

/** Every output costs something, so that a million empty lines are held back too. */
function weight(event: KernelEvent): number {
  if (event.type === 'stdout' || event.type === 'stderr') return event.text.length + OVERHEAD;
  if (event.type !== 'result') return 0;
  const sizes = Object.values(event.data).map((made) =>
    typeof made === 'string' ? made.length : OVERHEAD,
  );
  return sizes.reduce((sum, size) => sum + size, OVERHEAD);
}

const OVERHEAD = 64;
