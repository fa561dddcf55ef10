import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { LayerStore } from '../layers.ts';
import { removeFolder } from '../remove.ts';
import { type Keeper, keep, mustRun, run } from '../run.ts';
import { writeBase } from './base.ts';
import { type PidGroup, PidGroups } from './cgroup.ts';
import { innerCommand } from './launch.ts';
import { pidsInNamespace } from './proc.ts';
import { BASE, INIT, OPEN_GROUP, overlayOptions, PATH } from './scripts.ts';
import { continueAll, stopAll } from './signals.ts';
import type { Body, Command, Disk, Isolation, Launch, Layers, Mount, Root, Size } from './types.ts';

/** Rights over the whole host that no program in a sandbox needs, not even as root. */
const DROPPED = '-sys_admin,-sys_module,-sys_rawio,-sys_boot,-sys_time,-mknod,-syslog,-mac_admin';

/** Since Linux 6.14 the limit of process numbers is a namespace's own. Before, it is the host's! */
const PIDS_PER_NAMESPACE = isKernel(6, 14);

/** Enough for a build in a sandbox, far too few for a fork bomb to hurt the host. */
const MAX_PIDS = 2048;

/**
 * Every sandbox a mount, process, host name and IPC namespace with an overlay of its own over the
 * host's root. Needs root.
 */
export class NamespaceIsolation implements Isolation {
  readonly limits: readonly string[];
  readonly path = PATH;
  readonly #dir: string;
  readonly #layers: LayerStore;
  readonly #base: Keeper;
  readonly #cgroups: PidGroups;

  private constructor(dir: string, token: string, layers: LayerStore, base: Keeper) {
    this.#dir = dir;
    this.#layers = layers;
    this.#base = base;
    this.#cgroups = new PidGroups(token);
    this.limits = [
      'the network is the host’s: two sandboxes cannot listen on the same port',
      'root in a sandbox is root for the kernel: this keeps programs apart, not attackers',
      ...(existsSync('/usr/bin/sudo') ? [] : ['no sudo, since this host has none']),
      ...(PIDS_PER_NAMESPACE || this.#cgroups.isUsable
        ? []
        : ['processes are limited per user, not per sandbox, and not at all for root']),
    ];
  }

  static async open(dir: string, token: string, layers: LayerStore): Promise<NamespaceIsolation> {
    for (const name of ['base', 'basework', 'root', 'mnt', 'sandboxes']) {
      mkdirSync(join(dir, name));
    }
    // The layer's own folder becomes the root folder of every sandbox.
    chmodSync(join(dir, 'base'), 0o755);
    const { hide, make } = writeBase(join(dir, 'base'), dir);
    const options = overlayOptions(['/'], 'base', 'basework');
    const isolate = ['--mount', '--propagation', 'private', '/bin/sh', '-c', BASE, 'base'];
    const base = await keep('unshare', [...isolate, dir, options, ...hide, '--', ...make]);
    return new NamespaceIsolation(dir, token, layers, base);
  }

