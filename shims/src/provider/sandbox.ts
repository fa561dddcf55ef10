import { setTimeout as delay } from 'node:timers/promises';
import { checkCommand } from './check.ts';
import type { RunCodeOptions, RunCodeResult } from './code.ts';
import type { CallOptions, IdlePolicy, WaitOptions } from './create.ts';
import { SandboxError, unsupported } from './errors.ts';
import type { SandboxFiles } from './files.ts';
import type { SandboxGit } from './git.ts';
import { joinId } from './id.ts';
import type { SandboxInfo } from './info.ts';
import type { ExecOptions, ExecResult, ProcessHandle, SpawnOptions } from './process.ts';
import type { PtyHandle, SandboxPty } from './pty.ts';
import type { Snapshot } from './services.ts';

/** Where a port of a sandbox can be reached. */
export interface PortUrl {
  /** Without a slash at its end; paths are added to it, since it may have one already. */
  readonly url: string;
  /** What requests have to carry, besides their own. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SnapshotOptions extends WaitOptions {
  name?: string | undefined;
}

export interface ForkOptions extends WaitOptions {
  /** A name to find the copy by. */
  name?: string | undefined;
}

/**
 * A sandbox, whatever backend it is on. The object holds no state of it but {@link lastInfo}: several
 * may stand for the same sandbox.
 *
 * Each verb says what survives it. A backend that cannot do one throws `unsupported` and names what it
 * can do; it never does another one instead. `capabilities()` of the provider tells beforehand.
 */
export abstract class Sandbox {
  /** With the name of its provider, for `provider.get(id)` at any later time. */
  readonly id: string;
  /** The backend's own id. */
  readonly nativeId: string;
  /** Name of its provider. */
  readonly provider: string;
  /** The backend's own object, for what has no word here. Typed in the classes of the backends. */
  abstract readonly native: unknown;
  abstract readonly files: SandboxFiles;
  abstract readonly git: SandboxGit;
  abstract readonly pty: SandboxPty;
  /** What the backend said last: when it was created, found or listed, or by {@link info}. */
  lastInfo: SandboxInfo;

  protected constructor(provider: string, info: SandboxInfo) {
    this.id = joinId(provider, info.nativeId);
    this.nativeId = info.nativeId;
    this.provider = provider;
    this.lastInfo = info;
  }

  /**
   * Asks the backend, without waking a sandbox that sleeps.
   *
   * @throws {SandboxError} `not_found` when the backend says that it is gone
   */
  async info(options: CallOptions = {}): Promise<SandboxInfo> {
    this.lastInfo = await this.fetchInfo(options);
    return this.lastInfo;
  }

