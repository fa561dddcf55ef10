/** Items that may wait for a slow reader before the writer has to. */
const ROOM = 64;

/**
 * Items on their way from writers to one reader. A writer waits while there is no room, so that a
 * slow client slows down the process it listens to instead of filling memory.
 */
export class Channel<T> {
  readonly #waiting: T[] = [];
  #wakeReader = (): void => undefined;
  #wakeWriters: (() => void)[] = [];
  #end: { error?: unknown } | undefined;
  readonly #closers: (() => void)[] = [];

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /** Called once, whoever ends it. */
  onClose(listener: () => void): void {
    if (this.#end === undefined) this.#closers.push(listener);
    else listener();
  }

  /** Resolves when more may be pushed; of a closed channel at once. */
  async push(item: T): Promise<void> {
    if (this.#end !== undefined) return;
    this.#waiting.push(item);
    this.#wakeReader();
    if (this.#waiting.length < ROOM) return;
    await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
  }

  /** What waits is still read. */
  close(): void {
    this.#finish({});
  }

  /** Ends at once, whatever waits. */
  fail(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#waiting.length = 0;
    this.#finish({ error });
  }

  async *read(): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        const item = this.#waiting.shift();
        if (item !== undefined) {
          if (this.#waiting.length < ROOM) this.#release();
          yield item;
        } else if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve;
          });
        }
      }
    } finally {
      this.#waiting.length = 0;
      this.close();
    }
  }

  #finish(end: { error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const listener of this.#closers) listener();
    this.#wakeReader();
    this.#release();
  }

  #release(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake();
  }
}
