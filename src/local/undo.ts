type Step = () => Promise<unknown> | unknown;

/** What is to be done when what was built up goes down again. */
export class Undo {
  readonly #steps: Step[] = [];

  add(step: Step): void {
    this.#steps.push(step);
  }

  /** Runs the steps in reverse, each once and all of them. @throws what the first that failed did */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