  /**
   * Runs a command in a shell and waits for its end. A command that fails is not an error: read
   * `exitCode`. There is no time limit unless `timeoutMs` gives one.
   *
   * @throws {SandboxError} `timeout` when its time was over
   */
  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    checkCommand(command, options);
    options.signal?.throwIfAborted();
    return this.runCommand(command, options);
  }

  /** Starts a command in a shell and lets it run. */
  async spawn(command: string, options: SpawnOptions = {}): Promise<ProcessHandle> {
    checkCommand(command, options);
    options.signal?.throwIfAborted();
    const handle = await this.startCommand(command, options);
    limit(handle, command, options);
    return handle;
  }

  /** Runs a program in one of the languages of the template, in a process of its own. */
  abstract runCode(code: string, options?: RunCodeOptions): Promise<RunCodeResult>;

  /** Where a port can be reached, also of a program that is not there yet. */
  abstract portUrl(port: number, options?: CallOptions): Promise<PortUrl>;

  /** Lets it run again: its disk after `stop`, memory as well after `pause`. One that runs stays as it is. */
  abstract start(options?: WaitOptions): Promise<void>;

  /** Ends what runs; its disk stays. */
  stop(_options?: WaitOptions): Promise<void> {
    return this.cannot('stop', 'Pause it, or snapshot and delete it.');
  }

  /** Its disk and memory stay: programs go on where they were after `start`. */
  pause(_options?: WaitOptions): Promise<void> {
    return this.cannot('pause', 'Stop it: its disk stays, programs end.');
  }

  /** Its disk moves to cold storage, from where `start` takes longer. */
  archive(_options?: WaitOptions): Promise<void> {
    return this.cannot('archive', 'Stop or pause it, or snapshot and delete it.');
  }

  /** Nothing stays. One that is gone already is fine. */
  abstract delete(options?: WaitOptions): Promise<void>;

  /** Saves its state; it goes on. What is in it: `capabilities().snapshots.includes`. */
  snapshot(_options?: SnapshotOptions): Promise<Snapshot> {
    return this.cannot('snapshots', 'Keep what matters in files outside of it.');
  }

  /** Goes back to a snapshot of its own, and stays the same sandbox. */
  rollback(_snapshotId: string, _options?: WaitOptions): Promise<void> {
    return this.cannot('rollback', 'Make a new one: provider.snapshots.restore(id).');
  }

  /** A copy of it as it is now, that runs beside it. */
  fork(_options?: ForkOptions): Promise<Sandbox> {
    return this.cannot('fork', 'Snapshot it and restore that: provider.snapshots.restore(id).');
  }

  /** Starts its idle window anew, as any other call does; `windowMs` sets another length for this once. */
  keepAlive(_windowMs?: number, _options?: CallOptions): Promise<void> {
    return this.cannot('keepAlive', 'Create it with idleTimeoutMs: null.');
  }

  /** Changes what happens when it is not used. */
  setIdlePolicy(_policy: IdlePolicy, _options?: CallOptions): Promise<void> {
    return this.cannot('idle policies that change', 'Give idleTimeoutMs and onIdle to create().');
  }

  /** It is deleted so long from now, used or not. */
  setLifetime(_lifetimeMs: number, _options?: CallOptions): Promise<void> {
    return this.cannot('lifetimes that change', 'Delete it yourself when its time is over.');
  }

  /** Replaces all labels. */
  setLabels(_labels: Readonly<Record<string, string>>, _options?: CallOptions): Promise<void> {
    return this.cannot('labels that change', 'Give labels to create().');
  }

  protected abstract fetchInfo(options: CallOptions): Promise<SandboxInfo>;

  /**
   * Starts a command, for backends. The time limit and the signal are watched here already; a backend
   * that can have the server watch the time as well should.
   */
  protected abstract startCommand(command: string, options: SpawnOptions): Promise<ProcessHandle>;

  /** Runs a command to its end; for backends that have something better than starting and waiting. */
  protected async runCommand(
    command: string,
    { stdin, ...options }: ExecOptions,
  ): Promise<ExecResult> {
    const handle = await this.startCommand(command, { ...options, stdin: stdin !== undefined });
    limit(handle, command, options);
    if (stdin !== undefined) {
      // A command that reads nothing of it may end first, which is its own business.
      await handle.sendInput(stdin).catch(() => undefined);
      await handle.closeInput().catch(() => undefined);
    }
    return handle.wait();
  }

  /** Throws `unsupported`. */
  protected cannot(what: string, instead: string): Promise<never> {
    return Promise.reject(unsupported(this.provider, what, instead, this.id));
  }
}

/** Terminals of a backend that has none. */
export function noPty(provider: string): SandboxPty {
  const refuse = (): Promise<PtyHandle> =>
    Promise.reject(unsupported(provider, 'terminals', 'Use spawn() with stdin: true.'));
  return { create: refuse, connect: refuse };
}

/** Ends a command when its time is over or its caller has had enough. */
function limit(
  handle: ProcessHandle,
  command: string,
  { timeoutMs, signal }: Pick<SpawnOptions, 'timeoutMs' | 'signal'>,
): void {
  if (timeoutMs === undefined && signal === undefined) return;
  const abort = (): void => {
    void handle.kill().catch(() => undefined);
    handle.end({ error: signal?.reason });
  };
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          const told = `The command took longer than ${timeoutMs} ms and was ended: ${shown(command)}`;
          const error = new SandboxError('timeout', told, { retryable: false });
          handle.doom(error);
          // Whoever hears of it may count on its end, unless that cannot be had.
          const killed = handle.kill().catch(() => undefined);
          const patience = delay(KILL_MS, undefined, { ref: false });
          void Promise.race([killed, patience]).then(() => handle.end({ error }));
        }, timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  void handle.ended.then(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  });
}

/** How long the end of a command is waited for whose time is over. */
const KILL_MS = 5_000;

function shown(command: string): string {
  const [line = ''] = command.split('\n');
  return line === command && line.length <= 60 ? line : `${line.slice(0, 60)}…`;
}
