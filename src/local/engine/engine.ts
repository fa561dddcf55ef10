/**
 * The engine of `cubeshift local`: real processes in sandboxes that are kept apart, with files,
 * terminals, snapshots and clean-up. It knows no vendor and no protocol; the fronts do.
 *
 * - `isolation/` how sandboxes are kept apart. `namespaces`: an overlay over the host's root in
 *   namespaces of its own, entered anew for every process. `directory`: a folder and ordinary
 *   processes, with a list of what that cannot do. `probe` decides by trying.
 * - `sandbox.ts` one sandbox and its states; `process.ts` one process in it, with or without a
 *   terminal; `files.ts`, `watch.ts` its files, found by `paths.ts`, which resolves links itself so
 *   that none leads out.
 * - `layers.ts` what snapshots are made of. `sweep.ts` what a server that was killed left behind.
 * - `clock.ts` time, which tests can advance. The engine sets no timers: lifetimes are the fronts'.
 *
 * A server that dies, however it dies, takes its sandboxes along: their first process reads from a
 * pipe that ends with it.
 */
import { realpathSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { EngineError } from './errors.ts';
import { type Ground, probe } from './isolation/probe.ts';
import type { IsolationReport, Mode, Mount } from './isolation/types.ts';
import type { LayerStore } from './layers.ts';
import { removeFolder } from './remove.ts';
import { Sandbox, type SandboxHost, type SnapshotData } from './sandbox.ts';
import { sweep } from './sweep.ts';

export interface EngineOptions {
  /** Where the engine makes its folder. Defaults to the host's folder for temporary files. */
  dir?: string;
  isolation?: Mode | 'auto';
  clock?: Clock;
}

export interface CreateOptions {
  id: string;
  /** For whom things are done unless said otherwise. Defaults to `user`. */
  user?: string;
  env?: Readonly<Record<string, string>>;
  mounts?: readonly Mount[];
  /** A snapshot to start from. */
  from?: string;
}

/** A kept state of a sandbox's files; memory and processes are not part of it. */
export interface Snapshot {
  id: string;
  createdAt: number;
}

/** Starts an engine, after removing what dead ones left in the same place. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const parent = options.dir ?? tmpdir();
  await mkdir(parent, { recursive: true });
  // Hidden in sandboxes and put into mount options by its real name.
  const real = realpathSync(parent);
  await sweep(real);
  const ground = await probe(real, options.isolation ?? 'auto');
  return new Engine(ground, options.clock ?? systemClock);
}

/** See {@link createEngine}. */
export class Engine {
  /** How sandboxes are kept apart here, why so, and what that cannot do. */
  readonly isolation: IsolationReport;
  readonly clock: Clock;
  readonly #dir: string;
  readonly #layers: LayerStore;
  readonly #host: SandboxHost;
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Ids being created: taken, but not there yet. */
  readonly #coming = new Map<string, Promise<unknown>>();
  readonly #snapshots = new Map<string, SnapshotData>();
  #count = 0;
  #closing: Promise<void> | undefined;

  constructor({ dir, layers, isolation, report }: Ground, clock: Clock) {
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
    }
  }

  async #create({ id, user = 'user', env = {}, mounts = [], from }: CreateOptions) {
    const layers = from === undefined ? [] : this.#snapshot(from).layers;
    this.#layers.retain(layers);
    const name = `${++this.#count}`;
    try {
      const checked = await Promise.all(mounts.map(checkMount));
      const disk = await this.#host.isolation.disk(name, layers);
      const sandbox = new Sandbox(this.#host, disk, layers, { id, user, env, mounts: checked });
      await sandbox.start().catch(async (error) => {
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

  /** Leaves no process, mount or folder. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#coming.values());
    await Promise.all(this.list().map((sandbox) => sandbox.delete()));
    await this.#host.isolation.close();
    await removeFolder(this.#dir);
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

/** A mount as the isolation may rely on it: real folder, clean absolute path that is not the root. */
async function checkMount({ hostDir, path, readOnly = false }: Mount): Promise<Mount> {
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  if (!path.startsWith('/') || clean === '/' || clean.includes('\0')) {
    throw new EngineError('invalid', `'${path}' cannot be mounted on: an absolute path is needed`);
  }
  const isFolder = await stat(hostDir).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new EngineError('not-found', `'${hostDir}' is not a folder of this host`);
  return { hostDir: realpathSync(hostDir), path: clean, readOnly };
}
