import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxNetwork } from '../network/network.ts';
import { type Keeper, mustRun, run } from '../run.ts';
import type { ControlGroup } from './cgroup.ts';
import { innerCommand } from './launch.ts';
import { hasMissedItsEnd, isAlive, pidsInNamespace } from './proc.ts';
import type { Rights } from './rights.ts';
import { OPEN_GROUP, PATH } from './scripts.ts';
import { continueAll, send, stopAll } from './signals.ts';
import type { Body, Command, Launch, Root, Size } from './types.ts';

const RETRY_MS = 20;
/** How often helpers are looked at that may have missed the end of their child. */
const LOOK_MS = 250;

/** What a sandbox in namespaces runs on. */
export interface BodyParts {
  /** Process 1 of the sandbox. */
  init: Keeper;
  network: SandboxNetwork;
  group: ControlGroup | undefined;
  /** Limit of processes for each user, where nothing better is there. */
  perUser: number | undefined;
  rights: Rights;
  /** Options of `nsenter` that join the namespaces that are not always there. */
  nsenter: readonly string[];
}

/** A sandbox in namespaces while it runs: what enters, signals and ends it. */
export class NamespaceBody implements Body {
  readonly root: Root;
  readonly ended: Promise<void>;
  readonly #init: Keeper;
  readonly #network: SandboxNetwork;
  readonly #parts: BodyParts;
  /** The `nsenter` of each process, outside. */
  readonly #helpers = new Set<number>();
  #looking: NodeJS.Timeout | undefined;

  constructor(parts: BodyParts) {
    const { init, network, group } = parts;
    this.#init = init;
    this.#network = network;
    this.#parts = parts;
    this.root = { dir: `/proc/${init.pid}/root/` };
    this.ended = init.ended.then(async () => {
      // Mostly nothing is left. A process 1 that was killed with the launcher may be on its way out.
      while (pidsInNamespace(init.pid).some(isAlive)) await delay(RETRY_MS);
      await Promise.all([group?.remove(), network.end()]);
    });
  }

  command(launch: Launch): Command {
    const { group, perUser, rights } = this.#parts;
    const isLimited = perUser !== undefined && launch.user.name !== 'root';
    const limit = isLimited ? ['prlimit', `--nproc=${perUser}`, '--'] : [];
    const inside = [
      // A session of its own, so that its whole group can be signalled.
      'setsid',
      ...limit,
      ...rights.become(launch.user),
      ...innerCommand({ ...launch, env: { ...rights.env, ...launch.env } }),
    ];
    // Only helpers see this environment: the program's own is made inside.
    const env = { PATH };
    const [program = '', ...args] = [...this.#enter(), ...inside];
    if (group === undefined) return { file: program, args, env };
    const [first = '', second = '/dev/null'] = group.files;
    const joined = ['-c', OPEN_GROUP, 'open', first, second, program, ...args];
    return { file: '/bin/sh', args: joined, env };
  }

  started(pid: number): void {
    this.#helpers.add(pid);
    this.#looking ??= setInterval(() => this.#wake(), LOOK_MS).unref();
  }

  exited(pid: number): void {
    this.#helpers.delete(pid);
    if (this.#helpers.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  async signal(pid: number, name: string, group: boolean): Promise<boolean> {
    // Only the process namespace is entered, so the shell is the host's.
    const { code } = await run('nsenter', [
      ...[...this.#target(), '-p', '--', '/bin/sh', '-c', 'kill -s "$1" -- "$2"', 'kill'],
      ...[name.replace(/^SIG/, ''), `${group ? '-' : ''}${pid}`],
    ]);
    return code === 0;
  }

  async resize(tty: string, { cols, rows }: Size): Promise<void> {
    await mustRun('nsenter', [
      ...[...this.#target(), '-m', '-r', '--'],
      ...['stty', '-F', tty, 'rows', `${rows}`, 'cols', `${cols}`],
    ]);
  }

  connect(port: number): Promise<Socket> {
    return this.#network.connect(port);
  }

  listeningPorts(): number[] {
    return this.#network.listeningPorts();
  }

  /** Without process 1, which must stay awake to notice that the server is gone. */
  pids(): number[] {
    return pidsInNamespace(this.#init.pid).filter((pid) => pid !== this.#init.pid);
  }

  async freeze(): Promise<void> {
    stopAll(() => this.pids());
  }

  async thaw(): Promise<void> {
    this.#continue();
  }

  async end(): Promise<void> {
    const ending = Promise.all([this.#init.end(), this.#network.end()]).then(() => true);
    // The kernel waits until everything inside is reaped, which a stopped helper does not do. One
    // may be about to stop just now, so once is not enough. Looking for them takes time where there
    // are many processes, and mostly none is stopped.
    for (let wait = RETRY_MS; !(await Promise.race([ending, delay(wait, false)])); wait *= 2) {
      this.#continue();
    }
    await this.ended;
  }

  /** Lets helpers see that their child has ended, but not those whose child is just stopped. */
  #wake(): void {
    for (const pid of this.#helpers) if (hasMissedItsEnd(pid)) send(pid, 'SIGCONT');
  }

  /** `nsenter` stops when its child does, and then does not notice the child's end either. */
  #continue(): void {
    continueAll(() => [...this.#helpers, ...this.pids()]);
  }

  #enter(): string[] {
    return [
      // A helper may be stopped when the server dies, see `#continue`.
      ...['setpriv', '--pdeathsig', 'KILL', '--'],
      ...['nsenter', ...this.#target(), '-m', '-u', '-i', '-p', ...this.#parts.nsenter],
      ...['-r', '-w', '--'],
    ];
  }

  /** Options of `nsenter` that say whose namespaces are joined. */
  #target(): string[] {
    return ['-t', `${this.#init.pid}`, ...this.#parts.rights.nsenter];
  }
}
