import type { Sandbox as Native } from '@daytonaio/sdk';
import { checkPort, checkTime } from '../../provider/check.ts';
import type { RunCodeOptions, RunCodeResult } from '../../provider/code.ts';
import type { CallOptions, IdlePolicy, WaitOptions } from '../../provider/create.ts';
import { randomId } from '../../provider/crypto.ts';
import { isSandboxError, SandboxError } from '../../provider/errors.ts';
import type { SandboxInfo } from '../../provider/info.ts';
import type {
  ExecOptions,
  ExecResult,
  ProcessHandle,
  SpawnOptions,
} from '../../provider/process.ts';
import {
  type ForkOptions,
  type PortUrl,
  Sandbox,
  type SnapshotOptions,
} from '../../provider/sandbox.ts';
import type { Snapshot } from '../../provider/services.ts';
import { abortable, wait } from '../../provider/signals.ts';
import { runCodeAsFile } from '../../shell/run-code.ts';
import { isAtLeast } from '../sdk-version.ts';
import type { DaytonaClient } from './client.ts';
import { DaytonaFiles, type Use } from './files.ts';
import { DaytonaGit } from './git.ts';
import { hiddenLabels } from './marks.ts';
import { minutesOf } from './params.ts';
import { inShell, startProcess } from './process.ts';
import { DaytonaPty } from './pty.ts';

/**
 * Words of Daytona's API, proxy and runner for a sandbox that is not there or does not run; and of the
 * SDK, which does not read them when it asks for a file.
 */
const SAYS_NOT_RUNNING =
  /is the sandbox started|(?:sandbox|container)[^.]* (?:not (?:found|running|started)|is stopped)|no IP address|^\[object Object\]$/i;

/** States that turn into others by themselves. */
const PASSING: readonly SandboxInfo['state'][] = ['starting', 'stopping', 'pausing', 'archiving'];
const LOOK_MS = 250;

