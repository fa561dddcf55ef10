import { type BigIntStats, constants, type Stats } from 'node:fs';
import { chmod, lchown, lstat, mkdir, open, readdir, readlink, rename } from 'node:fs/promises';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Accounts } from './accounts.ts';
import { EngineError } from './errors.ts';
import type { Root } from './isolation/types.ts';
import { moveOwn } from './move.ts';
import { absolute, locate, openFolder, type Place } from './paths.ts';
import { removeTree } from './remove.ts';
import type { User } from './users.ts';
import { type WatchEvent, watchFolder } from './watch.ts';

export type EntryType = 'file' | 'directory' | 'symlink' | 'other';

/** A file, folder or link of a sandbox. */
export interface Entry {
  name: string;
  path: string;
  type: EntryType;
  size: number;
  /** Permission bits. */
  mode: number;
  uid: number;
  gid: number;
  /** Names where the sandbox has them, else numbers. */
  owner: string;
  group: string;
  mtimeMs: number;
  symlinkTarget?: string;
}

/** Whose home `~` and relative paths mean, and who owns what is made. */
export interface PathOptions {
  user?: string;
  cwd?: string;
}

export interface FileRead {
  entry: Entry;
  /** Bytes the stream will give. */
  length: number;
  stream: Readable;
}

export type Content = string | Uint8Array | AsyncIterable<Uint8Array | string>;

const CHUNK = 256 * 1024;

/**
 * Files of a running or paused sandbox, by paths inside it, with the rights of the server: whether
 * a user may read or write is not asked, as with the services it stands in for.
 */
export class Files {
  readonly #root: () => Root;
  readonly #accounts: Accounts;
  readonly #defaultUser: string;

  constructor(root: () => Root, accounts: Accounts, defaultUser: string) {
    this.#root = root;
    this.#accounts = accounts;
    this.#defaultUser = defaultUser;
  }

