import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchHere } from '../launcher.ts';
import { type NetworkPlan, planNetwork } from '../network/plan.ts';
import { type Keeper, keep } from '../run.ts';
import { shellHere, type User, usersOfServer } from '../users.ts';
import { writeBase } from './base.ts';
import { ControlGroups } from './cgroup.ts';
import { MAX_PIDS, OverlayDisk, PIDS_PER_NAMESPACE } from './overlay-disk.ts';
import { overlayOptions, type Rights, ROOT, USER } from './rights.ts';
import { baseOf, PATH } from './scripts.ts';
import type { Disk, Isolation, Layers, OpenOptions } from './types.ts';

/**
 * Every sandbox a mount, process, host name and IPC namespace with overlays of its own over the
 * host's root, made with root's rights or inside a user namespace.
 */
export class NamespaceIsolation implements Isolation {
  readonly limits: readonly string[];
  readonly network: NetworkPlan;
  readonly users?: readonly User[];
  readonly path = PATH;
  readonly #options: OpenOptions;
  readonly #rights: Rights;
  readonly #base: Keeper;
  readonly #parts: readonly string[];
  readonly #cgroups: ControlGroups;

  private constructor(
    options: OpenOptions,
    rights: Rights,
    base: Keeper,
    parts: readonly string[],
    network: NetworkPlan,
  ) {
    this.#options = options;
    this.#rights = rights;
    this.#base = base;
    this.#parts = parts;
    this.network = network;
    if (rights.hasOneOwner) this.users = usersOfServer(shellHere());
    this.#cgroups = new ControlGroups(options.token);
    this.limits = [
      ...network.limits,
      ...rights.limits,
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
    const rights = process.getuid?.() === 0 ? ROOT : USER;
    const { hasOneOwner } = rights;
    const network = await planNetwork(options.network, rights);
    for (const name of ['base', 'basework', 'root', 'mnt', 'sandboxes']) {
      mkdirSync(join(dir, name));
    }
    // The layer's own folder becomes the root folder of every sandbox.
    chmodSync(join(dir, 'base'), 0o755);
    const { resolver } = network;
    const { hide, parts, make } = writeBase(join(dir, 'base'), {
      ...{ engineDir: dir, hasOneOwner },
      ...(resolver === undefined ? {} : { resolver }),
    });
    const overlays = parts.flatMap((part, i) => {
      const work = join('basework', `${i}`);
      mkdirSync(join(dir, work));
      return [part, overlayOptions(rights, [join('/', part)], join('base', part), work)];
    });
    const args = [
      ...[...rights.unshare, '--mount', '--propagation', 'private'],
      ...['/bin/sh', '-c', baseOf(rights.dialect), 'base', dir],
      ...[...hide, '--', ...overlays, '--', ...make],
    ];
    const base = await keep('unshare', args, { by: launchHere });
    // Below a root that is in parts, what belongs to none of them is a part of its own.
    const all = hasOneOwner ? ['.', ...parts] : parts;
    return new NamespaceIsolation(options, rights, base, all, network);
  }

  async disk(name: string, layers: Layers): Promise<Disk> {
    const common = {
      ...{ dir: this.#options.dir, layers: this.#options.layers },
      ...{ base: this.#base, parts: this.#parts, rights: this.#rights, network: this.network },
      countsPids: this.#cgroups.can('pids'),
    };
    const disk = new OverlayDisk(common, name, ({ pids = MAX_PIDS, memoryMb }) =>
      this.#cgroups.group(name, {
        ...(PIDS_PER_NAMESPACE ? {} : { pids }),
        ...(memoryMb === undefined ? {} : { memory: memoryMb * 2 ** 20 }),
      }),
    );
    await disk.reset(layers);
    return disk;
  }

  async close(): Promise<void> {
    await this.#base.end();
  }
}
