import type { Listening } from '../http/server.ts';
import { badRequest, DaytonaFailure } from './errors.ts';

/** Where a preview request wants to go. */
export interface PreviewTarget {
  port: number;
  /** The id of a sandbox, or a token that stands for one. */
  name: string;
}

interface Open {
  readonly sandboxId: string;
  readonly target: PreviewTarget;
  readonly listening: Promise<Listening>;
}

/** More than programs ask for; each is a socket that listens. */
const MOST = 1000;

/** Ports of this machine that each lead to one port of a sandbox, open until somebody closes them. */
export class PreviewPorts {
  readonly #listen: (target: PreviewTarget) => Promise<Listening>;
  readonly #most: number;
  readonly #open = new Map<string, Open>();
  #isClosed = false;

  constructor(listen: (target: PreviewTarget) => Promise<Listening>, most = MOST) {
    this.#listen = listen;
    this.#most = most;
  }

  /** The port that leads to a target: always the same one. @throws DaytonaFailure 400 beyond the most */
  async open(sandboxId: string, target: PreviewTarget): Promise<number> {
    if (this.#isClosed) throw new DaytonaFailure(503, 'the server is closing');
    const key = keyOf(target);
    let open = this.#open.get(key);
    if (open === undefined) {
      if (this.#open.size >= this.#most) {
        throw badRequest(
          `${this.#most} ports are open for preview links, which is the most: delete sandboxes or expire signed links`,
        );
      }
      open = { sandboxId, target, listening: this.#listen(target) };
      this.#open.set(key, open);
      open.listening.catch(() => this.#open.delete(key));
    }
    return (await open.listening).port;
  }

  close(target: PreviewTarget): Promise<void> {
    return this.#closeAll((open) => keyOf(open.target) === keyOf(target));
  }

  closeOf(sandboxId: string): Promise<void> {
    return this.#closeAll((open) => open.sandboxId === sandboxId);
  }

  /** Closes all of them; none opens any more. */
  async end(): Promise<void> {
    this.#isClosed = true;
    await this.#closeAll(() => true);
  }

  async #closeAll(isMeant: (open: Open) => boolean): Promise<void> {
    const meant = [...this.#open].filter(([, open]) => isMeant(open));
    for (const [key] of meant) this.#open.delete(key);
    await Promise.all(
      // One that could not be opened has told whoever asked for it.
      meant.map(([, { listening }]) =>
        listening.then(
          (it) => it.close(),
          () => undefined,
        ),
      ),
    );
  }
}

function keyOf({ port, name }: PreviewTarget): string {
  return `${port}-${name}`;
}