  async disk(name: string, layers: Layers): Promise<Disk> {
    const folder = join('sandboxes', name);
    mkdirSync(join(this.#dir, folder, 'upper'), { recursive: true });
    chmodSync(join(this.#dir, folder, 'upper'), 0o755);
    return new OverlayDisk(
      { dir: this.#dir, folder, layers: this.#layers, base: this.#base },
      () => (PIDS_PER_NAMESPACE ? undefined : this.#cgroups.group(name, MAX_PIDS)),
      layers,
    );
  }

  async close(): Promise<void> {
    await this.#base.end();
  }
}

interface Place {
  dir: string;
  folder: string;
  layers: LayerStore;
  base: Keeper;
}

class OverlayDisk implements Disk {
  readonly #place: Place;
  readonly #group: () => PidGroup | undefined;
  #layers: Layers;
  #boots = 0;

  constructor(place: Place, group: () => PidGroup | undefined, layers: Layers) {
    this.#place = place;
    this.#group = group;
    this.#layers = layers;
  }

  async boot(mounts: readonly Mount[]): Promise<Body> {
    const { dir, folder, base } = this.#place;
    // A work folder serves one mount only, since `volatile` leaves a mark in it.
    if (this.#boots > 0) rmSync(this.#work(), { recursive: true, force: true });
    this.#boots++;
    mkdirSync(this.#work());
    const options = overlayOptions(
      [...this.#layers, 'root'],
      join(folder, 'upper'),
      join(folder, `work${this.#boots}`),
    );
    const init = await keep('nsenter', [
      ...['-t', `${base.pid}`, '-m', '--'],
      ...['unshare', '--mount', '--pid', '--fork', '--uts', '--ipc', '--propagation', 'private'],
      ...['/bin/sh', '-c', INIT, 'init', dir, options, PIDS_PER_NAMESPACE ? `${MAX_PIDS}` : '0'],
      ...mounts.flatMap(({ hostDir, path, readOnly }) => [hostDir, path, readOnly ? 'ro' : 'rw']),
    ]);
    return new NamespaceBody(init, this.#group());
  }

  async capture(): Promise<Layers> {
    const { dir, folder, layers } = this.#place;
    const layer = layers.allocate();
    try {
      // Keeps whiteouts, which are devices, and opaque marks, which are extended attributes.
      await mustRun('cp', ['-a', '--reflink=auto', join(dir, folder, 'upper'), join(dir, layer)]);
    } catch (error) {
      await layers.discard(layer);
      throw error;
    }
    return [layer, ...this.#layers];
  }

  async reset(layers: Layers): Promise<void> {
    const upper = join(this.#place.dir, this.#place.folder, 'upper');
    await removeFolder(upper);
    mkdirSync(upper);
    chmodSync(upper, 0o755);
    this.#layers = layers;
  }

  async remove(): Promise<void> {
    await removeFolder(join(this.#place.dir, this.#place.folder));
  }

  #work(): string {
    return join(this.#place.dir, this.#place.folder, `work${this.#boots}`);
  }
}

class NamespaceBody implements Body {
  readonly root: Root;
  readonly ended: Promise<void>;
  readonly #init: Keeper;
  readonly #group: PidGroup | undefined;
  /** The `nsenter` of each process, outside. */
  readonly #helpers = new Set<number>();

  constructor(init: Keeper, group: PidGroup | undefined) {
    this.#init = init;
    this.#group = group;
    this.root = { dir: `/proc/${init.pid}/root/` };
    this.ended = init.ended.then(() => group?.remove());
  }

  command(launch: Launch): Command {
    const { uid, gid } = launch.user;
    const file = this.#group?.file;
    const isUnlimited = file === undefined && !PIDS_PER_NAMESPACE && uid !== 0;
    const limit = isUnlimited ? ['prlimit', `--nproc=${MAX_PIDS}`, '--'] : [];
    const inside = [
      // A session of its own, so that its whole group can be signalled.
      'setsid',
      ...limit,
      'setpriv',
      ...[`--reuid=${uid}`, `--regid=${gid}`, '--init-groups', `--bounding-set=${DROPPED}`, '--'],
      ...innerCommand(launch),
    ];
    // Only helpers see this environment: the program's own is made inside.
    const env = { PATH };
    const [program = '', ...args] = [...this.#enter(), ...inside];
    if (file === undefined) return { file: program, args, env };
    return { file: '/bin/sh', args: ['-c', OPEN_GROUP, 'open', file, program, ...args], env };
  }

  started(pid: number): void {
    this.#helpers.add(pid);
  }

  exited(pid: number): void {
    this.#helpers.delete(pid);
  }

  async signal(pid: number, name: string, group: boolean): Promise<boolean> {
    // Only the process namespace is entered, so the shell is the host's.
    const { code } = await run('nsenter', [
      ...['-t', `${this.#init.pid}`, '-p', '--', '/bin/sh', '-c', 'kill -s "$1" -- "$2"', 'kill'],
      ...[name.replace(/^SIG/, ''), `${group ? '-' : ''}${pid}`],
    ]);
    return code === 0;
  }

  async resize(tty: string, { cols, rows }: Size): Promise<void> {
    await mustRun('nsenter', [
      ...['-t', `${this.#init.pid}`, '-m', '-r', '--'],
      ...['stty', '-F', tty, 'rows', `${rows}`, 'cols', `${cols}`],
    ]);
  }

  async freeze(): Promise<void> {
    stopAll(() => this.#others());
  }

  async thaw(): Promise<void> {
    this.#continue();
  }

  async end(): Promise<void> {
    await this.#init.end();
    this.#continue();
    await this.ended;
  }

  /** `nsenter` stops when its child does, and then does not notice the child's end either. */
  #continue(): void {
    continueAll(() => [...this.#helpers, ...this.#others()]);
  }

  /** Process 1 must stay awake to notice that the server is gone. */
  #others(): number[] {
    return pidsInNamespace(this.#init.pid).filter((pid) => pid !== this.#init.pid);
  }

  #enter(): string[] {
    return [
      // A helper may be stopped when the server dies, see `#continue`.
      ...['setpriv', '--pdeathsig', 'KILL', '--'],
      ...['nsenter', '-t', `${this.#init.pid}`, '-m', '-u', '-i', '-p', '-r', '-w', '--'],
    ];
  }
}

function isKernel(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = release().split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
