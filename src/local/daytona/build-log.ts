/** What a build says, for readers that come at any time. */
export class BuildLog {
  readonly #chunks: string[] = [];
  #isOver = false;
  #wake = new Set<() => void>();

  write(text: string): void {
    this.#chunks.push(text);
    this.#ring();
  }

  end(): void {
    this.#isOver = true;
    this.#ring();
  }

  /** All of it so far; with `follow` also what comes, until the build has ended. */
  async *read(follow: boolean, signal: AbortSignal): AsyncGenerator<string> {
    for (let at = 0; !signal.aborted; at++) {
      while (at >= this.#chunks.length) {
        if (this.#isOver || !follow || signal.aborted) return;
        await this.#next(signal);
      }
      yield this.#chunks[at] as string;
    }
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.#wake.delete(done);
        resolve();
      };
      signal.addEventListener('abort', done, { once: true });
      this.#wake.add(done);
    });
  }

  #ring(): void {
    for (const wake of [...this.#wake]) wake();
  }
}
