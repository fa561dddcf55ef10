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

/** A clock that can be told to make time pass at once. */
export interface MovableClock extends Clock {
  /** Runs what falls due within `ms` in order, each at its own time, also what those calls set. */
  advance(ms: number): void;
}

interface Timer {
  at: number;
  order: number;
  run: () => void;
}

/** Timers that are waiting. */
class Timers {
  readonly #waiting = new Set<Timer>();
  #order = 0;

  [Symbol.iterator](): Iterator<Timer> {
    return this.#waiting[Symbol.iterator]();
  }

  add(at: number, run: () => void): Timer {
    const timer = { at, order: this.#order++, run };
    this.#waiting.add(timer);
    return timer;
  }

  /** False when it was not waiting any more. */
  remove(timer: Timer): boolean {
    return this.#waiting.delete(timer);
  }

  /** Runs what falls due in order, also what those calls set; `reach` sets the time for each. */
  runUntil(end: number, reach: (at: number) => void): void {
    for (;;) {
      const [next] = [...this.#waiting]
        .filter((timer) => timer.at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order);
      if (next === undefined) return;
      this.#waiting.delete(next);
      reach(next.at);
      next.run();
    }
  }
}

/** Time that moves only when told to. */
export class ManualClock implements MovableClock {
  #now: number;
  readonly #timers = new Timers();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  setTimer(ms: number, run: () => void): () => void {
    const timer = this.#timers.add(this.#now + Math.max(ms, 0), run);
    return () => this.#timers.remove(timer);
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    this.#timers.runUntil(end, (at) => {
      this.#now = at;
    });
    this.#now = end;
  }
}

/** Real time that can be moved forward. */
export class JumpClock implements MovableClock {
  readonly #base: Clock;
  readonly #timers = new Timers();
  /** What ends the wait of the clock below for a timer. */
  readonly #waits = new Map<Timer, () => void>();
  #offset = 0;
  /** The time while a jump is under way, during which real time stands still. */
  #held: number | undefined;

  constructor(base: Clock = systemClock) {
    this.#base = base;
  }

  now(): number {
    return this.#held ?? this.#base.now() + this.#offset;
  }

  setTimer(ms: number, run: () => void): () => void {
    const timer = this.#timers.add(this.now() + Math.max(ms, 0), run);
    this.#wait(timer);
    return () => {
      this.#timers.remove(timer);
      this.#unwait(timer);
    };
  }

  /** Moves time forward; what does not fall due waits for what is left. */
  advance(ms: number): void {
    const end = this.now() + Math.max(ms, 0);
    try {
      this.#timers.runUntil(end, (at) => {
        this.#held = at;
      });
    } finally {
      this.#held = undefined;
      this.#offset = end - this.#base.now();
      for (const timer of [...this.#waits.keys()]) this.#unwait(timer);
      for (const timer of this.#timers) this.#wait(timer);
    }
  }

  #wait(timer: Timer): void {
    const cancel = this.#base.setTimer(timer.at - this.now(), () => {
      this.#waits.delete(timer);
      if (this.#timers.remove(timer)) timer.run();
    });
    this.#waits.set(timer, cancel);
  }

  #unwait(timer: Timer): void {
    this.#waits.get(timer)?.();
    this.#waits.delete(timer);
  }
}
