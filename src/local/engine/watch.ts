import { type FSWatcher, lstatSync, readdirSync, type Stats, watch } from 'node:fs';
import { type Folder, openFolder } from './paths.ts';

export type WatchEventType = 'create' | 'write' | 'remove' | 'rename' | 'chmod';

export interface WatchEvent {
  type: WatchEventType;
  /** Relative to the watched folder. */
  name: string;
}

/** Events that may wait for a slow reader; beyond that the oldest are dropped. */
const MAX_WAITING = 10_000;

/**
 * Watches a folder. Node's own recursive mode misses files in new folders, so every folder has its
 * own watcher here. A rename is told as `rename` of the old name and `create` of the new one.
 */
export function watchFolder(
  at: string,
  recursive: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent, void, undefined> {
  const waiting: WatchEvent[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  const root = new WatchedFolder(at, '', recursive, (event) => {
    if (waiting.length >= MAX_WAITING) waiting.shift();
    waiting.push(event);
    wake();
  });
  const stop = (): void => {
    isOver = true;
    root.close();
    wake();
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });

  async function* events(): AsyncGenerator<WatchEvent, void, undefined> {
    try {
      while (!isOver) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }
  return events();
}

class WatchedFolder {
  readonly #folder: Folder;
  readonly #watcher: FSWatcher;
  readonly #known = new Map<string, Stats>();
  readonly #below = new Map<string, WatchedFolder>();
  readonly #prefix: string;
  readonly #recursive: boolean;
  readonly #emit: (event: WatchEvent) => void;

  constructor(
    at: string,
    prefix: string,
    recursive: boolean,
    emit: (event: WatchEvent) => void,
    isNew = false,
  ) {
    this.#prefix = prefix;
    this.#recursive = recursive;
    this.#emit = emit;
    this.#folder = openFolder(at);
    this.#watcher = watch(this.#folder.at, { persistent: false, encoding: 'utf8' });
    this.#watcher.on('error', () => this.close());
    this.#watcher.on('change', (_kind, name) => {
      if (typeof name === 'string') this.#look(name);
    });
    for (const name of readdirSync(this.#folder.at)) this.#add(name, isNew);
  }

  close(): void {
    this.#watcher.close();
    for (const folder of this.#below.values()) folder.close();
    this.#below.clear();
    this.#folder.close();
    this.close = () => undefined;
  }

  /** Compares what is known of a name with what is there now. */
  #look(name: string): void {
    const before = this.#known.get(name);
    const now = this.#stat(name);
    if (now === undefined) {
      if (before !== undefined) this.#drop(name, before);
    } else if (before === undefined) {
      this.#add(name, true);
    } else if (before.ino !== now.ino) {
      this.#drop(name, before);
      this.#add(name, true);
    } else {
      this.#known.set(name, now);
      // Times of a folder change with its entries, which are told on their own.
      if (before.mode !== now.mode || before.uid !== now.uid) this.#tell('chmod', name);
      else if (now.isFile()) this.#tell('write', name);
    }
  }

  #add(name: string, isNew: boolean): void {
    const stats = this.#stat(name);
    if (stats === undefined) return;
    this.#known.set(name, stats);
    if (isNew) this.#tell('create', name);
    if (!this.#recursive || !stats.isDirectory()) return;
    try {
      const at = `${this.#folder.at}/${name}`;
      const below = new WatchedFolder(at, `${this.#prefix}${name}/`, true, this.#emit, isNew);
      this.#below.set(name, below);
    } catch {
      // Went away again, or was replaced by something that is not a folder.
    }
  }

  #drop(name: string, stats: Stats): void {
    this.#known.delete(name);
    this.#below.get(name)?.close();
    this.#below.delete(name);
    this.#tell(this.#isElsewhere(stats) ? 'rename' : 'remove', name);
  }

  /** Whether a name that went away now stands beside it. */
  #isElsewhere({ ino }: Stats): boolean {
    try {
      return readdirSync(this.#folder.at).some((name) => this.#stat(name)?.ino === ino);
    } catch {
      return false;
    }
  }

  #stat(name: string): Stats | undefined {
    try {
      return lstatSync(`${this.#folder.at}/${name}`);
    } catch {
      return undefined;
    }
  }

  #tell(type: WatchEventType, name: string): void {
    this.#emit({ type, name: `${this.#prefix}${name}` });
  }
}
