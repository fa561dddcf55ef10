import type { Duplex } from 'node:stream';
import { Accounts } from './accounts.ts';
import type { Clock } from './clock.ts';
import { EngineError } from './errors.ts';
import { Files } from './files.ts';
import type { Body, BootOptions, Disk, Isolation, Layers, Root } from './isolation/types.ts';
import type { LayerStore } from './layers.ts';
import { checkPort } from './network/loopback.ts';
import { type Exit, type SandboxProcess, startProcess } from './process.ts';
import { launchOf, type SpawnOptions } from './spawn.ts';
import { diskUsage, processUsage, type Usage } from './usage.ts';

export type { SpawnOptions } from './spawn.ts';
export type { Usage } from './usage.ts';

/** How long the size of a disk, which takes a walk over its files, is good for. */
const DISK_USAGE_MS = 3000;

export type SandboxState = 'running' | 'paused' | 'stopped' | 'deleted';

export interface SandboxOptions {
  id: string;
  /** For whom things are done unless said otherwise. */
  user: string;
  env: Readonly<Record<string, string>>;
  boot: BootOptions;
}

/** A snapshot: the layers it is made of, topmost first. */
export interface SnapshotData {
  id: string;
  createdAt: number;
  layers: Layers;
}

/** What a sandbox needs of its engine. */
export interface SandboxHost {
  isolation: Isolation;
  layers: LayerStore;
  clock: Clock;
  snapshotData(id: string): SnapshotData;
  forget(id: string): void;
}

/** One sandbox. Changes of its state happen one after the other, in the order they were asked. */
export class Sandbox {
  readonly id: string;
  readonly user: string;
  readonly createdAt: number;
  readonly files: Files;
  /** Running processes that were started from outside, by their number in the sandbox. */
  readonly processes: ReadonlyMap<number, SandboxProcess>;
  readonly #processes = new Map<number, SandboxProcess>();
  readonly #env: Readonly<Record<string, string>>;
  readonly #boot: BootOptions;
  readonly #host: SandboxHost;
  readonly #disk: Disk;
  readonly #accounts: Accounts;
  readonly #exitListeners = new Set<(process: SandboxProcess, exit: Exit) => void>();
  #measured: { at: number; bytes: Promise<number> } | undefined;
  #layers: Layers;
  #body: Body | undefined;
  #state: SandboxState = 'stopped';
  #queue: Promise<unknown> = Promise.resolve();
  #deleting: Promise<void> | undefined;

