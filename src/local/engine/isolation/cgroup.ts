import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PREFIX = 'cubeshift-';

/** What a group can limit: the controller, and its file in version 2 and in version 1. */
const CONTROLLERS = {
  pids: ['pids.max', 'pids.max'],
  memory: ['memory.max', 'memory.limit_in_bytes'],
} as const;

type Controller = keyof typeof CONTROLLERS;

/** Files that keep a limit of memory from being evaded to swap; kernels have one or none. */
const SWAP = [
  ['memory.swap.max', () => 0],
  ['memory.memsw.limit_in_bytes', (bytes: number) => bytes],
] as const;

/** Where groups of a controller are made, and the file that takes the limit. */
interface Parent {
  dir: string;
  file: string;
}

/**
 * Control groups that limit memory, and the number of processes on kernels on which a sandbox's
 * process namespace cannot. Joining one makes the kernel wait for all its processors, some 10 ms a
 * process, so they are used only where needed. Freezers are not: a process frozen by one of version
 * 1 cannot be killed and would outlive a crash of the server.
 */
export class ControlGroups {
  readonly #parents: Readonly<Record<Controller, Parent | undefined>>;
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
    this.#parents = { pids: parents('pids').find(works), memory: parents('memory').find(works) };
  }

  can(controller: Controller): boolean {
    return this.#parents[controller] !== undefined;
  }

  /** Makes the group of one sandbox with those limits that this host can keep, if any. */
  group(name: string, limits: Partial<Record<Controller, number>>): ControlGroup | undefined {
    const dirs = new Set<string>();
    for (const controller of ['pids', 'memory'] as const) {
      const limit = limits[controller];
      const parent = this.#parents[controller];
      if (limit === undefined || parent === undefined) continue;
      const dir = join(parent.dir, `${PREFIX}${this.#token}-${name}`);
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, parent.file), `${limit}`);
      if (controller === 'memory') limitSwap(dir, limit);
      dirs.add(dir);
    }
    return dirs.size === 0 ? undefined : new ControlGroup([...dirs]);
  }
}

/** The group of one sandbox: one folder, or one for each controller in version 1. */
export class ControlGroup {
  /** What a process writes itself into. */
  readonly files: readonly string[];
  readonly #dirs: readonly string[];

  constructor(dirs: readonly string[]) {
    this.#dirs = dirs;
    this.files = dirs.map((dir) => join(dir, 'cgroup.procs'));
  }

  async remove(): Promise<void> {
    for (const dir of this.#dirs) await removeGroup(dir);
  }
}

/** The last process may still be on its way out; what stays at worst is an empty folder. */
async function removeGroup(dir: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      rmdirSync(dir);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      await delay(5);
    }
  }
}

/** Removes the groups of a dead engine; they are empty, since its processes died with it. */
export function removeControlGroups(token: string): void {
  for (const { dir } of [...parents('pids'), ...parents('memory')]) {
    try {
      for (const name of readdirSync(dir)) {
        if (name.startsWith(`${PREFIX}${token}-`)) rmdirSync(join(dir, name));
      }
    } catch {
      // A group still in use: the next sweep sees it again.
    }
  }
}

function limitSwap(dir: string, bytes: number): void {
  for (const [file, limit] of SWAP) {
    if (existsSync(join(dir, file))) writeFileSync(join(dir, file), `${limit(bytes)}`);
  }
}

/** Where groups with a controller may be made, the best first. */
function parents(controller: Controller): Parent[] {
  const [unified, old] = CONTROLLERS[controller];
  return [
    { dir: place('cgroup2', ''), file: unified },
    { dir: place('cgroup', controller), file: old },
  ].flatMap(({ dir, file }) => (dir === undefined ? [] : [{ dir, file }]));
}

/** The folder of this process in a hierarchy, where it may make groups below its own. */
function place(type: 'cgroup' | 'cgroup2', controller: string): string | undefined {
  try {
    const mount = lines('/proc/self/mounts')
      .map((line) => line.split(' '))
      .find(([, , kind, options = '']) => {
        return kind === type && (controller === '' || options.split(',').includes(controller));
      })?.[1];
    const own = lines('/proc/self/cgroup')
      .find((line) => line.split(':')[1]?.split(',').includes(controller))
      ?.split(':')
      .slice(2)
      .join(':');
    return mount === undefined || own === undefined ? undefined : join(mount, own);
  } catch {
    return undefined;
  }
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n');
}

/** Whether a group made here has the controller. */
function works({ dir: parent, file }: Parent): boolean {
  const dir = join(parent, `${PREFIX}probe-${process.pid}`);
  try {
    mkdirSync(dir);
    return existsSync(join(dir, file));
  } catch {
    return false;
  } finally {
    try {
      rmdirSync(dir);
    } catch {
      // Never made.
    }
  }
}
