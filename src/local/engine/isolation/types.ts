import type { User } from '../users.ts';

export type Mode = 'namespaces' | 'directory';

/** What was chosen, why, and what it cannot do. */
export interface IsolationReport {
  mode: Mode;
  reason: string;
  limits: readonly string[];
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
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  end(): Promise<void>;
}

/** The files of one sandbox, running or not. */
export interface Disk {
  boot(mounts: readonly Mount[]): Promise<Body>;
  /** Copies the state of the disk; the answer is what a new disk is made from. */
  capture(): Promise<Layers>;
  /** Forgets what was written since `layers`. */
  reset(layers: Layers): Promise<void>;
  remove(): Promise<void>;
}

/** Read-only folders below a sandbox's own, topmost first; names inside the engine's folder. */
export type Layers = readonly string[];

/** One way to keep sandboxes apart. */
export interface Isolation {
  readonly limits: readonly string[];
  /** Users of a sandbox whose files cannot be asked; undefined: they say it themselves. */
  readonly users?: readonly User[];
  /** PATH of its processes. */
  readonly path: string;
  disk(name: string, layers: Layers): Promise<Disk>;
  close(): Promise<void>;
}
