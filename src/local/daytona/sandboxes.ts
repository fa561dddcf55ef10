import { sandboxDto } from './dto.ts';
import { conflictName, DaytonaFailure } from './errors.ts';
import type { SandboxRecord, SandboxState } from './record.ts';
import { schedule } from './timers.ts';
import type { World } from './world.ts';

/** All sandboxes by id and name. A destroyed one is forgotten at once. */
export class Sandboxes {
  readonly #world: World;
  readonly #records = new Map<string, SandboxRecord>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Oldest first. */
  all(): SandboxRecord[] {
    return [...this.#records.values()];
  }

  find(idOrName: string): SandboxRecord | undefined {
    const byId = this.#records.get(idOrName);
    if (byId !== undefined) return byId;
    return this.all().find(({ name }) => name === idOrName);
  }

  /** @throws DaytonaFailure 404 */
  need(idOrName: string): SandboxRecord {
    const record = this.find(idOrName);
    if (record !== undefined) return record;
    throw new DaytonaFailure(404, `Sandbox with ID or name ${idOrName} not found`);
  }

  /** @throws DaytonaFailure 409 when the name is taken */
  add(record: SandboxRecord): void {
    if (this.find(record.name) !== undefined) throw conflictName('Sandbox', record.name);
    this.#records.set(record.id, record);
    this.#world.events.emit('sandbox.created', sandboxDto(this.#world, record));
  }

  /** Changes the state, tells clients and sets the timer for what is due in the new one. */
  setState(record: SandboxRecord, state: SandboxState): void {
    const oldState = record.state;
    if (oldState === state) return;
    record.state = state;
    record.updatedAt = this.#world.now();
    if (state === 'destroyed') this.#records.delete(record.id);
    const sandbox = sandboxDto(this.#world, record);
    this.#world.events.emit('sandbox.state.updated', { sandbox, oldState, newState: state });
    schedule(this.#world, record);
  }

  /** A client did something with it: it is not idle. */
  touch(record: SandboxRecord): void {
    record.lastActivityAt = this.#world.now();
  }

  /** Something keeps it busy until the answer is called; calling it again does nothing more. */
  hold(record: SandboxRecord): () => void {
    this.touch(record);
    record.openCalls++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      record.openCalls--;
      this.touch(record);
    };
  }

  /** A call keeps it busy until the signal says that the call has ended. */
  holdUntil(record: SandboxRecord, signal: AbortSignal): void {
    const end = this.hold(record);
    // The client went before its turn came; no signal would follow.
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }
}
