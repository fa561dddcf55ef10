import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.ts';
import type { Size } from '../../engine/isolation/types.ts';
import type { SandboxProcess } from '../../engine/process.ts';
import type { Fields } from '../body.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { Channel } from './channel.ts';
import { RpcError } from './connect-codec.ts';
import { type EndEvent, endOf } from './exit-status.ts';

/** Bytes in base64. */
type Output = { stdout: string } | { stderr: string } | { pty: string };

/** What `Start` and `Connect` stream, in the JSON form of `process.ProcessEvent`. */
export type ProcessEvent = { start: { pid: number } } | { data: Output } | { end: EndEvent };

/** One message of those streams. */
export interface ProcessResponse {
  event: ProcessEvent;
}

export interface ProcessConfig {
  cmd: string;
  args: string[];
  envs: Record<string, string>;
  cwd?: string;
}

export interface StartOptions {
  config: ProcessConfig;
  user: string;
  hasStdin: boolean;
  pty?: Size;
  tag?: string;
}

export interface RunningProcess {
  readonly pid: number;
  readonly config: ProcessConfig;
  readonly tag: string | undefined;
  readonly isPty: boolean;
  readonly process: SandboxProcess;
  readonly channels: Set<Channel<ProcessResponse>>;
  /** Resolves when it is killed from outside: children may hold its output open from then on. */
  readonly killed: Promise<void>;
  readonly markKilled: () => void;
}

export interface EndedProcess {
  readonly pid: number;
  readonly tag: string | undefined;
  readonly end: EndEvent;
}

/** So long a late `Connect` still hears how a process ended. */
const RETENTION_MS = 30_000;
/** So long output of a killed process may take to arrive. */
const LAST_OUTPUT_MS = 100;

/** Processes that clients started in one sandbox. */
export class Processes {
  readonly #sandbox: LiveSandbox;
  readonly #clock: Clock;
  readonly #running = new Map<number, RunningProcess>();
  readonly #ended = new Map<number, EndedProcess>();

  constructor(sandbox: LiveSandbox, clock: Clock) {
    this.#sandbox = sandbox;
    this.#clock = clock;
  }

  /** Starts a process; the channel gets all its output. */
  async start(options: StartOptions, channel?: Channel<ProcessResponse>): Promise<RunningProcess> {
    const { config, user, hasStdin, pty, tag } = options;
    const workdir = config.cwd ?? this.#sandbox.spec.template.workdir;
    const process = await this.#sandbox.engine.spawn({
      argv: [config.cmd, ...config.args],
      env: { ...this.#sandbox.env, ...config.envs },
      user,
      stdin: hasStdin,
      ...(workdir === undefined ? {} : { cwd: workdir }),
      ...(pty === undefined ? {} : { pty }),
    });
    const { pid } = process;
    let markKilled = (): void => undefined;
    const killed = new Promise<void>((resolve) => {
      markKilled = resolve;
    });
    const running: RunningProcess = {
      pid,
      config,
      tag,
      isPty: pty !== undefined,
      process,
      channels: new Set(),
      killed,
      markKilled,
    };
    this.#running.set(pid, running);
    this.#ended.delete(pid);
    this.#note('info', `Process with pid ${pid} started`);
    if (channel !== undefined) this.listen(running, channel);
    void this.#follow(running);
    return running;
  }

  /** From now on the channel gets what the process writes, and its end. */
  listen(running: RunningProcess, channel: Channel<ProcessResponse>): void {
    void channel.push({ event: { start: { pid: running.pid } } });
    running.channels.add(channel);
    channel.onClose(() => running.channels.delete(channel));
  }

  list(): RunningProcess[] {
    return [...this.#running.values()];
  }

  /** @throws RpcError when no process is meant */
  get(selector: Fields | undefined): RunningProcess {
    const { pid, tag } = selected(selector);
    const found = find(this.#running.values(), pid, tag);
    if (found !== undefined) return found;
    throw new RpcError(
      'not_found',
      tag === undefined ? `process with pid ${pid} not found` : `process with tag ${tag} not found`,
    );
  }

  /** A process that ended a short while ago. */
  ended(selector: Fields | undefined): EndedProcess | undefined {
    const { pid, tag } = selected(selector);
    return find(this.#ended.values(), pid, tag);
  }

  async signal(running: RunningProcess, name: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    running.markKilled();
    await running.process.signal(name);
  }

  async #follow(running: RunningProcess): Promise<void> {
    const { process, channels, isPty, pid } = running;
    const output = Promise.all([
      pump(process.stdout, isPty ? 'pty' : 'stdout', channels),
      pump(process.stderr, 'stderr', channels),
    ]);
    const exit = await process.exit;
    await Promise.race([output, running.killed.then(() => delay(LAST_OUTPUT_MS))]);
    process.stdout.destroy();
    process.stderr.destroy();
    const end = endOf(exit);
    this.#running.delete(pid);
    this.#retain({ pid, tag: running.tag, end });
    this.#note(
      end.error === undefined ? 'info' : 'error',
      `Process with pid ${pid} ended: ${end.status}`,
    );
    for (const channel of [...channels]) {
      void channel.push({ event: { end } });
      channel.close();
    }
  }

  #retain(ended: EndedProcess): void {
    this.#ended.set(ended.pid, ended);
    this.#clock.setTimer(RETENTION_MS, () => {
      if (this.#ended.get(ended.pid) === ended) this.#ended.delete(ended.pid);
    });
  }

  #note(level: 'info' | 'error', message: string): void {
    this.#sandbox.note(level, message, this.#clock.now());
  }
}

/** Passes output on to whoever listens; without a listener it is lost, as the real service does. */
async function pump(
  source: Readable,
  kind: 'stdout' | 'stderr' | 'pty',
  channels: ReadonlySet<Channel<ProcessResponse>>,
): Promise<void> {
  try {
    for await (const chunk of source) {
      if (channels.size === 0) continue;
      const data = { [kind]: (chunk as Buffer).toString('base64') } as Output;
      await Promise.all([...channels].map((channel) => channel.push({ event: { data } })));
    }
  } catch {
    // Destroyed: nobody waits for more.
  }
}

function selected(selector: Fields | undefined): { pid?: number; tag?: string } {
  const pid = selector?.optionalInteger('pid');
  const tag = selector?.optionalString('tag');
  if (pid !== undefined) return { pid };
  if (tag !== undefined) return { tag };
  throw new RpcError('unimplemented', 'invalid input type: a process is chosen by pid or tag');
}

function find<T extends { pid: number; tag: string | undefined }>(
  processes: Iterable<T>,
  pid: number | undefined,
  tag: string | undefined,
): T | undefined {
  for (const process of processes) {
    if (pid === undefined ? process.tag === tag : process.pid === pid) return process;
  }
  return undefined;
}
