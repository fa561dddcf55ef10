import { chmodSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '../errors.ts';
import type { LayerStore } from '../layers.ts';
import { ownNetwork, type SandboxNetwork, sharedNetwork } from '../network/network.ts';
import type { NetworkPlan } from '../network/plan.ts';
import { removeFolder } from '../remove.ts';
import { type Keeper, keep, mustRun } from '../run.ts';
import type { ControlGroup } from './cgroup.ts';
import { fstab, type Mount } from './fstab.ts';
import { NamespaceBody } from './namespace-body.ts';
import { pidsInNamespace } from './proc.ts';
import { overlayOptions, type Rights } from './rights.ts';
import { initOf } from './scripts.ts';
import type { Body, BootOptions, Disk, Layers, Limits } from './types.ts';

/** Since Linux 6.14 the limit of process numbers is a namespace's own. Before, it is the host's! */
export const PIDS_PER_NAMESPACE = isKernel(6, 14);

/** Enough for a build in a sandbox, far too few for a fork bomb to hurt the host. */
export const MAX_PIDS = 2048;

/** What the disks of an engine have in common. */
export interface Common {
  dir: string;
  layers: LayerStore;
  /** Keeps what all sandboxes are mounted over, in the folder `root`. */
  base: Keeper;
  /** Folders below it that are mounted each on its own, the outer ones first. */
  parts: readonly string[];
  rights: Rights;
  network: NetworkPlan;
  /** Whether control groups limit the number of processes. */
  countsPids: boolean;
}

/** Over its files. */
const OF_EVERY_SANDBOX: readonly Mount[] = [
  ['proc', 'proc', 'proc', 'nosuid,nodev,noexec'],
  ['devpts', 'dev/pts', 'devpts', 'newinstance,ptmxmode=0666,mode=0620'],
  ['mnt/proc/sys', 'proc/sys', 'none', 'bind,ro'],
];

type MakeGroup = (limits: Limits) => ControlGroup | undefined;

/**
 * The disk of a sandbox in namespaces: what it has written, over layers of snapshots, over what all
 * share. Each of them is a folder with one folder for every part, named by number.
 */
export class OverlayDisk implements Disk {
  readonly written: string;
  readonly #common: Common;
  /** Inside the engine's folder, as mount options have it. */
  readonly #folder: string;
  readonly #group: MakeGroup;
  #layers: Layers = [];
  #boots = 0;

  constructor(common: Common, name: string, group: MakeGroup) {
    this.#common = common;
    this.#folder = join('sandboxes', name);
    this.#group = group;
    this.written = join(common.dir, this.#folder, 'upper');
  }

  async boot({ mounts, outbound, limits }: BootOptions): Promise<Body> {
    const { dir, base, network: plan, rights, countsPids } = this.#common;
    const { pids = MAX_PIDS } = limits;
    const isolate = ['--mount', '--pid', '--fork', '--uts', '--ipc', ...plan.unshare];
    const isOutbound = outbound && plan.outbound;
    let network = sharedNetwork(() => []);
    const helper = [
      ...['-t', `${base.pid}`, ...rights.nsenter, '-m', '--'],
      ...['unshare', ...isolate, '--propagation', 'private'],
      ...['/bin/sh', '-c', initOf(plan.prepare(isOutbound), rights.dialect), 'init', dir],
      PIDS_PER_NAMESPACE ? `${pids}` : '0',
      await this.#table(),
      ...mounts.flatMap(({ hostDir, path, readOnly }) => [hostDir, path, readOnly ? 'ro' : 'rw']),
    ];
    // The way out takes a while to open; meanwhile the sandbox mounts its files.
    const begun = (pid: number): void => {
      network = openNetwork(this.#common, pid, isOutbound);
    };
    const init = await keep('nsenter', helper, { begun }).catch(async (error) => {
      await network.end();
      throw error;
    });
    if (!(await network.ready)) {
      await Promise.all([init.end(), network.end()]);
      throw new EngineError(
        'spawn-failed',
        'the way out of a sandbox’s network could not be opened',
      );
    }
    const group = this.#group(limits);
    const perUser = PIDS_PER_NAMESPACE || countsPids ? undefined : pids;
    return new NamespaceBody({ init, network, group, perUser, rights, nsenter: plan.nsenter });
  }

  async capture(): Promise<Layers> {
    const { dir, layers, base, rights } = this.#common;
    const layer = layers.allocate();
    try {
      // Keeps whiteouts, which are devices, and opaque marks, which are extended attributes. Copied
      // with the rights of a sandbox's root, which may read what its owner may not.
      await mustRun('nsenter', [
        ...['-t', `${base.pid}`, ...rights.nsenter, '-m', '--'],
        ...['cp', '-a', '--reflink=auto', this.written, join(dir, layer)],
      ]);
    } catch (error) {
      await layers.discard(layer);
      throw error;
    }
    return [layer, ...this.#layers];
  }

  async reset(layers: Layers): Promise<void> {
    await removeFolder(this.written);
    for (const [i] of this.#common.parts.entries()) {
      const upper = join(this.written, `${i}`);
      mkdirSync(upper, { recursive: true });
      chmodSync(upper, 0o755);
    }
    this.#layers = layers;
  }

  async remove(): Promise<void> {
    await removeFolder(join(this.#common.dir, this.#folder));
  }

  /** Writes down what is mounted to make the root, and gives the file's name. */
  async #table(): Promise<string> {
    const { dir, rights } = this.#common;
    const table = join(this.#folder, 'fstab');
    const mounts = [...(await this.#overlays()), ...rights.dialect.mounts, ...OF_EVERY_SANDBOX];
    await writeFile(join(dir, table), fstab('mnt', mounts));
    return table;
  }

  async #overlays(): Promise<Mount[]> {
    const { dir, parts, rights } = this.#common;
    // A work folder serves one mount only, since `volatile` leaves a mark in it.
    const work = (boot: number): string => join(this.#folder, `work${boot}`);
    if (this.#boots > 0) await removeFolder(join(dir, work(this.#boots)));
    this.#boots++;
    return parts.map((part, i): Mount => {
      const [own, scratch] = [join(this.#folder, 'upper', `${i}`), join(work(this.#boots), `${i}`)];
      mkdirSync(join(dir, scratch), { recursive: true });
      const lower = [...this.#layers.map((layer) => join(layer, `${i}`)), join('root', part)];
      return ['overlay', part, 'overlay', overlayOptions(rights, lower, own, scratch)];
    });
  }
}

function openNetwork(
  { network, rights }: Common,
  pid: number,
  isOutbound: boolean,
): SandboxNetwork {
  if (network.kind === 'host') return sharedNetwork(() => pidsInNamespace(pid));
  const nsenter = [...rights.nsenter, ...network.nsenter];
  return ownNetwork(pid, nsenter, isOutbound);
}

function isKernel(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = release().split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
