import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join, posix } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../errors.ts';
import { launchHere } from '../launcher.ts';
import type { LayerStore } from '../layers.ts';
import { type SandboxNetwork, sharedNetwork } from '../network/network.ts';
import { hostNetwork } from '../network/plan.ts';
import { removeFolder } from '../remove.ts';
import { type Keeper, keep, mustRun } from '../run.ts';
import { SANDBOX_USERS, type User, usersOfServer } from '../users.ts';
import { innerCommand } from './launch.ts';
import { pidsWithEnv } from './proc.ts';
import { GUARD, PATH } from './scripts.ts';
import { continueAll, send, stopAll } from './signals.ts';
import type {
  Body,
  BootOptions,
  Command,
  Disk,
  Isolation,
  Launch,
  Layers,
  OpenOptions,
  Root,
  Size,
} from './types.ts';

const IS_LINUX = process.platform === 'linux';

/** Variable every process of a sandbox is started with; what finds it again. */
const MARK = 'CUBESHIFT_SANDBOX';

/** Every sandbox a folder, its processes ordinary ones of the host. Works everywhere. */
export class DirectoryIsolation implements Isolation {
  readonly limits: readonly string[] = [
    'commands see the host’s files: absolute paths inside commands are the host’s',
    process.getuid?.() === 0
      ? 'the server runs as root, and so does every command, on this host'
      : 'all users of a sandbox are the user the server runs as',
    ...hostNetwork().limits,
    'processes and the host name are the host’s, and so are process numbers',
    'mounts cannot be read-only, and neither memory nor the number of processes is limited',
    IS_LINUX
      ? 'a process that clears its environment is not paused or ended with its sandbox'
      : 'no terminals; a process that leaves its group is not paused or ended with its sandbox',
  ];
  readonly users: readonly User[];
  readonly network = hostNetwork();
  /** Tools are wherever this host has them. */
  readonly path = process.env.PATH ?? PATH;
  readonly #dir: string;
  readonly #token: string;
  readonly #layers: LayerStore;
  readonly #guard: Keeper | undefined;

  private constructor(dir: string, token: string, layers: LayerStore, guard: Keeper | undefined) {
    this.#dir = dir;
    this.#token = token;
    this.#layers = layers;
    this.#guard = guard;
    this.users = usersOfServer('/bin/sh');
  }

  static async open(options: OpenOptions): Promise<DirectoryIsolation> {
    const { dir, token, layers, network } = options;
    if (network === 'separate') {
      throw new EngineError('unsupported', 'a sandbox in a folder has no network of its own');
    }
    mkdirSync(join(dir, 'sandboxes'));
    const guard = IS_LINUX
      ? await keep('/bin/sh', ['-c', GUARD, 'guard', token], { by: launchHere })
      : undefined;
    return new DirectoryIsolation(dir, token, layers, guard);
  }

  async disk(name: string, layers: Layers): Promise<Disk> {
    const disk = new FolderDisk(
      this.#dir,
      join(this.#dir, 'sandboxes', name),
      `${this.#token}-${name}`,
      this.#layers,
    );
    await disk.reset(layers);
    return disk;
  }

  async close(): Promise<void> {
    await this.#guard?.end();
  }
}

class FolderDisk implements Disk {
  readonly #engineDir: string;
  readonly #dir: string;
  readonly #mark: string;
  readonly #layers: LayerStore;

  constructor(engineDir: string, dir: string, mark: string, layers: LayerStore) {
    this.#engineDir = engineDir;
    this.#dir = dir;
    this.#mark = mark;
    this.#layers = layers;
  }

  get written(): string {
    return this.#dir;
  }

