import type { Duplex } from 'node:stream';
import type { LayerStore } from '../layers.ts';
import type { NetworkKind, NetworkPlan } from '../network/plan.ts';
import type { User } from '../users.ts';

export type Mode = 'namespaces' | 'directory';

/** What was chosen, why, and what it cannot do. */
export interface IsolationReport {
  mode: Mode;
  reason: string;
  limits: readonly string[];
  /** Whose network programs in sandboxes use. */
  network: NetworkKind;
}

/** A folder of the host inside a sandbox; not part of its disk or snapshots. */
export interface Mount {
  hostDir: string;
  path: string;
  readOnly?: boolean;
}

export interface Size {
  cols: number;
  rows: number;
}

/** A process to start, with everything decided. */
export interface Launch {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  user: User;
  pty?: Size;
}

/** A program of the host with its arguments; never a line for a shell to take apart. */
export interface Command {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** Where a sandbox's file system is on the host. */
export interface Root {
  dir: string;
  /** Mounts that the host does not see as such: sandbox path to host folder. */
  mounts?: ReadonlyMap<string, string>;
}

/** A running sandbox, as its isolation sees it. */
export interface Body {
  readonly root: Root;
  /** Resolves when nothing of it runs any more, whoever ended it. */
  readonly ended: Promise<void>;
  command(launch: Launch): Command;
  /** Tells of a process that {@link command} led to, by its number on the host. */
  started(pid: number): void;
  exited(pid: number): void;
  /** To one process or its whole group; false when there is none. */
  signal(pid: number, name: string, group: boolean): Promise<boolean>;
  resize(tty: string, size: Size): Promise<void>;
  /** To a port on the sandbox's own loopback; an error `refused` when nothing listens. */
  connect(port: number): Promise<Duplex>;
  listeningPorts(): number[];
  /** Its processes, as the host counts. */
  pids(): number[];
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  end(): Promise<void>;
}

/** What a sandbox may use at most, where its isolation can keep it; its report says if not. */
export interface Limits {
  /** A process that needs more is killed: SIGKILL, exit code 137. */
  memoryMb?: number;
  /** Processes and threads; at least {@link MIN_PIDS}. */
  pids?: number;
}

/** The kernel takes no smaller limit of process numbers. */
export const MIN_PIDS = 301;

/** What a sandbox is started with. */
export interface BootOptions {
  mounts: readonly Mount[];
  /** Whether programs may reach anything outside the sandbox. */
  outbound: boolean;
  limits: Limits;
}

/** The files of one sandbox, running or not. */
export interface Disk {
  boot(options: BootOptions): Promise<Body>;
  /** The folder on the host that holds what the sandbox has written. */
  readonly written: string;
  /** Copies the state of the disk; the answer is what a new disk is made from. */
  capture(): Promise<Layers>;
  /** Forgets what was written since `layers`. */
  reset(layers: Layers): Promise<void>;
  remove(): Promise<void>;
}

/** Read-only folders below a sandbox's own, topmost first; names inside the engine's folder. */
export type Layers = readonly string[];

/** Where an isolation works, and with what. */
export interface OpenOptions {
  dir: string;
  /** Marks what belongs to the engine elsewhere on the host. */
  token: string;
  layers: LayerStore;
  network: NetworkKind | 'auto';
}

/** One way to keep sandboxes apart. */
export interface Isolation {
  readonly limits: readonly string[];
  readonly network: NetworkPlan;
  /** Users of a sandbox whose files cannot be asked; undefined: they say it themselves. */
  readonly users?: readonly User[];
  /** PATH of its processes. */
  readonly path: string;
  disk(name: string, layers: Layers): Promise<Disk>;
  close(): Promise<void>;
}
