import { posix } from 'node:path';
import { checkDepth } from '../provider/check.ts';
import { randomId } from '../provider/crypto.ts';
import { SandboxError, type SandboxErrorCode, unsupported } from '../provider/errors.ts';
import {
  type FileEntry,
  type FileEvent,
  type FileInfo,
  type FileOptions,
  type ListOptions,
  type MakeDirOptions,
  type MoveOptions,
  type RemoveOptions,
  SandboxFiles,
  type Watcher,
  type WatchOptions,
} from '../provider/files.ts';
import type { ExecResult } from '../provider/process.ts';
import { decode } from './base64.ts';
import { C_LOCALE, fileError, type Shell } from './command.ts';
import { parseStats, statFormat, withoutTrailingSlash } from './listing.ts';
import { quote, quotePath } from './quote.ts';
import { readStream, writeByArguments, writeByInput } from './transfer.ts';

export interface ShellFilesOptions {
  /**
   * Whether commands can read their standard input. Contents take that way if they can, otherwise as
   * arguments of many commands, which is slow for large ones. Defaults to `true`.
   */
  stdin?: boolean;
}

/**
 * Files of a sandbox through commands alone, for backends that have no calls for files. It needs
 * `sh`, `cat`, `base64`, `mkdir`, `chmod`, `mv`, `rm`, `find` and `stat` in the sandbox, those of GNU
 * coreutils and findutils or of busybox. Watching is not possible.
 */
export class ShellFiles extends SandboxFiles {
  readonly #shell: Shell;
  readonly #hasStdin: boolean;

  constructor(shell: Shell, { stdin = true }: ShellFilesOptions = {}) {
    super();
    this.#shell = shell;
    this.#hasStdin = stdin;
  }

  async list(path: string, { depth = 1, ...options }: ListOptions = {}): Promise<FileInfo[]> {
    checkDepth(depth);
    const mark = randomId();
    // The slash makes find look into a link to a folder, and refuse what is no folder.
    const from = quotePath(`${withoutTrailingSlash(checked(path))}/`);
    const stat = `-exec stat -c ${quote(statFormat(mark))} {} +`;
    const find = `find ${from} -mindepth 1 -maxdepth ${depth} ${stat}`;
    const result = await this.#try(find, options);
    if (result.exitCode !== 0 && !hasOnlyLostSome(result)) {
      throw this.#error(`List ${path}`, result, { 'Not a directory': 'invalid_argument' });
    }
    return parseStats(result.stdout, mark);
  }

  async stat(path: string, options: FileOptions = {}): Promise<FileInfo> {
    const mark = randomId();
    const command = `stat -c ${quote(statFormat(mark))} ${quotePath(checked(path))}`;
    const { stdout } = await this.#run(command, `Look at ${path}`, options);
    const [file] = parseStats(stdout, mark);
    if (file !== undefined) return file;
    throw new SandboxError('unavailable', `Look at ${path}: stat said nothing that can be read`);
  }

  async makeDir(path: string, { mode, ...options }: MakeDirOptions = {}): Promise<void> {
    const word = quotePath(checked(path));
    const chmod = mode === undefined ? '' : ` && chmod ${mode.toString(8)} ${word}`;
    await this.#run(`mkdir -p ${word}${chmod}`, `Make the folder ${path}`, options, {
      'Not a directory': 'conflict',
    });
  }

  async move(
    from: string,
    to: string,
    { overwrite = false, ...options }: MoveOptions = {},
  ): Promise<void> {
    const target = quotePath(withoutTrailingSlash(checked(to)));
    // Into a folder that is there is not what was asked for.
    const taken = overwrite ? `[ -d ${target} ]` : `[ -e ${target} ] || [ -L ${target} ]`;
    const refuse = `{ echo 'mv: File exists' >&2; false; }`;
    const source = quotePath(withoutTrailingSlash(checked(from)));
    const move = `mv -f ${source} ${target}`;
    await this.#run(
      `if ${taken}; then ${refuse}; else ${move}; fi`,
      `Move ${from} to ${to}`,
      options,
    );
  }

  async remove(path: string, { recursive = false, ...options }: RemoveOptions = {}): Promise<void> {
    const word = quotePath(withoutTrailingSlash(checked(path)));
    const refuse = `{ echo 'rm: Is a directory' >&2; false; }`;
    const command = recursive
      ? `rm -rf ${word}`
      : `if [ -d ${word} ] && ! [ -L ${word} ]; then ${refuse}; else rm -f ${word}; fi`;
    await this.#run(command, `Remove ${path}`, options);
  }

  watch(
    _path: string,
    _onEvent: (event: FileEvent) => void,
    _options?: WatchOptions,
  ): Promise<Watcher> {
    const instead = 'List the folder again and compare.';
    const { provider, id } = this.#shell;
    return Promise.reject(unsupported(provider, 'watching files', instead, id));
  }

  protected async readBytes(path: string, options: FileOptions): Promise<Uint8Array> {
    const command = `base64 ${quotePath(checked(path))}`;
    const { stdout } = await this.#run(command, `Read ${path}`, options);
    return decode(stdout);
  }

  protected async readStream(
    path: string,
    options: FileOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return readStream(this.#shell, quotePath(checked(path)), options, (result) =>
      this.#error(`Read ${path}`, result),
    );
  }

  protected async writeFiles(entries: readonly FileEntry[], options: FileOptions): Promise<void> {
    for (const { path } of entries) checked(path);
    const write = this.#hasStdin ? writeByInput : writeByArguments;
    for (const { path, data } of entries) {
      const words = { path: quotePath(path), parent: quotePath(posix.dirname(path)) };
      const result = await write(this.#shell, { ...words, data }, options);
      if (result.exitCode !== 0) {
        throw this.#error(`Write ${path}`, result, { 'Not a directory': 'conflict' });
      }
    }
  }

  #try(command: string, options: FileOptions): Promise<ExecResult> {
    return this.#shell.exec(command, { ...options, env: C_LOCALE });
  }

  async #run(
    command: string,
    what: string,
    options: FileOptions,
    codes?: Readonly<Record<string, SandboxErrorCode>>,
  ): Promise<ExecResult> {
    const result = await this.#try(command, options);
    if (result.exitCode !== 0) throw this.#error(what, result, codes);
    return result;
  }

  #error(
    what: string,
    result: ExecResult,
    codes?: Readonly<Record<string, SandboxErrorCode>>,
  ): SandboxError {
    return fileError(this.#shell, what, result, codes);
  }
}

/** @throws {SandboxError} `invalid_argument` for what cannot be a path */
function checked(path: string): string {
  if (path !== '' && !path.includes('\0')) return path;
  const told = path === '' ? 'The path is empty' : 'The path contains a NUL character';
  throw new SandboxError('invalid_argument', told);
}

/** Whether all that went wrong is that files below went away meanwhile. */
function hasOnlyLostSome({ stdout, stderr }: ExecResult): boolean {
  const lines = stderr.trim().split('\n');
  return stdout !== '' && lines.every((line) => line.endsWith(': No such file or directory'));
}