  /** The absolute form of a path, without touching the disk beyond the user's account. */
  async resolve(path: string, options: PathOptions = {}): Promise<string> {
    return posix.normalize(absolute(path, await this.#user(options), options.cwd));
  }

  /** A link is described itself, unless `follow` is set. */
  async stat(path: string, options: PathOptions & { follow?: boolean } = {}): Promise<Entry> {
    const { full } = await this.#target(path, options);
    const describe = await this.#describer();
    return this.#at(full, { follow: options.follow ?? false }, ({ at }) => describe(at, full));
  }

  async exists(path: string, options: PathOptions = {}): Promise<boolean> {
    try {
      await this.stat(path, { ...options, follow: true });
      return true;
    } catch (error) {
      if (isOneOf(error, 'not-found', 'not-directory')) return false;
      throw error;
    }
  }

  /** Entries of a folder, and of folders in it down to `depth`, each folder before its entries. */
  async list(path: string, options: PathOptions & { depth?: number } = {}): Promise<Entry[]> {
    const { full } = await this.#target(path, options);
    const describe = await this.#describer();
    const entries: Entry[] = [];
    const visit = async (at: string, dir: string, depth: number): Promise<void> => {
      const folder = openFolder(at);
      try {
        for (const name of (await readdir(folder.at)).sort()) {
          const entry = await describe(`${folder.at}/${name}`, posix.join(dir, name)).catch(gone);
          if (entry === undefined) continue;
          entries.push(entry);
          if (entry.type === 'directory' && depth > 1) {
            await visit(`${folder.at}/${name}`, entry.path, depth - 1).catch(gone);
          }
        }
      } finally {
        folder.close();
      }
    };
    await this.#at(full, { follow: true }, ({ at }) => visit(at, full, options.depth ?? 1));
    return entries;
  }

  /** Opens a file. `end` is the first byte not wanted. */
  async read(
    path: string,
    options: PathOptions & { start?: number; end?: number } = {},
  ): Promise<FileRead> {
    const { full } = await this.#target(path, options);
    const describe = await this.#describer();
    return this.#at(full, { follow: true }, async ({ at }) => {
      // Not to wait for the other end of a pipe.
      const handle = await open(at, constants.O_RDONLY | constants.O_NONBLOCK | O_NOFOLLOW);
      try {
        const stats = await handle.stat();
        if (stats.isDirectory()) throw new EngineError('is-directory', `'${full}' is a folder`);
        if (!stats.isFile()) throw new EngineError('not-a-file', `'${full}' is not a regular file`);
        const entry = await describe(at, full);
        const start = Math.min(options.start ?? 0, stats.size);
        const end = Math.max(start, Math.min(options.end ?? stats.size, stats.size));
        if (end === start) {
          await handle.close();
          return { entry, length: 0, stream: Readable.from([]) };
        }
        const range = { start, end: end - 1, highWaterMark: CHUNK };
        return { entry, length: end - start, stream: handle.createReadStream(range) };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  /** Writes a file as a whole; folders on the way are made. It belongs to the user. */
  async write(path: string, content: Content, options: WriteOptions = {}): Promise<Entry> {
    const { full, user } = await this.#target(path, options);
    const describe = await this.#describer();
    return this.#at(full, { follow: true, make: user }, async ({ at }) => {
      const isNew = !(await isThere(at));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
      const handle = await open(at, flags | constants.O_NONBLOCK | O_NOFOLLOW, 0o644);
      try {
        const stats = await handle.stat();
        if (!stats.isFile()) throw new EngineError('not-a-file', `'${full}' is not a regular file`);
        await handle.chown(user.uid, user.gid);
        // Said outright, since the server's umask is nobody's business here.
        const mode = options.mode ?? (isNew ? 0o644 : undefined);
        if (mode !== undefined) await handle.chmod(mode);
        const source = typeof content === 'string' || content instanceof Uint8Array;
        const sink = handle.createWriteStream({ highWaterMark: CHUNK });
        await pipeline(source ? Readable.from([content]) : Readable.from(content), sink);
      } catch (error) {
        await handle.close().catch(() => undefined);
        throw error;
      }
      return describe(at, full);
    });
  }

  /** Makes a folder and those above it; false when it was there. */
  async mkdir(path: string, options: WriteOptions = {}): Promise<boolean> {
    const { full, user } = await this.#target(path, options);
    return this.#at(full, { follow: true, make: user }, async ({ at }) => {
      try {
        await mkdir(at, 0o755);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if ((await lstat(at)).isDirectory()) return false;
        throw error;
      }
      await lchown(at, user.uid, user.gid);
      await chmod(at, options.mode ?? 0o755);
      return true;
    });
  }

