/** Where the engine and the fronts take time from, so that tests can make an hour pass. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the answer cancels it. */
  setTimer(ms: number, run: () => void): () => void;
}

/** Node fires timers beyond this at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Real time. Its timers do not keep the server's process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, run) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      const step = Math.min(Math.max(left, 0), LONGEST_TIMEOUT);
      timer = setTimeout(() => (left > step ? arm(left - step) : run()), step);
      timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

interface Timer {
  at: number;
  order: number;
  run: () => void;
}

/** Time that moves only when told to. */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  setTimer(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Runs what falls due in order, each at its own time, also what those calls set. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers]
        .filter((timer) => timer.at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}
