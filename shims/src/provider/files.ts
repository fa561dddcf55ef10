import type { CallOptions } from './create.ts';
import { isSandboxError } from './errors.ts';

/** Content to write. A stream is sent on as it comes, so it need not fit into memory. */
export type FileData = string | Uint8Array | ReadableStream<Uint8Array>;

/** A file to write. Folders above it are created, and what is there is replaced. */
export interface FileEntry {
  path: string;
  data: FileData;
}

export type FileType = 'file' | 'dir' | 'symlink' | 'other';

/** What is known of a file. */
export interface FileInfo {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly type: FileType;
  /** In bytes. */
  readonly size: number;
  /** Permission bits: `0o644`. */
  readonly mode: number;
  readonly modifiedAt: Date;
  readonly owner?: string;
  readonly group?: string;
}

/** Options of every file call. */
export interface FileOptions extends CallOptions {
  /** Another account than that of the sandbox. */
  user?: string | undefined;
}

export interface ReadOptions extends FileOptions {
  /** Defaults to `bytes`. */
  as?: 'bytes' | 'text' | 'stream' | undefined;
}

export interface ListOptions extends FileOptions {
  /** How many levels down; 1, the default, lists the folder itself. */
  depth?: number | undefined;
}

export interface MakeDirOptions extends FileOptions {
  /** Permission bits of the last folder: `0o755`. */
  mode?: number | undefined;
}

export interface RemoveOptions extends FileOptions {
  /** Removes a folder with all that is in it, which is refused otherwise. */
  recursive?: boolean | undefined;
}

export interface MoveOptions extends FileOptions {
  /** Replaces a file at the destination, which is refused otherwise. */
  overwrite?: boolean | undefined;
}

/** Something that happened below a watched folder. */
export interface FileEvent {
  readonly type: 'create' | 'write' | 'remove' | 'rename' | 'chmod';
  /** Absolute. */
  readonly path: string;
}

export interface WatchOptions extends FileOptions {
  /** Also what happens in folders below. */
  recursive?: boolean | undefined;
  /** Called once if watching ends without `stop()`, with the reason. */
  onEnd?: ((error: unknown) => void) | undefined;
}

/** A folder that is being watched. */
export interface Watcher {
  stop(): Promise<void>;
}

/**
 * Files of a sandbox. Relative paths start at the home folder of the user. What does not exist is the
 * error `not_found`, but for {@link exists} and {@link remove}, whose purpose it fits.
 */
export abstract class SandboxFiles {
  /** @throws {SandboxError} `not_found`; `invalid_argument` for a folder */
  read(path: string, options?: ReadOptions & { as?: 'bytes' | undefined }): Promise<Uint8Array>;
  read(path: string, options: ReadOptions & { as: 'text' }): Promise<string>;
  read(path: string, options: ReadOptions & { as: 'stream' }): Promise<ReadableStream<Uint8Array>>;
  async read(
    path: string,
    { as = 'bytes', ...options }: ReadOptions = {},
  ): Promise<Uint8Array | string | ReadableStream<Uint8Array>> {
    if (as === 'stream') return this.readStream(path, options);
    const bytes = await this.readBytes(path, options);
    return as === 'text' ? new TextDecoder().decode(bytes) : bytes;
  }

  /** Creates or replaces one file, or several, which are not written as one: some may be there after an error. */
  write(path: string, data: FileData, options?: FileOptions): Promise<void>;
  write(entries: readonly FileEntry[], options?: FileOptions): Promise<void>;
  async write(
    target: string | readonly FileEntry[],
    dataOrOptions?: FileData | FileOptions,
    options?: FileOptions,
  ): Promise<void> {
    if (typeof target === 'string') {
      await this.writeFiles([{ path: target, data: dataOrOptions as FileData }], options ?? {});
    } else if (target.length > 0) {
      await this.writeFiles(target, (dataOrOptions as FileOptions | undefined) ?? {});
    }
  }

  /** What is in a folder, sorted by path. */
  abstract list(path: string, options?: ListOptions): Promise<FileInfo[]>;

  /** @throws {SandboxError} `not_found` */
  abstract stat(path: string, options?: FileOptions): Promise<FileInfo>;

  /** Whether there is something. Throws when that cannot be told. */
  async exists(path: string, options: FileOptions = {}): Promise<boolean> {
    try {
      await this.stat(path, options);
      return true;
    } catch (error) {
      if (isSandboxError(error, 'not_found')) return false;
      throw error;
    }
  }

  /** Creates a folder and those above it; one that exists is left as it is, but for its mode. */
  abstract makeDir(path: string, options?: MakeDirOptions): Promise<void>;

  /**
   * The folder of the destination has to exist.
   *
   * @throws {SandboxError} `not_found`; `conflict` when something is at `to`
   */
  abstract move(from: string, to: string, options?: MoveOptions): Promise<void>;

  /**
   * Removes a file, or a folder when `recursive`; what is gone already is fine.
   *
   * @throws {SandboxError} `invalid_argument` for a folder without `recursive`
   */
  abstract remove(path: string, options?: RemoveOptions): Promise<void>;

  /** Calls `onEvent` for what happens in a folder until the watcher is stopped. */
  abstract watch(
    path: string,
    onEvent: (event: FileEvent) => void,
    options?: WatchOptions,
  ): Promise<Watcher>;

  protected abstract readBytes(path: string, options: FileOptions): Promise<Uint8Array>;
  protected abstract readStream(
    path: string,
    options: FileOptions,
  ): Promise<ReadableStream<Uint8Array>>;
  protected abstract writeFiles(entries: readonly FileEntry[], options: FileOptions): Promise<void>;
}