  /** Renames; what is at the destination is replaced unless `overwrite` is false. */
  async move(
    from: string,
    to: string,
    options: PathOptions & { overwrite?: boolean; parents?: boolean } = {},
  ): Promise<Entry> {
    const source = await this.#target(from, options);
    const { full, user } = await this.#target(to, options);
    const describe = await this.#describer();
    const make = options.parents === true ? { make: user } : {};
    return this.#at(source.full, { follow: false }, async (old) => {
      await lstat(old.at);
      return this.#at(full, { follow: false, ...make }, async ({ at }) => {
        if (options.overwrite === false && (await isThere(at))) {
          throw new EngineError('exists', `'${full}' already exists`);
        }
        await (this.#accounts.haveOneOwner ? moveOwn : rename)(old.at, at);
        return describe(at, full);
      });
    });
  }

  /** A folder that is not empty goes only with `recursive`. A link goes itself. */
  async remove(path: string, options: PathOptions & { recursive?: boolean } = {}): Promise<void> {
    const { full } = await this.#target(path, options);
    await this.#at(full, { follow: false }, async ({ at, path: found }) => {
      if (found === '/') throw new EngineError('denied', 'the root cannot be removed');
      await removeTree(at, options.recursive ?? false);
    });
  }

  async chmod(path: string, mode: number, options: PathOptions = {}): Promise<void> {
    const { full } = await this.#target(path, options);
    await this.#at(full, { follow: true }, ({ at }) => chmod(at, mode & 0o7777));
  }

  /** Names or numbers; what is left out stays. Without effect where there is but one owner. */
  async chown(
    path: string,
    owner: { user?: string | number; group?: string | number },
    options: PathOptions = {},
  ): Promise<void> {
    const { full } = await this.#target(path, options);
    const uid = owner.user === undefined ? undefined : await this.#uid(owner.user);
    const gid = owner.group === undefined ? undefined : await this.#gid(owner.group);
    await this.#at(full, { follow: true }, async ({ at }) => {
      const now = await lstat(at);
      try {
        await lchown(at, uid ?? now.uid, gid ?? now.gid);
      } catch (error) {
        const isRefused = (error as NodeJS.ErrnoException).code === 'EPERM';
        if (!isRefused || !this.#accounts.haveOneOwner) throw error;
      }
    });
  }

  /**
   * Changes in a folder, from now until `signal` or the loop over them ends. Resolves when it is
   * watching.
   */
  async watch(
    path: string,
    options: PathOptions & { recursive?: boolean; signal?: AbortSignal } = {},
  ): Promise<AsyncGenerator<WatchEvent, void, undefined>> {
    const { full } = await this.#target(path, options);
    return this.#at(full, { follow: true }, async ({ at }) =>
      watchFolder(at, options.recursive ?? false, options.signal),
    );
  }

  async #target(path: string, options: PathOptions): Promise<{ full: string; user: User }> {
    const user = await this.#user(options);
    if (path === '') throw new EngineError('invalid', 'the path is empty');
    return { full: absolute(path, user, options.cwd), user };
  }

  #user({ user }: PathOptions): Promise<User> {
    return this.#accounts.user(user ?? this.#defaultUser);
  }

  #at<T>(
    path: string,
    options: Parameters<typeof locate>[2],
    use: (place: Place) => Promise<T>,
  ): Promise<T> {
    return locate(this.#root(), path, options, use);
  }

  async #uid(user: string | number): Promise<number> {
    const id = Number(user);
    return Number.isInteger(id) ? id : (await this.#accounts.user(`${user}`)).uid;
  }

  async #gid(group: string | number): Promise<number> {
    const id = Number(group);
    if (Number.isInteger(id)) return id;
    for (const [gid, name] of await this.#accounts.groups()) if (name === group) return gid;
    // Where several accounts share a group, it is told by the name of the first only.
    const account = (await this.#accounts.users()).find(({ name }) => name === group);
    if (account !== undefined) return account.gid;
    throw new EngineError('unknown-user', `group '${group}' does not exist in the sandbox`);
  }

  /** Reads the accounts once for as many entries as wanted. */
  async #describer(): Promise<(at: string, path: string) => Promise<Entry>> {
    // Of several accounts with one number the first counts.
    const accounts = [...(await this.#accounts.users())].reverse();
    // What of the host belongs to its root does so in every mode.
    const users = new Map([[0, 'root'], ...accounts.map(({ uid, name }) => [uid, name] as const)]);
    const groups = new Map([[0, 'root'], ...(await this.#accounts.groups())]);
    return async (at, path) => {
      const stats = await lstat(at);
      const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
      return {
        name: posix.basename(clean),
        path: clean,
        type: typeOf(stats),
        size: stats.size,
        mode: stats.mode & 0o7777,
        uid: stats.uid,
        gid: stats.gid,
        owner: users.get(stats.uid) ?? `${stats.uid}`,
        group: groups.get(stats.gid) ?? `${stats.gid}`,
        mtimeMs: stats.mtimeMs,
        ...(stats.isSymbolicLink() ? { symlinkTarget: await readlink(at) } : {}),
      };
    };
  }
}

export interface WriteOptions extends PathOptions {
  mode?: number;
}

const O_NOFOLLOW = constants.O_NOFOLLOW;

function typeOf(stats: Stats | BigIntStats): EntryType {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

async function isThere(at: string): Promise<boolean> {
  return lstat(at).then(
    () => true,
    () => false,
  );
}

/** An entry that went away while a folder was read hides nothing. */
function gone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

function isOneOf(error: unknown, ...codes: string[]): boolean {
  return error instanceof EngineError && codes.includes(error.code);
}
