import type { Files } from '../../engine/files.ts';
import type { WatchEvent } from '../../engine/watch.ts';
import { token } from '../ids.ts';
import { RpcError } from './connect-codec.ts';

/** Events that wait for a client that polls; beyond that the oldest are dropped. */
const MAX_EVENTS = 10_000;

interface Watcher {
  readonly stop: AbortController;
  readonly root: string;
  readonly withEntries: boolean;
  events: WatchEvent[];
}

/** Watchers that clients poll, of one sandbox. */
export class Watchers {
  readonly #files: Files;
  readonly #byId = new Map<string, Watcher>();

  constructor(files: Files) {
    this.#files = files;
  }

  async create(root: string, recursive: boolean, withEntries: boolean): Promise<string> {
    const stop = new AbortController();
    const source = await this.#files.watch(root, { recursive, signal: stop.signal });
    const watcher: Watcher = { stop, root, withEntries, events: [] };
    const id = `w${token()}`;
    this.#byId.set(id, watcher);
    void (async () => {
      for await (const event of source) {
        watcher.events.push(event);
        if (watcher.events.length > MAX_EVENTS) watcher.events.shift();
      }
    })();
    return id;
  }

  /** What happened since the last time. */
  take(id: string): { events: WatchEvent[]; root: string; withEntries: boolean } {
    const watcher = this.#get(id);
    const { events, root, withEntries } = watcher;
    watcher.events = [];
    return { events, root, withEntries };
  }

  remove(id: string): void {
    this.#get(id).stop.abort();
    this.#byId.delete(id);
  }

  close(): void {
    for (const { stop } of this.#byId.values()) stop.abort();
    this.#byId.clear();
  }

  #get(id: string): Watcher {
    const watcher = this.#byId.get(id);
    if (watcher === undefined) throw new RpcError('not_found', `watcher with id ${id} not found`);
    return watcher;
  }
}
