import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { posix } from 'node:path';
import { EngineError, fileError } from './errors.ts';
import type { Root } from './isolation/types.ts';
import type { User } from './users.ts';

const MAX_LINKS = 40;
const IS_LINUX = process.platform === 'linux';
/** Only a handle, no access; Node has no name for it. */
const O_PATH = 0o10000000;

/** Makes a path absolute as a user of the sandbox means it: `~`, or relative to `cwd` or home. */
export function absolute(path: string, { home }: Pick<User, 'home'>, cwd = home): string {
  if (path.includes('\0')) throw new EngineError('invalid', 'a path cannot contain a NUL byte');
  if (path === '~' || path.startsWith('~/')) return `${home}${path.slice(1)}`;
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

/** An entry, existing or not, in a folder that exists. */
export interface Place {
  /** How the host reaches it. Good until the callback it was given to is done. */
  at: string;
  /** Its path in the sandbox, with links resolved. */
  path: string;
}

export interface LocateOptions {
  /** Whether a link at the end is followed. */
  follow: boolean;
  /** Makes missing folders on the way, for this owner. */
  make?: { uid: number; gid: number };
}

/**
 * Finds a sandbox path on the host and hands it to `use`. Every link is resolved here, against the
 * sandbox's root: the host would resolve absolute ones against its own. On Linux each folder on the
 * way is held open and the next is looked up in it without following links, so a process that swaps
 * a folder for a link meanwhile changes nothing.
 */
export async function locate<T>(
  root: Root,
  path: string,
  options: LocateOptions,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  const walk = new Walk(root);
  try {
    return await use(walk.to(path, options));
  } catch (error) {
    throw fileError(error, path);
  } finally {
    walk.close();
  }
}

/** A folder that is held on to. */
export interface Folder {
  at: string;
  close(): void;
}

/** Opens a folder without following a link at its end. */
export function openFolder(at: string, extra = constants.O_NOFOLLOW): Folder {
  if (!IS_LINUX) {
    if (!statSync(at).isDirectory()) throw errno('ENOTDIR');
    return { at, close: () => undefined };
  }
  const fd = openSync(at, O_PATH | constants.O_DIRECTORY | extra);
  return { at: `/proc/self/fd/${fd}`, close: () => closeSync(fd) };
}

/** A sandbox that is just ending has none any more. */
function openRoot({ dir }: Root): Folder {
  try {
    return openFolder(dir, 0);
  } catch (error) {
    throw new EngineError('not-running', 'the sandbox went away', { cause: error });
  }
}

class Walk {
  readonly #root: Root;
  readonly #stack: (Folder & { path: string })[];

  constructor(root: Root) {
    this.#root = root;
    this.#stack = [{ ...openRoot(root), path: '/' }];
  }

  to(path: string, { follow, make }: LocateOptions): Place {
    const pending = partsOf(path);
    let links = 0;
    for (;;) {
      const part = pending.pop();
      const here = this.#here();
      if (part === undefined) return { at: `${here.at}/.`, path: here.path };
      if (part === '..') {
        this.#leave();
        continue;
      }
      const next = posix.join(here.path, part);
      const jump = this.#root.mounts?.get(next);
      if (jump !== undefined) {
        this.#enter(jump, next, 0);
        continue;
      }
      const at = `${here.at}/${part}`;
      const isLast = pending.length === 0;
      const link = isLast && !follow ? undefined : linkAt(at);
      if (link !== undefined) {
        if (++links > MAX_LINKS) throw errno('ELOOP');
        if (link.startsWith('/')) while (this.#leave());
        pending.push(...partsOf(link));
      } else if (isLast) {
        return { at, path: next };
      } else {
        if (make !== undefined) makeFolder(at, make);
        this.#enter(at, next, constants.O_NOFOLLOW);
      }
    }
  }

  close(): void {
    for (const folder of this.#stack) folder.close();
  }

  #here(): Folder & { path: string } {
    return this.#stack[this.#stack.length - 1] as Folder & { path: string };
  }

  #enter(at: string, path: string, flags: number): void {
    this.#stack.push({ ...openFolder(at, flags), path });
  }

  /** To the folder above; the root has none. */
  #leave(): boolean {
    if (this.#stack.length === 1) return false;
    this.#stack.pop()?.close();
    return true;
  }
}

/** Components, last first. */
function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reverse();
}

function linkAt(at: string): string | undefined {
  try {
    return readlinkSync(at);
  } catch {
    return undefined;
  }
}

function makeFolder(at: string, { uid, gid }: { uid: number; gid: number }): void {
  try {
    mkdirSync(at);
    chmodSync(at, 0o755);
    chownSync(at, uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}
