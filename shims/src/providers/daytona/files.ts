import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Sandbox as Native } from '@daytonaio/sdk';
import { checkDepth } from '../../provider/check.ts';
import { isSandboxError, SandboxError, unsupported } from '../../provider/errors.ts';
import {
  type FileData,
  type FileEntry,
  type FileInfo,
  type FileOptions,
  type FileType,
  type ListOptions,
  type MakeDirOptions,
  type MoveOptions,
  type RemoveOptions,
  SandboxFiles,
  type Watcher,
} from '../../provider/files.ts';

/** Makes a call to the sandbox; its errors are those of this package. */
export type Use = <T>(
  signal: AbortSignal | undefined,
  call: (native: Native) => Promise<T>,
) => Promise<T>;

type NativeFile = Awaited<ReturnType<Native['fs']['listFiles']>>[number];

/** No limit, where the SDK has half an hour. */
const UNLIMITED_S = 0;
const NEW_FOLDER = '755';

export class DaytonaFiles extends SandboxFiles {
  readonly #provider: string;
  readonly #use: Use;
  readonly #home: () => Promise<string>;

  /** `home`: the folder that relative paths start at, which is not where the server starts them. */
  constructor(provider: string, use: Use, home: () => Promise<string>) {
    super();
    this.#provider = provider;
    this.#use = use;
    this.#home = home;
  }

  async list(path: string, { depth = 1, ...options }: ListOptions = {}): Promise<FileInfo[]> {
    checkDepth(depth);
    const at = await this.#absolute(path, options);
    const found = await this.#use(options.signal, (native) => listed(native, at, depth));
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async stat(path: string, options: FileOptions = {}): Promise<FileInfo> {
    const at = await this.#absolute(path, options);
    const found = await this.#use(options.signal, (native) => native.fs.getFileDetails(at));
    return infoOf(posix.dirname(at), { ...found, name: posix.basename(at) });
  }

  async makeDir(path: string, { mode, ...options }: MakeDirOptions = {}): Promise<void> {
    const at = await this.#absolute(path, options);
    await this.#use(options.signal, async (native) => {
      await native.fs.createFolder(at, mode?.toString(8) ?? NEW_FOLDER);
      // What exists keeps its mode, and what is new loses what the server's mask takes.
      if (mode !== undefined) await native.fs.setFilePermissions(at, { mode: mode.toString(8) });
    });
  }

  async move(
    from: string,
    to: string,
    { overwrite = false, ...options }: MoveOptions = {},
  ): Promise<void> {
    const [source, target] = [
      await this.#absolute(from, options),
      await this.#absolute(to, options),
    ];
    if (overwrite && (await this.exists(source, options))) await this.remove(target, options);
    try {
      await this.#use(options.signal, (native) => native.fs.moveFiles(source, target));
    } catch (error) {
      if (!isSandboxError(error, 'conflict')) throw error;
      const told = `${target} exists: move with { overwrite: true }`;
      throw new SandboxError('conflict', told, { retryable: false, cause: error });
    }
  }

  async remove(path: string, { recursive = false, ...options }: RemoveOptions = {}): Promise<void> {
    const at = await this.#absolute(path, options);
    try {
      await this.#use(options.signal, (native) => native.fs.deleteFile(at, recursive));
    } catch (error) {
      if (error instanceof SandboxError && error.code === 'not_found') return;
      throw error;
    }
  }

  watch(): Promise<Watcher> {
    const instead = 'Ask again and again: files.list().';
    return Promise.reject(unsupported(this.#provider, 'watching files', instead));
  }

  protected async readBytes(path: string, options: FileOptions): Promise<Uint8Array> {
    const at = await this.#absolute(path, options);
    const buffer = await this.#use(options.signal, (native) =>
      native.fs.downloadFile(at, UNLIMITED_S),
    );
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }

  protected async readStream(
    path: string,
    options: FileOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    const at = await this.#absolute(path, options);
    const source = await this.#use(options.signal, async ({ fs }) => {
      // Since 0.171.
      if (typeof fs.downloadFileStream !== 'function') {
        return Readable.from([await fs.downloadFile(at, UNLIMITED_S)]);
      }
      return fs.downloadFileStream(at, { timeout: UNLIMITED_S });
    });
    return Readable.toWeb(source) as ReadableStream<Uint8Array>;
  }

  protected async writeFiles(entries: readonly FileEntry[], options: FileOptions): Promise<void> {
    const streams = entries.filter(({ data }) => data instanceof ReadableStream);
    for (const { path, data } of streams) {
      await this.#writeStream(path, data as ReadableStream<Uint8Array>, options);
    }
    const uploads = await Promise.all(
      entries
        .filter((entry) => !streams.includes(entry))
        .map(async ({ path, data }) => ({
          source: bufferOf(data as Exclude<FileData, ReadableStream>),
          destination: await this.#absolute(path, options),
        })),
    );
    const [only, ...more] = uploads;
    if (only === undefined) return;
    await this.#use(options.signal, (native) =>
      more.length === 0
        ? native.fs.uploadFile(only.source, only.destination, UNLIMITED_S)
        : native.fs.uploadFiles(uploads, UNLIMITED_S),
    );
  }

  async #writeStream(
    path: string,
    data: ReadableStream<Uint8Array>,
    options: FileOptions,
  ): Promise<void> {
    const at = await this.#absolute(path, options);
    await this.#use(options.signal, async ({ fs }) => {
      const source = Readable.fromWeb(data as Parameters<typeof Readable.fromWeb>[0]);
      // Since 0.175.
      if (typeof fs.uploadFileStream === 'function') {
        await fs.uploadFileStream(source, at, { timeout: UNLIMITED_S });
      } else {
        await fs.uploadFile(Buffer.concat(await source.toArray()), at, UNLIMITED_S);
      }
    });
  }

  /** A path as the server takes it. */
  async absolute(path: string): Promise<string> {
    return this.#absolute(path, {});
  }

  async #absolute(path: string, { user }: FileOptions): Promise<string> {
    if (user !== undefined) {
      const instead = 'Files are those of the user of the sandbox; use exec() with user.';
      throw unsupported(this.#provider, 'file calls as another user', instead);
    }
    if (path === '' || path.includes('\0')) {
      throw new SandboxError('invalid_argument', 'The path is empty, or has a NUL character in it');
    }
    const rest = path === '~' ? '' : path.startsWith('~/') ? path.slice(2) : path;
    const isRelative = rest !== path || !path.startsWith('/');
    return posix.resolve(isRelative ? await this.#home() : '/', rest);
  }
}

