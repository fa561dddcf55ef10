import { DaytonaFailure } from '../errors.ts';
import type { Box } from './box.ts';
import { Pty, type PtyOptions } from './pty.ts';

/** The terminals of a running sandbox, by the ids clients gave them. */
export class Ptys {
  readonly #box: Box;
  readonly #ptys = new Map<string, Pty>();

  constructor(box: Box) {
    this.#box = box;
  }

  /** Takes the id; the terminal itself is opened by `start`. */
  create(options: PtyOptions): Pty {
    if (this.#ptys.has(options.id)) {
      throw new DaytonaFailure(409, `PTY session with ID '${options.id}' already exists`);
    }
    const pty = new Pty(this.#box, options, () => this.#forget(pty));
    this.#ptys.set(options.id, pty);
    return pty;
  }

  find(id: string): Pty | undefined {
    return this.#ptys.get(id);
  }

  need(id: string): Pty {
    const pty = this.#ptys.get(id);
    if (pty === undefined) throw new DaytonaFailure(404, 'PTY session not found');
    return pty;
  }

  list(): Pty[] {
    return [...this.#ptys.values()];
  }

  close(): void {
    this.#ptys.clear();
  }

  #forget(pty: Pty): void {
    if (this.#ptys.get(pty.id) === pty) this.#ptys.delete(pty.id);
  }
}
