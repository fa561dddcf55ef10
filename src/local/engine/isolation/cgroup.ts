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

/**
 * Control groups that limit how many processes a sandbox has, for kernels on which its process
 * namespace cannot. Joining one makes the kernel wait for all its processors, some 10 ms a process,
 * so they are the second choice. Freezers are not used: a process frozen by one of version 1 cannot
 * be killed and would outlive a crash of the server.
 */
export class PidGroups {
  readonly #parent: string | undefined;
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
    this.#parent = places().find(works);
  }

  get isUsable(): boolean {
    return this.#parent !== undefined;
  }

  /** Makes the group of one sandbox, if this host lets us. */
  group(name: string, max: number): PidGroup | undefined {
    if (this.#parent === undefined) return undefined;
    const dir = join(this.#parent, `${PREFIX}${this.#token}-${name}`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'pids.max'), `${max}`);
    return new PidGroup(dir);
  }
}

/** The group of one sandbox. */
export class PidGroup {
  /** What a process writes itself into. */
  readonly file: string;
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.file = join(dir, 'cgroup.procs');
  }

  /** The last process may still be on its way out; what stays at worst is an empty folder. */
  async remove(): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt++) {
      try {
        rmdirSync(this.#dir);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
        await delay(5);
      }
    }
  }
}

/** Removes the groups of a dead engine; they are empty, since its processes died with it. */
export function removePidGroups(token: string): void {
  for (const parent of places()) {
    try {
      for (const name of readdirSync(parent)) {
        if (name.startsWith(`${PREFIX}${token}-`)) rmdirSync(join(parent, name));
      }
    } catch {
      // A group still in use: the next sweep sees it again.
    }
  }
}

/** Where groups that count processes may be made, the best first. */
function places(): string[] {
  return [place('cgroup2', ''), place('cgroup', 'pids')].filter((dir) => dir !== undefined);
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

/** Whether a group made here can count processes. */
function works(parent: string): boolean {
  const dir = join(parent, `${PREFIX}probe-${process.pid}`);
  try {
    mkdirSync(dir);
    return existsSync(join(dir, 'pids.max'));
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