/** Older servers and versions list one level only, so that deeper ones are asked for here. */
async function listed(native: Native, at: string, depth: number): Promise<FileInfo[]> {
  const files = (await native.fs.listFiles(at)).map((file) => infoOf(at, file));
  if (depth === 1) return files;
  const below = files
    .filter(({ type }) => type === 'dir')
    .map(({ path }) => listed(native, path, depth - 1));
  return [...files, ...(await Promise.all(below)).flat()];
}

function bufferOf(data: string | Uint8Array): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function infoOf(folder: string, file: NativeFile): FileInfo {
  const { name, size, owner, group, permissions, modifiedAt, modTime } = file;
  return {
    name,
    path: posix.join(folder, name),
    type: typeOf(file),
    size,
    mode: Number.parseInt(permissions, 8) & 0o7777,
    modifiedAt: dateOf(modifiedAt ?? modTime),
    ...(owner === undefined || owner === '' ? {} : { owner }),
    ...(group === undefined || group === '' ? {} : { group }),
  };
}

/** The first letter of a mode as Go writes it: `L` is a link, `d` a folder, `-` a file. */
function typeOf({ isDir, mode }: NativeFile): FileType {
  if (isDir) return 'dir';
  if (/^[Ll]/.test(mode)) return 'symlink';
  return mode.startsWith('-') || mode === '' ? 'file' : 'other';
}

/** Older servers tell times in Go's own form: `2026-01-02 03:04:05.678 +0000 UTC`. */
function dateOf(text: string): Date {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  const [, day, time, zone] = /^(\S+) (\S+) ([+-]\d{4})/.exec(text) ?? [];
  return new Date(day === undefined ? 0 : `${day}T${time?.slice(0, 12)}${zone}`);
}
