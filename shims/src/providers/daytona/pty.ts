import type { PtyHandle as NativeHandle } from '@daytonaio/sdk';
import { randomId } from '../../provider/crypto.ts';
import { unsupported } from '../../provider/errors.ts';
import type {
  PtyConnectOptions,
  PtyHandle,
  PtyOptions,
  PtySize,
  SandboxPty,
} from '../../provider/pty.ts';
import { abortable } from '../../provider/signals.ts';
import type { Use } from './files.ts';

export class DaytonaPty implements SandboxPty {
  readonly #provider: string;
  readonly #use: Use;
  readonly #home: () => Promise<string>;

  constructor(provider: string, use: Use, home: () => Promise<string>) {
    this.#provider = provider;
    this.#use = use;
    this.#home = home;
  }

  async create(options: PtyOptions): Promise<PtyHandle> {
    const { cols = 80, rows = 24, cwd, env, user, onData, signal } = options;
    if (user !== undefined) {
      const instead = 'Run sudo in it.';
      throw unsupported(this.#provider, 'terminals of another user', instead);
    }
    const folder = cwd ?? (await this.#home());
    const handle = await this.#use(signal, async (native) => {
      const made = await native.process.createPty({
        id: `cubeshift-${randomId()}`,
        cols,
        rows,
        cwd: folder,
        ...(env === undefined ? {} : { envs: { ...env } }),
        onData,
      });
      await made.waitForConnection();
      return made;
    });
    return new Handle(this.#use, handle);
  }

  async connect(id: string, { onData, signal }: PtyConnectOptions): Promise<PtyHandle> {
    const handle = await this.#use(signal, async (native) => {
      const made = await native.process.connectPty(id, { onData });
      await made.waitForConnection();
      return made;
    });
    return new Handle(this.#use, handle);
  }
}

class Handle implements PtyHandle {
  readonly #use: Use;
  readonly #native: NativeHandle;
  #isKilled = false;

  constructor(use: Use, native: NativeHandle) {
    this.#use = use;
    this.#native = native;
  }

  get id(): string {
    return this.#native.sessionId;
  }

  get exitCode(): number | undefined {
    return this.#native.exitCode;
  }

  wait({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<{ exitCode: number }> {
    return this.#use(signal, async () => {
      const { exitCode } = await abortable(this.#native.wait(), signal);
      return { exitCode: exitCode ?? 137 };
    });
  }

  sendInput(data: string | Uint8Array): Promise<void> {
    return this.#use(undefined, () => this.#native.sendInput(data));
  }

  async resize({ cols, rows }: PtySize): Promise<void> {
    await this.#use(undefined, () => this.#native.resize(cols, rows));
  }

  async kill(): Promise<boolean> {
    if (this.#isKilled || this.exitCode !== undefined) return false;
    this.#isKilled = true;
    await this.#use(undefined, () => this.#native.kill());
    return true;
  }

  async disconnect(): Promise<void> {
    await this.#native.disconnect();
  }
}