/** A sandbox on Daytona. */
export class DaytonaSandbox extends Sandbox {
  /** The object of Daytona's SDK. */
  readonly native: Native;
  readonly files: DaytonaFiles;
  readonly git: DaytonaGit;
  readonly pty: DaytonaPty;
  readonly #client: DaytonaClient;
  readonly #use: Use = async (signal, call) => {
    try {
      return await this.#call(signal, () => call(this.native));
    } catch (error) {
      throw await this.#explained(error);
    }
  };
  #home: Promise<string> | undefined;

  constructor(client: DaytonaClient, native: Native) {
    super(client.provider, client.infoOf(native));
    this.native = native;
    this.#client = client;
    const home = (): Promise<string> => this.#homeFolder();
    this.files = new DaytonaFiles(client.provider, this.#use, home);
    const takesBranches = isAtLeast(client.version, [0, 194, 0]);
    const absolute = (path: string): Promise<string> => this.files.absolute(path);
    this.git = new DaytonaGit(client.provider, this.#use, absolute, takesBranches);
    this.pty = new DaytonaPty(client.provider, this.#use, home);
  }

  async runCode(code: string, options: RunCodeOptions = {}): Promise<RunCodeResult> {
    return runCodeAsFile(this, code, options);
  }

  async portUrl(port: number, { signal }: CallOptions = {}): Promise<PortUrl> {
    checkPort(port);
    const { url, token } = await this.#use(signal, (native) => native.getPreviewLink(port));
    const isGuarded = token !== undefined && token !== '' && !this.native.public;
    return {
      url: url.replace(/\/+$/, ''),
      headers: isGuarded ? { 'x-daytona-preview-token': token } : {},
    };
  }

  async start(options: WaitOptions = {}): Promise<void> {
    await this.#change(options, ['running'], (seconds) => this.native.start(seconds));
  }

  override async stop(options: WaitOptions = {}): Promise<void> {
    if (this.native.autoDeleteInterval === 0) {
      const what = 'stopping a sandbox with onIdle: "delete", which would delete it';
      return this.cannot(what, 'Change that before with setIdlePolicy(), or delete it.');
    }
    await this.#change(options, ['stopped', 'archived'], (seconds) => this.native.stop(seconds));
  }

  override async pause(options: WaitOptions = {}): Promise<void> {
    const { capabilities } = this.#client;
    if (capabilities.pause.support === 'unsupported') {
      return this.cannot('pausing a container', 'Stop it: its disk stays, programs end.');
    }
    await this.#change(options, ['paused'], (seconds) => this.native.pause(seconds));
  }

  /** Answers when Daytona has taken it on; the state is `archiving` until it is done. */
  override async archive(options: WaitOptions = {}): Promise<void> {
    await this.stop(options);
    await this.#use(options.signal, (native) => native.archive());
  }

  async delete(options: WaitOptions = {}): Promise<void> {
    await this.#client.delete(this.nativeId, options, this.native);
  }

  override async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    const { signal } = options;
    const name = options.name ?? `cubeshift-${this.nativeId.slice(0, 8)}-${Date.now()}`;
    const seconds = this.#client.seconds(options);
    const { native } = this;
    // Its first name, since 0.166.
    const make = native.createSnapshot ?? native._experimental_createSnapshot;
    if (make === undefined) return this.cannot('snapshots with this SDK', 'Use 0.166 or newer.');
    await this.#call(signal, () => make.call(native, name, seconds));
    return { id: name, name, sandboxId: this.id, createdAt: new Date() };
  }

  override async fork(options: ForkOptions = {}): Promise<Sandbox> {
    const { name, signal } = options;
    const { native } = this;
    if (this.#client.capabilities.fork.support === 'unsupported') {
      return this.cannot('copies of a container', 'Snapshot it and restore that.');
    }
    const make = native.fork ?? native._experimental_fork;
    const params = name === undefined ? {} : { name };
    const copy = await this.#call(signal, () =>
      make.call(native, params, this.#client.seconds(options)),
    );
    return this.#client.made(copy, signal);
  }

  override async keepAlive(windowMs?: number, { signal }: CallOptions = {}): Promise<void> {
    if (windowMs !== undefined) checkTime('windowMs', windowMs);
    await this.#use(signal, async (native) => {
      if (windowMs !== undefined) await native.setAutostopInterval(minutesOf(windowMs));
      await native.refreshActivity();
    });
  }

  override async setIdlePolicy(
    { idleTimeoutMs, onIdle }: IdlePolicy,
    { signal }: CallOptions = {},
  ): Promise<void> {
    const { actions } = this.#client.capabilities.idlePolicy;
    if (!actions.includes(onIdle)) {
      const instead = `Use ${actions.map((action) => `"${action}"`).join(' or ')}.`;
      return this.cannot(`onIdle: "${onIdle}"`, instead);
    }
    const minutes = minutesOf(idleTimeoutMs);
    await this.#use(signal, async (native) => {
      if (onIdle === 'pause') return native.setAutoPauseInterval(minutes);
      await native.setAutostopInterval(minutes);
      await native.setAutoDeleteInterval(onIdle === 'delete' ? 0 : -1);
    });
  }

  override async setLifetime(lifetimeMs: number, { signal }: CallOptions = {}): Promise<void> {
    if (this.#client.capabilities.lifetime.support === 'unsupported') {
      return this.cannot('lifetimes with this SDK', 'Use version 0.199 or newer.');
    }
    checkTime('lifetimeMs', lifetimeMs);
    await this.#use(signal, (native) => native.setTtl(minutesOf(lifetimeMs)));
  }

  override async setLabels(
    labels: Readonly<Record<string, string>>,
    { signal }: CallOptions = {},
  ): Promise<void> {
    const all = { ...labels, ...hiddenLabels(this.native.labels) };
    await this.#use(signal, (native) => native.setLabels(all));
    this.native.labels = all;
    this.lastInfo = this.#client.infoOf(this.native);
  }

  protected async fetchInfo({ signal }: CallOptions): Promise<SandboxInfo> {
    await this.#mustExist(signal, () => this.native.refreshData());
    if (this.native.state === 'destroyed') throw this.#gone();
    await this.#client.learnVolumes(this.native, signal);
    return this.#client.infoOf(this.native);
  }

  protected startCommand(command: string, options: SpawnOptions): Promise<ProcessHandle> {
    return startProcess(this.#use, command, options);
  }

  /** One request where one is enough; it answers at the end, with both streams as one. */
  protected override async runCommand(command: string, options: ExecOptions): Promise<ExecResult> {
    const { onStdout, onStderr, signal, stdin, timeoutMs } = options;
    const isWatched = onStdout !== undefined || onStderr !== undefined || signal !== undefined;
    if (isWatched) return super.runCommand(command, options);
    const seconds = timeoutMs === undefined ? undefined : Math.max(1, Math.ceil(timeoutMs / 1000));
    const input = stdin === undefined ? undefined : `/tmp/cubeshift-${randomId()}`;
    if (input !== undefined) await this.files.write(input, stdin ?? '');
    const program = inShell(command, options);
    // Braces take no process of their own; the other form has something to do after it.
    const line =
      input === undefined
        ? `{ ${program}\n} < /dev/null`
        : `(${program}\n) < ${input}\nset -- $?\nrm -f ${input}\nexit $1`;
    const { exitCode, result } = await this.#use(signal, (native) =>
      native.process.executeCommand(line, undefined, undefined, seconds),
    );
    return { exitCode, stdout: result, stderr: '', output: result, streamsMerged: true };
  }

  /**
   * Calls a verb that changes the state, and counts one that somebody else has brought about. A change
   * that is under way is waited for.
   */
  async #change(
    options: WaitOptions,
    wanted: readonly SandboxInfo['state'][],
    verb: (seconds: number) => Promise<void>,
  ): Promise<void> {
    if (options.timeoutMs !== undefined) checkTime('timeoutMs', options.timeoutMs);
    const { signal } = options;
    const seconds = this.#client.seconds(options);
    const until = Date.now() + seconds * 1000;
    for (;;) {
      try {
        await this.#mustExist(signal, () => verb(seconds));
        this.lastInfo = this.#client.infoOf(this.native);
        return;
      } catch (error) {
        if (!isSandboxError(error) || !['conflict', 'invalid_argument'].includes(error.code)) {
          throw error;
        }
        const { state } = await this.info({ signal });
        if (wanted.includes(state)) return;
        if (!PASSING.includes(state) || Date.now() > until) throw error;
        await wait(LOOK_MS, signal);
      }
    }
  }

  /** Makes a call to the control plane about it. */
  async #mustExist(signal: AbortSignal | undefined, call: () => Promise<void>): Promise<void> {
    const made = async (): Promise<true> => {
      await call();
      return true;
    };
    if ((await this.#client.orAbsent(signal, made, this.id)) !== true) throw this.#gone();
  }

  async #call<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    try {
      signal?.throwIfAborted();
      return await abortable(call(), signal);
    } catch (error) {
      throw this.#client.failure(error, this.id, signal);
    }
  }

  /**
   * The error of a call to the sandbox. What stands between says in several ways that it does not run,
   * so that is asked of the control plane.
   */
  async #explained(error: unknown): Promise<unknown> {
    if (!isSandboxError(error) || !SAYS_NOT_RUNNING.test(error.message)) return error;
    try {
      const { state } = await this.info();
      if (state === 'running') return error;
      const told = `The sandbox ${this.id} is ${state}: call start() first`;
      return new SandboxError('conflict', told, {
        provider: this.provider,
        sandboxId: this.id,
        retryable: false,
        cause: error,
      });
    } catch (other) {
      return isSandboxError(other, 'not_found') ? other : error;
    }
  }

  #homeFolder(): Promise<string> {
    this.#home ??= this.#use(undefined, (native) => native.getUserHomeDir())
      .then((home) => home ?? '/')
      .catch((error: unknown) => {
        this.#home = undefined;
        throw error;
      });
    return this.#home;
  }

  #gone(): SandboxError {
    return new SandboxError('not_found', `The sandbox ${this.id} does not exist`, {
      provider: this.provider,
      sandboxId: this.id,
    });
  }
}
