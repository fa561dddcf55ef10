/**
 * The engine of `cubeshift local`: real processes in sandboxes that are kept apart, with files,
 * terminals, snapshots and clean-up. It knows no vendor and no protocol; the fronts do.
 *
 * - `isolation/` how sandboxes are kept apart. `namespaces`: an overlay over the host's root in
 *   namespaces of its own, entered anew for every process; without root inside a user namespace, see
 *   `rights.ts`. `directory`: a folder and ordinary processes, with a list of what that cannot do.
 *   `probe` decides by trying.
 * - `sandbox.ts` one sandbox and its states; `process.ts` one process in it, with or without a
 *   terminal; `files.ts`, `watch.ts` its files, found by `paths.ts`, which resolves links itself so
 *   that none leads out.
 * - `network/` a network of its own for each sandbox, with a way in (`connect`) and a way out.
 * - `launcher.ts` a small process that starts all others, so that the server's memory does not slow
 *   it down; killed, it takes processes along, but no files. `spares.ts` sandboxes booted ahead.
 * - `layers.ts` what snapshots are made of. `sweep.ts` what a server that was killed left behind.
 * - `clock.ts` time, which tests can advance. The engine sets no timers: lifetimes are the fronts'.
 *
 * A server that dies, however it dies, takes its sandboxes along: their first process reads from a
 * pipe that ends with it.
 */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Clock, systemClock } from './clock.ts';
import { EngineError } from './errors.ts';
import { type Ground, probe } from './isolation/probe.ts';
import type { Disk, IsolationReport, Layers, Limits, Mode, Mount } from './isolation/types.ts';
import type { LayerStore } from './layers.ts';
import type { NetworkKind } from './network/plan.ts';
import { checkLimits, checkMount } from './options.ts';
import { removeFolder } from './remove.ts';
import { Sandbox, type SandboxHost, type SnapshotData } from './sandbox.ts';
import { PLAIN, Spares } from './spares.ts';
import { makeParent, sweep } from './sweep.ts';

export interface EngineOptions {
  /** Where the engine makes its folder. Defaults to the host's folder for temporary files. */
  dir?: string;
  isolation?: Mode | 'auto';
  clock?: Clock;
  /** Whose network programs in sandboxes use. `auto`: one of their own if this host can. */
  network?: NetworkKind | 'auto';
  /** How many sandboxes are booted ahead, where booting takes time. Defaults to none. */
  spares?: number;
}

export interface CreateOptions {
  id: string;
  /** For whom things are done unless said otherwise. Defaults to `user`. */
  user?: string;
  env?: Readonly<Record<string, string>>;
  mounts?: readonly Mount[];
  /** A snapshot to start from. */
  from?: string;
  /** False keeps programs from reaching anything outside. Needs a network of the sandbox's own. */
  outbound?: boolean;
  limits?: Limits;
}

/** A kept state of a sandbox's files; memory and processes are not part of it. */
export interface Snapshot {
  id: string;
  createdAt: number;
}

/** Starts an engine, after removing what dead ones left in the same place. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const parent = makeParent(options.dir ?? tmpdir());
  await sweep(parent);
  const ground = await probe(parent, options.isolation ?? 'auto', options.network ?? 'auto');
  return new Engine(ground, options.clock ?? systemClock, options.spares ?? 0);
}

/** See {@link createEngine}. */
export class Engine {
  /** How sandboxes are kept apart here, why so, and what that cannot do. */
  readonly isolation: IsolationReport;
  readonly clock: Clock;
  readonly #dir: string;
  readonly #layers: LayerStore;
  readonly #host: SandboxHost;
  readonly #spares: Spares;
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Ids being created: taken, but not there yet. */
  readonly #coming = new Map<string, Promise<unknown>>();
  readonly #snapshots = new Map<string, SnapshotData>();
  #count = 0;
  #closing: Promise<void> | undefined;

