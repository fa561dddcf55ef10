import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { LayerStore } from '../layers.ts';
import { ownNetwork, type SandboxNetwork, sharedNetwork } from '../network/network.ts';
import { type NetworkPlan, planNetwork } from '../network/plan.ts';
import { removeFolder } from '../remove.ts';
import { type Keeper, keep, mustRun } from '../run.ts';
import { writeBase } from './base.ts';
import { type ControlGroup, ControlGroups } from './cgroup.ts';
import { NamespaceBody } from './namespace-body.ts';
import { pidsInNamespace } from './proc.ts';
import { BASE, initOf, overlayOptions, PATH } from './scripts.ts';
import type { Body, BootOptions, Disk, Isolation, Layers, Limits, OpenOptions } from './types.ts';

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
  readonly network: NetworkPlan;
  readonly path = PATH;
  readonly #dir: string;
  readonly #layers: LayerStore;
  readonly #base: Keeper;
  readonly #cgroups: ControlGroups;

  private constructor({ dir, token, layers }: OpenOptions, base: Keeper, network: NetworkPlan) {
    this.#dir = dir;
    this.#layers = layers;
    this.#base = base;
    this.network = network;
    this.#cgroups = new ControlGroups(token);
    this.limits = [
      ...network.limits,
      'root in a sandbox is root for the kernel: this keeps programs apart, not attackers',
      ...(existsSync('/usr/bin/sudo') ? [] : ['no sudo, since this host has none']),
      ...(this.#cgroups.can('memory')
        ? []
        : ['the memory of a sandbox cannot be limited: no control group for it can be made here']),
      ...(PIDS_PER_NAMESPACE || this.#cgroups.can('pids')
        ? []
        : ['processes are limited per user, not per sandbox, and not at all for root']),
    ];
  }

  static async open(options: OpenOptions): Promise<NamespaceIsolation> {
    const { dir } = options;
    const network = await planNetwork(options.network);
    for (const name of ['base', 'basework', 'root', 'mnt', 'sandboxes']) {
      mkdirSync(join(dir, name));
    }
    // The layer's own folder becomes the root folder of every sandbox.
    chmodSync(join(dir, 'base'), 0o755);
    const { hide, make } = writeBase(join(dir, 'base'), dir, network.resolver);
    const mount = overlayOptions(['/'], 'base', 'basework');
    const isolate = ['--mount', '--propagation', 'private', '/bin/sh', '-c', BASE, 'base'];
    const base = await keep('unshare', [...isolate, dir, mount, ...hide, '--', ...make]);
    return new NamespaceIsolation(options, base, network);
  }

  async disk(name: string, layers: Layers): Promise<Disk> {
    const folder = join('sandboxes', name);
    mkdirSync(join(this.#dir, folder, 'upper'), { recursive: true });
    chmodSync(join(this.#dir, folder, 'upper'), 0o755);
    return new OverlayDisk(
      {
        ...{ dir: this.#dir, folder, layers: this.#layers, base: this.#base },
        network: this.network,
        countsPids: this.#cgroups.can('pids'),
      },
      ({ pids = MAX_PIDS, memoryMb }) =>
        this.#cgroups.group(name, {
          ...(PIDS_PER_NAMESPACE ? {} : { pids }),
          ...(memoryMb === undefined ? {} : { memory: memoryMb * 2 ** 20 }),
        }),
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
  network: NetworkPlan;
  /** Whether control groups limit the number of processes. */
  countsPids: boolean;
}

type MakeGroup = (limits: Limits) => ControlGroup | undefined;

class OverlayDisk implements Disk {
  readonly #place: Place;
  readonly #group: MakeGroup;
  #layers: Layers;
  #boots = 0;

  constructor(place: Place, group: MakeGroup, layers: Layers) {
    this.#place = place;
    this.#group = group;
    this.#layers = layers;
  }

  get written(): string {
    return join(this.#place.dir, this.#place.folder, 'upper');
  }

  async boot({ mounts, outbound, limits }: BootOptions): Promise<Body> {
    const { dir, folder, base, network: plan } = this.#place;
    // A work folder serves one mount only, since `volatile` leaves a mark in it.
    if (this.#boots > 0) rmSync(this.#work(), { recursive: true, force: true });
    this.#boots++;
    mkdirSync(this.#work());
    const options = overlayOptions(
      [...this.#layers, 'root'],
      join(folder, 'upper'),
      join(folder, `work${this.#boots}`),
    );
    const { pids = MAX_PIDS } = limits;
    const isolate = ['--mount', '--pid', '--fork', '--uts', '--ipc', ...plan.unshare];
    let network = sharedNetwork(() => []);
    const helper = [
      ...['-t', `${base.pid}`, '-m', '--', 'unshare', ...isolate, '--propagation', 'private'],
      ...['/bin/sh', '-c', initOf(plan.prepare), 'init', dir, options],
      PIDS_PER_NAMESPACE ? `${pids}` : '0',
      ...mounts.flatMap(({ hostDir, path, readOnly }) => [hostDir, path, readOnly ? 'ro' : 'rw']),
    ];
    // The way out takes a while to open; meanwhile the sandbox mounts its files.
    const init = await keep('nsenter', helper, (pid) => {
      network = openNetwork(plan, pid, outbound);
    }).catch(async (error) => {
      await network.end();
      throw error;
    });
    await network.ready;
    const group = this.#group(limits);
    const perUser = PIDS_PER_NAMESPACE || this.#place.countsPids ? undefined : pids;
    return new NamespaceBody({ init, network, group, perUser, nsenter: plan.nsenter });
  }

  async capture(): Promise<Layers> {
    const { dir, layers } = this.#place;
    const layer = layers.allocate();
    try {
      // Keeps whiteouts, which are devices, and opaque marks, which are extended attributes.
      await mustRun('cp', ['-a', '--reflink=auto', this.written, join(dir, layer)]);
    } catch (error) {
      await layers.discard(layer);
      throw error;
    }
    return [layer, ...this.#layers];
  }

  async reset(layers: Layers): Promise<void> {
    const upper = this.written;
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

function openNetwork(plan: NetworkPlan, pid: number, outbound: boolean): SandboxNetwork {
  if (plan.kind === 'host') return sharedNetwork(() => pidsInNamespace(pid));
  return ownNetwork(pid, outbound && plan.outbound);
}

function isKernel(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = release().split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
