import type { SandboxProcess } from '../../engine/process.ts';
import type { Sandbox } from '../../engine/sandbox.ts';
import type { SpawnOptions } from '../../engine/spawn.ts';
import { KernelPool } from '../../kernels/index.ts';
import { kernelSpawn } from '../../sandbox-kernels.ts';
import type { SandboxRecord } from '../record.ts';
import type { World } from '../world.ts';
import { Ptys } from './ptys.ts';
import { Sessions } from './session-store.ts';

/**
 * The toolbox of one sandbox from a start to the next stop: what the daemon inside keeps in memory.
 */
export class Box {
  readonly world: World;
  readonly record: SandboxRecord;
  readonly sandbox: Sandbox;
  readonly sessions: Sessions;
  readonly ptys: Ptys;
  /** Live changes of the environment; undefined: taken away. They end with the box. */
  readonly #env = new Map<string, string | undefined>();
  readonly #closeListeners = new Set<() => void>();
  #kernels: KernelPool | undefined;
  #shell: Promise<string> | undefined;
  #home = '/';

  constructor(world: World, record: SandboxRecord, sandbox: Sandbox) {
    this.world = world;
    this.record = record;
    this.sandbox = sandbox;
    this.sessions = new Sessions(this);
    this.ptys = new Ptys(this);
  }

  /** Learns what needs the running sandbox, and starts the image's entrypoint. */
  async open(): Promise<void> {
    this.#home = await this.sandbox.files.resolve('~', { user: this.record.account });
    const { workDir, entrypoint } = this.record.image;
    if (workDir !== undefined)
      await this.sandbox.files.mkdir(workDir, { user: this.record.account });
    if (entrypoint !== undefined) await this.sessions.startEntrypoint(entrypoint);
  }

  /** Also called when the sandbox's processes are already gone. */
  close(): void {
    // Before processes end, so that nobody takes that for an end of their own.
    for (const listener of this.#closeListeners) listener();
    this.sessions.close();
    this.ptys.close();
    this.#kernels?.close().catch(this.world.context.onError);
  }

  /** Calls back when it closes, unless what it returns is called before. */
  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  get home(): string {
    return this.#home;
  }

  /** Where commands start and relative paths begin: the image's WORKDIR, else home. */
  get workDir(): string {
    return this.record.image.workDir ?? this.#home;
  }

  /** How paths of clients are meant, and who owns what they make. */
  get at(): { user: string; cwd: string } {
    return { user: this.record.account, cwd: this.workDir };
  }

  get kernels(): KernelPool {
    this.#kernels ??= new KernelPool({
      // Asked anew for every kernel, so that a new one sees changes of the environment.
      spawn: (spec) => {
        const env = { ...this.env(), ...spec.env };
        // As the process's own folder, which the engine finds wherever sandboxes are kept.
        const place = { cwd: this.workDir, user: this.record.account };
        return kernelSpawn(this.sandbox)({ ...spec, ...place, env });
      },
    });
    return this.#kernels;
  }

  /** Variables of every new process. */
  env(): Record<string, string> {
    const { record, world } = this;
    const merged: Record<string, string | undefined> = {
      DAYTONA_SANDBOX_ID: record.id,
      DAYTONA_SANDBOX_USER: record.user,
      DAYTONA_SANDBOX_SNAPSHOT: record.snapshot,
      DAYTONA_ORGANIZATION_ID: world.organizationId,
      DAYTONA_REGION_ID: record.target,
      ...record.image.env,
      ...record.env,
      ...world.secrets.placeholders(record.secrets),
      ...Object.fromEntries(this.#env),
    };
    return Object.fromEntries(
      Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  setEnv(name: string, value: string | undefined): void {
    this.#env.set(name, value);
  }

  /** Starts a process as the sandbox's user, in its working directory, unless said otherwise. */
  spawn(options: SpawnOptions): Promise<SandboxProcess> {
    return this.sandbox.spawn({
      user: this.record.account,
      ...options,
      cwd: this.path(options.cwd),
      env: { ...this.env(), ...options.env },
    });
  }

  /** A client's path, made absolute. */
  path(path = ''): string {
    if (path === '' || path === '~') return path === '' ? this.workDir : this.#home;
    if (path.startsWith('/')) return path;
    if (path.startsWith('~/')) return `${this.#home}${path.slice(1)}`;
    return `${this.workDir}/${path}`;
  }

  /** The shell that commands are fed to: bash where there is one. */
  shell(): Promise<string> {
    this.#shell ??= (async () => {
      const hasBash = await this.sandbox.files.exists('/bin/bash').catch(() => false);
      return hasBash ? '/bin/bash' : '/bin/sh';
    })();
    return this.#shell;
  }
}
