import type { CallOptions } from './create.ts';
import { SandboxError } from './errors.ts';

/** Options of a command. Without `timeoutMs` it may run as long as the sandbox does. */
export interface CommandOptions extends CallOptions {
  /** Defaults to the home folder of the user. */
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  /** Another account than that of the sandbox. */
  user?: string | undefined;
  /** The command is ended after that, with all it has started, and the call throws `timeout`. */
  timeoutMs?: number | undefined;
  onStdout?: ((text: string) => void) | undefined;
  onStderr?: ((text: string) => void) | undefined;
}

/** Options of a command whose end is waited for. */
export interface ExecOptions extends CommandOptions {
  /** What it reads from its standard input; without it there is nothing to read. */
  stdin?: string | undefined;
}

/** Options of a command that goes on while the program does. */
export interface SpawnOptions extends CommandOptions {
  /** Opens its standard input, for `sendInput`. */
  stdin?: boolean | undefined;
  /** Keeps the output for `wait()`. Defaults to `true`; give `false` for what prints for days. */
  capture?: boolean | undefined;
}

/** How a command ended, and what it said. */
export interface ExecResult {
  /** Not zero for one that failed, which is not an error. A command that a signal ended has 128 and more. */
  readonly exitCode: number;
  readonly stdout: string;
  /** Empty when `streamsMerged`. */
  readonly stderr: string;
  /** Both, in the order in which they arrived. */
  readonly output: string;
  /** Whether the backend gave both streams as one, which then is `stdout`. */
  readonly streamsMerged: boolean;
}

/** A piece of output. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** What a backend does for a running command. */
export interface ProcessControl {
  /** Number or name of the process for the backend. */
  readonly id: string;
  readonly streamsMerged: boolean;
  /** Ends it and all that it started; `false` when it had ended. */
  kill(): Promise<boolean>;
  sendInput(data: string | Uint8Array): Promise<void>;
  closeInput(): Promise<void>;
  /** Stops listening; the command goes on. */
  disconnect(): Promise<void>;
}

type Outcome = { exitCode: number } | { error: unknown };

/**
 * A command that runs. What it prints is handed out by `onStdout` and `onStderr`, by iterating over
 * it, and at the end by {@link wait}.
 *
 * @example
 * const server = await sandbox.spawn('npm run dev');
 * for await (const { text } of server) if (text.includes('ready')) break;
 */
export class ProcessHandle implements AsyncIterable<OutputChunk> {
  readonly #control: ProcessControl;
  readonly #options: SpawnOptions;
  readonly #chunks: OutputChunk[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #uncaptured = new Set<(chunk: OutputChunk) => void>();
  #outcome: Outcome | undefined;
  #reason: { error: unknown } | undefined;
  /** Settles once it has ended, well or not, or is lost. */
  readonly ended: Promise<void>;
  #settle: () => void = () => undefined;

  /** For backends, which tell it what happens by {@link push} and {@link end}. */
  constructor(control: ProcessControl, options: SpawnOptions = {}) {
    this.#control = control;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Number or name of the process for the backend; it means nothing after the end. */
  get id(): string {
    return this.#control.id;
  }

  /** `undefined` while it runs. */
  get exitCode(): number | undefined {
    const outcome = this.#outcome;
    return outcome !== undefined && 'exitCode' in outcome ? outcome.exitCode : undefined;
  }

  /**
   * Waits for its end.
   *
   * @throws {SandboxError} `timeout` when its time was over; `unavailable` when it was lost from sight
   */
  async wait({ signal }: CallOptions = {}): Promise<ExecResult> {
    while (this.#outcome === undefined) await this.#change(signal);
    if ('error' in this.#outcome) throw this.#outcome.error;
    const text = (wanted?: OutputChunk['stream']): string =>
      this.#chunks
        .filter(({ stream }) => wanted === undefined || stream === wanted)
        .map((chunk) => chunk.text)
        .join('');
    return {
      exitCode: this.#outcome.exitCode,
      stdout: text('stdout'),
      stderr: text('stderr'),
      output: text(),
      streamsMerged: this.#control.streamsMerged,
    };
  }

  /** Ends it and all that it started; `false` when it had ended already. */
  async kill(): Promise<boolean> {
    if (this.#outcome !== undefined) return false;
    return this.#control.kill();
  }

  /** @throws {SandboxError} `invalid_argument` when it was not started with `stdin: true` */
  async sendInput(data: string | Uint8Array): Promise<void> {
    this.#needsInput();
    await this.#control.sendInput(data);
  }

  /** Ends its standard input. */
  async closeInput(): Promise<void> {
    this.#needsInput();
    await this.#control.closeInput();
  }

  /** Lets it run on, unheard: `wait()` never answers after that. */
  disconnect(): Promise<void> {
    return this.#control.disconnect();
  }

  /** All output from the start on, when it is kept, otherwise from now on. Ends with the command. */
  async *[Symbol.asyncIterator](): AsyncIterator<OutputChunk> {
    const kept = this.#options.capture !== false;
    const own: OutputChunk[] = [];
    const source = kept ? this.#chunks : own;
    const listen = kept ? undefined : (chunk: OutputChunk) => own.push(chunk);
    if (listen !== undefined) this.#uncaptured.add(listen);
    try {
      for (let next = 0; ; ) {
        const chunk = source[next];
        if (chunk !== undefined) {
          if (kept) next += 1;
          else own.shift();
          yield chunk;
        } else if (this.#outcome !== undefined) {
          if ('error' in this.#outcome) throw this.#outcome.error;
          return;
        } else {
          await this.#change();
        }
      }
    } finally {
      if (listen !== undefined) this.#uncaptured.delete(listen);
    }
  }

  /** For backends: it has printed something. */
  push(stream: OutputChunk['stream'], text: string): void {
    if (text === '' || this.#outcome !== undefined) return;
    const chunk = { stream, text };
    if (this.#options.capture !== false) this.#chunks.push(chunk);
    for (const listen of this.#uncaptured) listen(chunk);
    if (stream === 'stdout') this.#options.onStdout?.(text);
    else this.#options.onStderr?.(text);
    this.#changed();
  }

  /** For backends: whatever ends it from now on, the error of it is this one. */
  doom(error: unknown): void {
    this.#reason ??= { error };
  }

  /** For backends: it has ended, or was lost. Only the first call counts. */
  end(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = this.#reason ?? outcome;
    this.#settle();
    this.#changed();
  }

  #needsInput(): void {
    if (this.#options.stdin === true) return;
    const message = 'The input of this command is closed: start it with { stdin: true }';
    throw new SandboxError('invalid_argument', message);
  }

  #changed(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  #change(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const done = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#listeners.delete(done);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#listeners.add(done);
    });
  }
}
