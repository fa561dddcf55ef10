import type { EntryInfo, Sandbox as Native } from 'e2b';
import { SandboxError } from '../../provider/errors.ts';
import {
  type FileData,
  type FileEntry,
  type FileEvent,
  type FileInfo,
  type FileOptions,
  type FileType,
  type ListOptions,
  type MakeDirOptions,
  type MoveOptions,
  type RemoveOptions,
  SandboxFiles,
  type Watcher,
  type WatchOptions,
} from '../../provider/files.ts';
import { quote } from '../../shell/quote.ts';
import type { Use } from './pty.ts';

/** Files by envd's own service. */
export class E2BFiles extends SandboxFiles {
  protected readonly use: Use;
  readonly #defaultUser: () => string | undefined;

  constructor(use: Use, defaultUser: () => string | undefined) {
    super();
    this.use = use;
    this.#defaultUser = defaultUser;
  }

  async list(path: string, { depth = 1, ...options }: ListOptions = {}): Promise<FileInfo[]> {
    const entries = await this.use(options.signal, (native) =>
      native.files.list(path, { depth, ...this.native(options) }),
    );
    return entries.map(infoOf).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async stat(path: string, options: FileOptions = {}): Promise<FileInfo> {
    const call = (native: Native) => native.files.getInfo(path, this.native(options));
    return infoOf(await this.use(options.signal, call));
  }

  override exists(path: string, options: FileOptions = {}): Promise<boolean> {
    return this.use(options.signal, (native) => native.files.exists(path, this.native(options)));
  }

  async makeDir(path: string, { mode, ...options }: MakeDirOptions = {}): Promise<void> {
    await this.use(options.signal, async (native) => {
      await native.files.makeDir(path, this.native(options));
      if (mode === undefined) return;
      const { user } = this.native(options);
      await native.commands.run(`chmod ${mode.toString(8)} -- ${quote(path)}`, {
        ...(user === undefined ? {} : { user }),
      });
    });
  }

  async move(
    from: string,
    to: string,
    { overwrite = false, ...options }: MoveOptions = {},
  ): Promise<void> {
    await this.use(options.signal, async (native) => {
      if (!overwrite && (await native.files.exists(to, this.native(options)))) {
        throw new SandboxError('conflict', `${to} exists: move with { overwrite: true }`, {
          retryable: false,
        });
      }
      await native.files.rename(from, to, this.native(options));
    });
  }

  async remove(path: string, { recursive = false, ...options }: RemoveOptions = {}): Promise<void> {
    await this.use(options.signal, async (native, sdk) => {
      const ifThere = async <T>(call: Promise<T>): Promise<T | undefined> =>
        call.catch((error: unknown) => {
          if (error instanceof sdk.NotFoundError) return undefined;
          throw error;
        });
      // The backend removes folders with all that is in them, asked or not.
      if (!recursive) {
        const entry = await ifThere(native.files.getInfo(path, this.native(options)));
        if (entry?.type === 'dir') {
          const told = `${path} is a folder: remove it with { recursive: true }`;
          throw new SandboxError('invalid_argument', told);
        }
      }
      await ifThere(native.files.remove(path, this.native(options)));
    });
  }

  async watch(
    path: string,
    onEvent: (event: FileEvent) => void,
    { recursive = false, onEnd, ...options }: WatchOptions = {},
  ): Promise<Watcher> {
    const base = path.replace(/\/+$/, '');
    return this.use(options.signal, async (native) => {
      let isStopped = false;
      const { path: root } = await native.files.getInfo(path, this.native(options));
      const handle = await native.files.watchDir(
        path,
        ({ type, name }) => onEvent({ type, path: `${root ?? base}/${name}` }),
        {
          recursive,
          // Until it is stopped, where the SDK has 60 seconds.
          timeoutMs: 0,
          onExit: (error) => {
            if (!isStopped) onEnd?.(error);
          },
          ...this.native(options),
        },
      );
      return {
        stop: async () => {
          isStopped = true;
          await handle.stop();
        },
      };
    });
  }

  protected readBytes(path: string, options: FileOptions): Promise<Uint8Array> {
    return this.use(options.signal, (native) =>
      native.files.read(path, { format: 'bytes', ...UNLIMITED, ...this.native(options) }),
    );
  }

  protected readStream(path: string, options: FileOptions): Promise<ReadableStream<Uint8Array>> {
    return this.use(options.signal, (native) =>
      native.files.read(path, { format: 'stream', ...UNLIMITED, ...this.native(options) }),
    );
  }

  protected async writeFiles(entries: readonly FileEntry[], options: FileOptions): Promise<void> {
    await this.use(options.signal, async (native) => {
      const request = { ...UNLIMITED, ...this.native(options) };
      const [only, ...more] = entries;
      if (only !== undefined && more.length === 0) {
        await native.files.write(only.path, nativeData(only.data), request);
      } else {
        const all = entries.map(({ path, data }) => ({ path, data: nativeData(data) }));
        await native.files.writeFiles(all, request);
      }
    });
  }

  /** Options as the SDK takes them. */
  protected native({ user = this.#defaultUser(), signal }: FileOptions): {
    user?: string;
    signal?: AbortSignal;
  } {
    return {
      ...(user === undefined ? {} : { user }),
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

/** Large files take as long as they take. */
const UNLIMITED = { requestTimeoutMs: 0 } as const;

export function nativeData(data: FileData): string | ArrayBuffer | ReadableStream {
  if (!(data instanceof Uint8Array)) return data;
  const { buffer, byteOffset, byteLength } = data;
  const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
  return buffer instanceof ArrayBuffer && isWhole ? buffer : new Uint8Array(data).buffer;
}

function infoOf(entry: EntryInfo): FileInfo {
  const { name, path, size, mode, owner, group, modifiedTime } = entry;
  return {
    name,
    path,
    type: typeOf(entry),
    size,
    mode: mode & 0o7777,
    modifiedAt: modifiedTime ?? new Date(0),
    ...(owner === undefined ? {} : { owner }),
    ...(group === undefined ? {} : { group }),
  };
}

function typeOf({ type, symlinkTarget }: EntryInfo): FileType {
  if (symlinkTarget !== undefined && symlinkTarget !== '') return 'symlink';
  return type === 'file' || type === 'dir' ? type : 'other';
}
