import type { CommandHandle, Sandbox as Native } from 'e2b';
import { SandboxError } from '../../provider/errors.ts';
import type { PtyConnectOptions, PtyHandle, PtyOptions, SandboxPty } from '../../provider/pty.ts';
import { exitCodeOf } from './process.ts';
import type { E2BSdk } from './sdk.ts';

/** Makes a call to the sandbox; see `E2BSandbox`. */
export type Use = <T>(
  signal: AbortSignal | undefined,
  call: (native: Native, sdk: E2BSdk) => Promise<T>,
) => Promise<T>;

const DEFAULT_SIZE = { cols: 80, rows: 24 };

export class E2BPty implements SandboxPty {
  readonly #use: Use;
  readonly #user: () => string | undefined;

  constructor(use: Use, user: () => string | undefined) {
    this.#use = use;
    this.#user = user;
  }

  create(options: PtyOptions): Promise<PtyHandle> {
    const { cols, rows, cwd, env, user = this.#user(), onData, signal } = options;
    return this.#use(signal, async (native, sdk) => {
      const running = await native.pty.create({
        cols: cols ?? DEFAULT_SIZE.cols,
        rows: rows ?? DEFAULT_SIZE.rows,
        onData,
        // Unlimited, where the SDK has 60 seconds.
        timeoutMs: 0,
        ...(cwd === undefined ? {} : { cwd }),
        ...(env === undefined ? {} : { envs: { ...env } }),
        ...(user === undefined ? {} : { user }),
      });
      return new Handle(this.#use, sdk, running);
    });
  }

  connect(id: string, { onData, signal }: PtyConnectOptions): Promise<PtyHandle> {
    const pid = Number(id);
    if (!Number.isInteger(pid)) {
      const told = `"${id}" is not the id of a terminal: they are numbers here`;
      return Promise.reject(new SandboxError('invalid_argument', told));
    }
    return this.#use(signal, async (native, sdk) => {
      const running = await native.pty.connect(pid, { onData, timeoutMs: 0 });
      return new Handle(this.#use, sdk, running);
    });
  }
}

class Handle implements PtyHandle {
  readonly id: string;
  readonly #use: Use;
  readonly #running: CommandHandle;
  readonly #end: Promise<{ exitCode: number }>;
  #exitCode: number | undefined;

  constructor(use: Use, sdk: E2BSdk, running: CommandHandle) {
    this.id = `${running.pid}`;
    this.#use = use;
    this.#running = running;
    this.#end = exitCodeOf(sdk, running).then((exitCode) => {
      this.#exitCode = exitCode;
      return { exitCode };
    });
    this.#end.catch(() => undefined);
  }

  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  wait({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<{ exitCode: number }> {
    return this.#use(signal, () => this.#end);
  }

  sendInput(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    return this.#use(undefined, (native) => native.pty.sendInput(this.#running.pid, bytes));
  }

  resize(size: { cols: number; rows: number }): Promise<void> {
    return this.#use(undefined, (native) => native.pty.resize(this.#running.pid, size));
  }

  async kill(): Promise<boolean> {
    if (this.#exitCode !== undefined) return false;
    return this.#use(undefined, (native) => native.pty.kill(this.#running.pid));
  }

  disconnect(): Promise<void> {
    return this.#running.disconnect();
  }
}
