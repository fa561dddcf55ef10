import type { Sandbox as Native } from 'e2b';
import { checkPort, checkTime } from '../../provider/check.ts';
import type { RunCodeOptions, RunCodeResult } from '../../provider/code.ts';
import type { CallOptions, WaitOptions } from '../../provider/create.ts';
import { isSandboxError, SandboxError } from '../../provider/errors.ts';
import type { SandboxInfo } from '../../provider/info.ts';
import type { ProcessHandle, SpawnOptions } from '../../provider/process.ts';
import {
  type ForkOptions,
  type PortUrl,
  Sandbox,
  type SnapshotOptions,
} from '../../provider/sandbox.ts';
import type { Snapshot } from '../../provider/services.ts';
import { abortable, anySignal, timeLimit } from '../../provider/signals.ts';
import { ShellGit } from '../../shell/git.ts';
import { runCodeAsFile } from '../../shell/run-code.ts';
import type { ControlPlane } from './control.ts';
import { E2BFiles } from './files.ts';
import { Lease } from './lease.ts';
import type { Marks } from './marks.ts';
import { startProcess } from './process.ts';
import { E2BPty, type Use } from './pty.ts';
import type { E2BSdk } from './sdk.ts';

/** What a sandbox of E2B is known by. */
export interface Known {
  info: SandboxInfo;
  marks: Marks;
  /** The SDK's object, of one that was just created. */
  native?: Native;
  /** Whether the server itself counts idle time. */
  hasOwnWindow?: boolean;
}

/** The SDK guesses that a sandbox is gone from whatever goes wrong at the start of a command. */
function saysGone(error: unknown): boolean {
  return error instanceof Error && error.name === 'SandboxNotFoundError';
}

/** A sandbox on E2B, or on what speaks its protocol. */
export class E2BSandbox extends Sandbox {
  readonly files: E2BFiles;
  readonly git: ShellGit;
  readonly pty: E2BPty;
  protected readonly control: ControlPlane;
  /** What was asked for when it was created. */
  marks: Marks;
  readonly #lease: Lease;
  #native: Native | undefined;
  #connecting: Promise<Native> | undefined;