  /** Made by the engine. */
  constructor(host: SandboxHost, disk: Disk, layers: Layers, options: SandboxOptions) {
    this.#host = host;
    this.#disk = disk;
    this.#layers = layers;
    this.id = options.id;
    this.user = options.user;
    this.#env = options.env;
    this.#boot = options.boot;
    this.createdAt = host.clock.now();
    this.processes = this.#processes;
    const root = (): Root => this.#running('its files cannot be reached').root;
    this.#accounts = new Accounts(root, host.isolation.users);
    this.files = new Files(root, this.#accounts, this.user);
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** Tells of every process started from outside that ends; the answer ends the telling. */
  onExit(listener: (process: SandboxProcess, exit: Exit) => void): () => void {
    this.#exitListeners.add(listener);
    return () => this.#exitListeners.delete(listener);
  }

  async spawn(options: SpawnOptions): Promise<SandboxProcess> {
    const body = this.#awake('nothing can be started');
    const user = await this.#accounts.user(options.user ?? this.user);
    const launch = launchOf(options, user, this.#host.isolation.path, this.#env);
    const process = await startProcess(body, launch, options.stdin ?? false);
    this.#processes.set(process.pid, process);
    void process.exit.then((exit) => {
      this.#processes.delete(process.pid);
      for (const listener of this.#exitListeners) listener(process, exit);
    });
    return process;
  }

  /** A connection to a port that something in the sandbox listens on, else an error `refused`. */
  async connect(port: number): Promise<Duplex> {
    checkPort(port);
    return this.#awake('its ports cannot be reached').connect(port);
  }

  /** TCP ports that programs of the sandbox listen on, in order. */
  async listeningPorts(): Promise<number[]> {
    return this.#running('nothing listens').listeningPorts();
  }

  /** The size of its disk may be some seconds old. */
  async usage(): Promise<Usage> {
    const running = processUsage(this.#body?.pids() ?? []);
    return { ...running, diskBytes: await this.#diskUsage() };
  }

  /** Freezes every process. Files stay reachable. */
  pause(): Promise<void> {
    return this.#next(async () => {
      if (this.#state === 'paused') return;
      await this.#running('it cannot be paused').freeze();
      this.#state = 'paused';
    });
  }

  resume(): Promise<void> {
    return this.#next(async () => {
      const body = this.#running('it cannot be resumed');
      if (this.#state === 'paused') await body.thaw();
      this.#state = 'running';
    });
  }

  /** Ends every process and keeps the disk. */
  stop(): Promise<void> {
    return this.#next(() => this.#stop());
  }

  /** `booted` is its disk booted ahead; the engine's to give. */
  start(booted?: Body): Promise<void> {
    return this.#next(() => this.#start(booted));
  }

  /** The disk as it was at a snapshot, with every process ended; running again afterwards. */
  rollback(snapshotId: string): Promise<void> {
    return this.#next(async () => {
      const { layers } = this.#host.snapshotData(snapshotId);
      this.#host.layers.retain(layers);
      await this.#stop();
      await this.#disk.reset(layers);
      await this.#host.layers.release(this.#layers);
      this.#layers = layers;
      await this.#start();
    });
  }

  /** Ends every process and removes the disk. Once is enough; more does nothing. */
  delete(): Promise<void> {
    this.#deleting ??= this.#next(async () => {
      await this.#stop();
      this.#state = 'deleted';
      this.#host.forget(this.id);
      await this.#disk.remove();
      await this.#host.layers.release(this.#layers);
    });
    return this.#deleting;
  }

  /** Copies the disk while nothing of the sandbox moves. Used by the engine's `snapshot`. */
  capture(): Promise<Layers> {
    return this.#next(async () => {
      const body = this.#state === 'running' ? this.#body : undefined;
      await body?.freeze();
      try {
        return await this.#disk.capture();
      } finally {
        await body?.thaw();
      }
    });
  }

  #diskUsage(): Promise<number> {
    if (this.#state === 'deleted') return Promise.resolve(0);
    const now = performance.now();
    if (this.#measured === undefined || now - this.#measured.at > DISK_USAGE_MS) {
      this.#measured = { at: now, bytes: diskUsage(this.#disk.written) };
    }
    return this.#measured.bytes;
  }

  async #start(booted?: Body): Promise<void> {
    if (this.#body !== undefined) return;
    const body = booted ?? (await this.#disk.boot(this.#boot));
    this.#body = body;
    this.#state = 'running';
    void body.ended.then(() => {
      // Also when it ends by itself, as when the host runs out of memory.
      if (this.#body !== body) return;
      this.#body = undefined;
      this.#state = 'stopped';
    });
  }

  async #stop(): Promise<void> {
    const body = this.#body;
    if (body === undefined) return;
    await body.end();
    await Promise.all([...this.#processes.values()].map(({ exit }) => exit));
    this.#body = undefined;
    this.#state = 'stopped';
  }

  #running(consequence: string): Body {
    if (this.#body === undefined) {
      throw new EngineError(
        'not-running',
        `sandbox '${this.id}' is ${this.#state}: ${consequence}; start it first`,
      );
    }
    return this.#body;
  }

  #awake(consequence: string): Body {
    const body = this.#running(consequence);
    if (this.#state === 'paused') {
      throw new EngineError('not-running', `sandbox '${this.id}' is paused: ${consequence}`);
    }
    return body;
  }

  /** Runs a change after those before it, whether they went well or not. */
  #next<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => {
      if (this.#state === 'deleted') {
        throw new EngineError('not-found', `sandbox '${this.id}' was deleted`);
      }
      return change();
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
