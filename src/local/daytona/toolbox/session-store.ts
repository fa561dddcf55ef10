import { badRequest, conflict, DaytonaFailure, notFound } from '../errors.ts';
import type { Box } from './box.ts';
import { Session, type SessionCommand } from './session.ts';
import { quoted } from './session-script.ts';

/** The session and command that the image's own program runs in. */
export const ENTRYPOINT = 'entrypoint';
export const ENTRYPOINT_COMMAND = 'entrypoint_command';

/** What the default image runs; it does nothing, so it is not run here. */
const DEFAULT_ENTRYPOINT = 'sleep infinity';

export interface SessionView {
  sessionId: string;
  commands: { id: string; command: string; exitCode?: number }[];
}

/** The sessions of a running sandbox. */
export class Sessions {
  readonly #box: Box;
  readonly #sessions = new Map<string, Session>();
  /** Ids being made: taken, but not there yet. */
  readonly #coming = new Set<string>();

  constructor(box: Box) {
    this.#box = box;
  }

  async create(id: string): Promise<void> {
    if (id === ENTRYPOINT) {
      throw badRequest('provided session ID is reserved and cannot be created/overridden');
    }
    await this.#start(id);
  }

  async startEntrypoint(argv: readonly string[]): Promise<void> {
    const session = await this.#start(ENTRYPOINT);
    const command = argv.map(quoted).join(' ');
    const options = { isAsync: true, suppressInputEcho: true, id: ENTRYPOINT_COMMAND };
    await session.execute(command, options);
  }

  /** @throws DaytonaFailure 404 */
  need(id: string): Session {
    const session = this.#sessions.get(id);
    if (session === undefined) throw notFound('session not found');
    return session;
  }

  view(id: string): SessionView {
    if (id === ENTRYPOINT && !this.#sessions.has(id)) {
      return {
        sessionId: id,
        commands: [{ id: ENTRYPOINT_COMMAND, command: DEFAULT_ENTRYPOINT }],
      };
    }
    const { commands } = this.need(id);
    return { sessionId: id, commands: [...commands.values()].map(commandView) };
  }

  list(): SessionView[] {
    return [...this.#sessions.keys()].map((id) => this.view(id));
  }

  async delete(id: string): Promise<void> {
    if (id === ENTRYPOINT) throw badRequest("can't delete entrypoint session");
    const session = this.need(id);
    this.#sessions.delete(id);
    await session.end();
    await session.removeLogs();
  }

  close(): void {
    this.#sessions.clear();
  }

  async #start(id: string): Promise<Session> {
    if (this.#sessions.has(id) || this.#coming.has(id)) throw conflict('session already exists');
    this.#coming.add(id);
    try {
      const session = new Session(this.#box, id);
      await session.start();
      if (this.#box.record.box !== this.#box) throw new DaytonaFailure(400, 'session cancelled');
      this.#sessions.set(id, session);
      return session;
    } finally {
      this.#coming.delete(id);
    }
  }
}

export function commandView({ id, command, exitCode }: SessionCommand): SessionView['commands'][0] {
  return { id, command, ...(exitCode === undefined ? {} : { exitCode }) };
}