  constructor(control: ControlPlane, known: Known) {
    const { info, marks, native, hasOwnWindow = false } = known;
    super(control.provider, info);
    this.control = control;
    this.marks = marks;
    this.#native = native;
    const lease = hasOwnWindow ? {} : marks;
    this.#lease = new Lease(lease, native !== undefined, (ms) =>
      control.setTimeout(this.nativeId, ms),
    );
    const use: Use = (signal, call) => this.use(signal, call);
    const user = (): string | undefined => this.marks.user;
    this.files = this.makeFiles(use, user);
    this.pty = new E2BPty(use, user);
    this.git = new ShellGit(this);
  }

  /**
   * The object of the package `e2b`. For a sandbox that was looked up, not created, it is there after
   * the first call to it, or {@link connect}.
   */
  get native(): Native {
    if (this.#native !== undefined) return this.#native;
    const told = `${this.id} was only looked up: call connect() before you use "native"`;
    throw new SandboxError('conflict', told, { retryable: false, sandboxId: this.id });
  }

  /** Makes `native` ready. It does not wake a sandbox that is paused: that is `conflict`. */
  async connect({ signal }: CallOptions = {}): Promise<Native> {
    if (this.#native !== undefined) return this.#native;
    // The backend wakes what it connects to, and what was looked up may sleep by now.
    const { state } = await this.info({ signal });
    if (state === 'paused' || state === 'pausing') throw this.asleep();
    return this.#wake({ signal });
  }

  async runCode(code: string, options: RunCodeOptions = {}): Promise<RunCodeResult> {
    return runCodeAsFile(this, code, options);
  }

  async portUrl(port: number, { signal }: CallOptions = {}): Promise<PortUrl> {
    checkPort(port);
    const native = await this.connect({ signal });
    const { scheme } = this.control;
    const token = native.trafficAccessToken;
    return {
      url: `${scheme}://${native.getHost(port)}`,
      headers: token === undefined ? {} : { 'e2b-traffic-access-token': token },
    };
  }

  async start({ signal, timeoutMs }: WaitOptions = {}): Promise<void> {
    if (timeoutMs !== undefined) checkTime('timeoutMs', timeoutMs);
    const both = anySignal(signal, timeLimit(timeoutMs));
    try {
      await this.#wake({ signal: both });
    } catch (error) {
      signal?.throwIfAborted();
      if (both?.aborted !== true) throw error;
      const told = `${this.id} did not start in ${timeoutMs} ms`;
      throw new SandboxError('timeout', told, { sandboxId: this.id, provider: this.provider });
    }
    this.lastInfo = { ...this.lastInfo, state: 'running' };
  }

  override async stop(options: WaitOptions = {}): Promise<void> {
    await this.control.pause(this.nativeId, { ...options, keepMemory: false });
    this.lastInfo = { ...this.lastInfo, state: 'paused' };
  }

  override async pause(options: WaitOptions = {}): Promise<void> {
    await this.control.pause(this.nativeId, { ...options, keepMemory: true });
    this.lastInfo = { ...this.lastInfo, state: 'paused' };
  }

  /** There is no cold storage: its disk stays, as after `stop`. */
  override async archive(options: WaitOptions = {}): Promise<void> {
    await this.stop(options);
  }

  async delete({ signal }: WaitOptions = {}): Promise<void> {
    await this.control.delete(this.nativeId, signal);
  }

  override snapshot({ name, signal }: SnapshotOptions = {}): Promise<Snapshot> {
    return this.control.snapshot(this.nativeId, name, signal);
  }

  override async fork({ name, signal }: ForkOptions = {}): Promise<Sandbox> {
    if (name !== undefined) return this.cannot('a name for a fork', 'Fork without one.');
    return this.use(signal, (native) => this.control.fork(this, native, signal));
  }

  override async keepAlive(windowMs?: number, { signal }: CallOptions = {}): Promise<void> {
    const ms = windowMs ?? this.marks.idleTimeoutMs;
    if (ms === undefined || ms === null) return;
    checkTime('windowMs', ms);
    await this.control.setTimeout(this.nativeId, ms, signal);
    this.#lease.renewed();
  }

  protected makeFiles(use: Use, user: () => string | undefined): E2BFiles {
    return new E2BFiles(use, user);
  }

  protected async fetchInfo({ signal }: CallOptions): Promise<SandboxInfo> {
    const known = await this.control.lookUp(this.nativeId, signal);
    if (known !== undefined) return known.info;
    throw this.gone();
  }

  protected async startCommand(command: string, options: SpawnOptions): Promise<ProcessHandle> {
    const { signal, user = this.marks.user } = options;
    const explain = (error: unknown): Promise<unknown> => this.explain(error);
    const done = this.#lease.use();
    try {
      const handle = await this.use(signal, (native, sdk) =>
        abortable(
          startProcess(sdk, native, command, { ...options, user }, explain),
          signal,
          (late) => void late.kill().catch(() => undefined),
        ),
      );
      void handle.ended.then(done);
      return handle;
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Makes a call to the sandbox itself, keeps it alive meanwhile, and explains what goes wrong. */
  protected async use<T>(
    signal: AbortSignal | undefined,
    call: (native: Native, sdk: E2BSdk) => Promise<T>,
  ): Promise<T> {
    const native = await this.connect({ signal });
    const done = this.#lease.use();
    try {
      return await abortable(call(native, this.control.sdk), signal);
    } catch (error) {
      throw await this.explain(error, signal);
    } finally {
      done();
    }
  }

  /**
   * The error of a call to the sandbox. Proxies say little of a sandbox that is not there, so that is
   * asked of the control plane.
   */
  protected async explain(error: unknown, signal?: AbortSignal): Promise<unknown> {
    const told = this.control.failure(error, this.id, signal);
    if (!isSandboxError(told)) return told;
    if (!['not_found', 'unavailable', 'timeout', 'unsupported'].includes(told.code)) return told;
    const isForeign = await this.#isForeign(error);
    if (error instanceof this.control.sdk.FileNotFoundError && !isForeign) return told;
    const isLost = isForeign || saysGone(error);
    try {
      const known = await this.control.lookUp(this.nativeId);
      if (known === undefined) return this.gone(told);
      this.lastInfo = known.info;
      if (['paused', 'pausing'].includes(known.info.state)) return this.asleep(told);
      if (isLost) return this.lost(told);
    } catch {
      // Nor is it known to be gone then.
      if (isLost) return this.lost(told);
      // What is wrong there is not what was asked for.
    }
    return told;
  }

  /**
   * Whether something between has answered that it knows no way to the sandbox, which the SDK takes for
   * a file that is missing, or a call that there is not.
   */
  async #isForeign(error: unknown): Promise<boolean> {
    const say = error instanceof Error ? error.message : '';
    if (!(error instanceof this.control.sdk.FileNotFoundError)) {
      return /\[unimplemented\] HTTP 404/.test(say);
    }
    // The sandbox's own service names the path.
    if (/\bpath\b|no such file/i.test(say)) return false;
    const isThere = await this.#native?.files.exists('/').catch(() => false);
    return isThere !== true;
  }

  protected gone(cause?: unknown): SandboxError {
    return new SandboxError('not_found', `The sandbox ${this.id} does not exist`, {
      provider: this.provider,
      sandboxId: this.id,
      cause,
    });
  }

  /** It exists, and did not answer. */
  protected lost(cause: unknown): SandboxError {
    return new SandboxError('unavailable', `The sandbox ${this.id} did not answer`, {
      provider: this.provider,
      sandboxId: this.id,
      retryable: 'unknown',
      cause,
    });
  }

  protected asleep(cause?: unknown): SandboxError {
    return new SandboxError('conflict', `The sandbox ${this.id} is paused: call start() first`, {
      provider: this.provider,
      sandboxId: this.id,
      retryable: false,
      cause,
    });
  }

  /** Connects, which wakes it, and begins its window anew. */
  async #wake({ signal }: CallOptions): Promise<Native> {
    this.#connecting ??= this.control.connect(this.nativeId, this.marks);
    const connecting = this.#connecting;
    // Also when it is given up: who tries again is not to wait for an answer that may never come.
    const native = await abortable(connecting, signal).finally(() => {
      if (this.#connecting === connecting) this.#connecting = undefined;
    });
    this.#native = native;
    this.#lease.renewed();
    return native;
  }
}