  async boot({ mounts }: BootOptions): Promise<Body> {
    for (const { hostDir, path } of mounts) {
      const link = join(this.#dir, path);
      mkdirSync(dirname(link), { recursive: true });
      rmSync(link, { recursive: true, force: true });
      symlinkSync(hostDir, link);
    }
    const jumps = new Map(mounts.map(({ hostDir, path }) => [path, hostDir]));
    return new FolderBody({ dir: this.#dir, mounts: jumps }, this.#mark);
  }

  async capture(): Promise<Layers> {
    const layer = this.#layers.allocate();
    try {
      await mustRun('cp', ['-pPR', this.#dir, join(this.#engineDir, layer)]);
    } catch (error) {
      await this.#layers.discard(layer);
      throw error;
    }
    return [layer];
  }

  async reset([layer]: Layers): Promise<void> {
    await removeFolder(this.#dir);
    if (layer !== undefined) {
      await mustRun('cp', ['-pPR', join(this.#engineDir, layer), this.#dir]);
      return;
    }
    const homes = SANDBOX_USERS.map(({ home }) => home.slice(1));
    for (const folder of ['tmp', 'workspace', 'root', 'etc', 'mnt', 'media', 'srv', ...homes]) {
      mkdirSync(join(this.#dir, folder), { recursive: true });
    }
    chmodSync(join(this.#dir, 'tmp'), 0o1777);
    writeFileSync(join(this.#dir, 'etc/hostname'), 'sandbox\n');
  }

  remove(): Promise<void> {
    return removeFolder(this.#dir);
  }
}

class FolderBody implements Body {
  readonly root: Root;
  readonly ended: Promise<void>;
  readonly #mark: string;
  readonly #network: SandboxNetwork;
  #resolveEnded = (): void => undefined;
  /** Groups started, for hosts on which the mark cannot be looked up. */
  readonly #groups = new Set<number>();

  constructor(root: Root, mark: string) {
    this.root = root;
    this.#mark = mark;
    this.#network = sharedNetwork(() => this.pids());
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  command(launch: Launch): Command {
    const inside = (path: string): string => join(this.root.dir, posix.normalize(path));
    const [file = '', ...args] = innerCommand({
      ...launch,
      cwd: inside(launch.cwd),
      env: {
        ...launch.env,
        ...(launch.env.HOME === launch.user.home ? { HOME: inside(launch.user.home) } : {}),
        TMPDIR: inside('/tmp'),
        [MARK]: this.#mark,
      },
    });
    return { file, args, env: { PATH, [MARK]: this.#mark } };
  }

  async signal(pid: number, name: string, group: boolean): Promise<boolean> {
    return send(group ? -pid : pid, name as NodeJS.Signals);
  }

  resize(tty: string, { cols, rows }: Size): Promise<void> {
    if (!IS_LINUX) throw new EngineError('unsupported', 'terminals need Linux');
    return mustRun('stty', ['-F', tty, 'rows', `${rows}`, 'cols', `${cols}`]);
  }

  started(pid: number): void {
    this.#groups.add(pid);
  }

  /** Its group may live on, but its number may also come to mean another. */
  exited(pid: number): void {
    this.#groups.delete(pid);
  }

  connect(port: number): Promise<Socket> {
    return this.#network.connect(port);
  }

  listeningPorts(): number[] {
    return this.#network.listeningPorts();
  }

  pids(): number[] {
    if (IS_LINUX) return this.#pids();
    throw new EngineError('unsupported', 'processes of a sandbox can be told on Linux only');
  }

  async freeze(): Promise<void> {
    stopAll(() => this.#pids());
  }

  async thaw(): Promise<void> {
    continueAll(() => this.#pids());
  }

  async end(): Promise<void> {
    // Until a round finds nothing: one that was being started may not have shown yet.
    for (;;) {
      const pids = this.#pids();
      const alive = pids.filter((pid) => send(pid, 'SIGKILL'));
      if (alive.length === 0) break;
      await delay(5);
    }
    this.#resolveEnded();
  }

  #pids(): number[] {
    if (!IS_LINUX) return [...this.#groups].map((pid) => -pid);
    return pidsWithEnv((pair) => pair === `${MARK}=${this.#mark}`);
  }
}