  constructor({ dir, layers, isolation, report }: Ground, clock: Clock, spares: number) {
    this.#dir = dir;
    this.#layers = layers;
    this.isolation = report;
    this.clock = clock;
    this.#host = {
      isolation,
      layers,
      clock,
      snapshotData: (id) => this.#snapshot(id),
      forget: (id) => this.#sandboxes.delete(id),
    };
    this.#spares = new Spares(report.mode === 'namespaces' ? spares : 0, () => this.#disk([]));
    this.#fillSpares();
  }

  /** Makes a sandbox and starts it. */
  async create(options: CreateOptions): Promise<Sandbox> {
    this.#checkOpen();
    const { id } = options;
    if (this.#sandboxes.has(id) || this.#coming.has(id)) {
      throw new EngineError('exists', `sandbox '${id}' already exists`);
    }
    const coming = this.#create(options);
    this.#coming.set(
      id,
      coming.catch(() => undefined),
    );
    try {
      return await coming;
    } finally {
      this.#coming.delete(id);
      this.#fillSpares();
    }
  }

  async #create(options: CreateOptions): Promise<Sandbox> {
    const {
      id,
      user = 'user',
      env = {},
      mounts = [],
      from,
      outbound = true,
      limits = {},
    } = options;
    checkLimits(limits);
    if (!outbound && this.isolation.network === 'host') {
      throw new EngineError(
        'unsupported',
        'without a network of its own (see the isolation report) a sandbox cannot be kept from others',
      );
    }
    const layers = from === undefined ? [] : this.#snapshot(from).layers;
    this.#layers.retain(layers);
    try {
      const boot = { mounts: await Promise.all(mounts.map(checkMount)), outbound, limits };
      const isPlain = layers.length === 0 && isDeepStrictEqual(boot, PLAIN);
      const spare = isPlain ? await this.#spares.take() : undefined;
      const disk = spare?.disk ?? (await this.#disk(layers));
      const sandbox = new Sandbox(this.#host, disk, layers, { id, user, env, boot });
      await sandbox.start(spare?.body).catch(async (error) => {
        await disk.remove();
        throw error;
      });
      this.#sandboxes.set(id, sandbox);
      return sandbox;
    } catch (error) {
      await this.#layers.release(layers);
      throw error;
    }
  }

  get(id: string): Sandbox | undefined {
    return this.#sandboxes.get(id);
  }

  list(): Sandbox[] {
    return [...this.#sandboxes.values()];
  }

  /** Keeps the files of a sandbox as they are now; it is paused for the time of the copy. */
  async snapshot(sandboxId: string, id: string): Promise<Snapshot> {
    this.#checkOpen();
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) {
      throw new EngineError('not-found', `sandbox '${sandboxId}' does not exist`);
    }
    if (this.#snapshots.has(id)) throw new EngineError('exists', `snapshot '${id}' already exists`);
    const layers = await sandbox.capture();
    this.#layers.retain(layers);
    const snapshot = { id, createdAt: this.clock.now(), layers };
    this.#snapshots.set(id, snapshot);
    return snapshot;
  }

  snapshots(): Snapshot[] {
    return [...this.#snapshots.values()];
  }

  /** Sandboxes made from it keep what they need of it. */
  async deleteSnapshot(id: string): Promise<void> {
    const { layers } = this.#snapshot(id);
    this.#snapshots.delete(id);
    await this.#layers.release(layers);
  }

  /** A folder for its user's own data that goes with the engine, also when the server is killed. */
  async folder(name: string): Promise<string> {
    const dir = join(this.#dir, name);
    await mkdir(dir, { recursive: true });
    return dir;
  }

  /** Leaves no process, mount or folder. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#coming.values());
    await this.#spares.close();
    await Promise.all(this.list().map((sandbox) => sandbox.delete()));
    await this.#host.isolation.close();
    await removeFolder(this.#dir);
  }

  #disk(layers: Layers): Promise<Disk> {
    return this.#host.isolation.disk(`${++this.#count}`, layers);
  }

  #fillSpares(): void {
    if (this.#closing === undefined) this.#spares.fill(() => this.#coming.size === 0);
  }

  #snapshot(id: string): SnapshotData {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined)
      throw new EngineError('not-found', `snapshot '${id}' does not exist`);
    return snapshot;
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new EngineError('closed', 'the engine was closed');
  }
}
