import { randomUUID } from 'node:crypto';
import { buildInfoDto, iso } from './dto.ts';
import { DaytonaFailure } from './errors.ts';
import type { BuildInfo, ImageConfig, SandboxClass } from './record.ts';
import type { World } from './world.ts';

export type SnapshotState =
  | 'building'
  | 'pending'
  | 'active'
  | 'inactive'
  | 'error'
  | 'build_failed'
  | 'removing';

/** What sandboxes are made from. */
export interface Snapshot {
  readonly id: string;
  readonly name: string;
  /** Belongs to the service, not to the client. */
  readonly general: boolean;
  imageName?: string;
  state: SnapshotState;
  errorReason?: string;
  image: ImageConfig;
  /** The engine's snapshot with its files; none: this host's root as it is. */
  files?: string;
  /** The same, shared with others that were built from the same instructions. */
  sharedFiles?: string;
  readonly cpu: number;
  readonly gpu: number;
  readonly memory: number;
  readonly disk: number;
  readonly target: string;
  readonly sandboxClass: SandboxClass;
  buildInfo?: BuildInfo;
  sourceSandboxId?: string;
  readonly createdAt: number;
  updatedAt: number;
  lastUsedAt?: number;
}

/** Of a new snapshot only what differs from a small container. */
export type NewSnapshot = Pick<Snapshot, 'name'> &
  Partial<Omit<Snapshot, 'id' | 'general' | 'createdAt' | 'updatedAt'>>;

/** What `create()` without a snapshot uses. */
export const DEFAULT_SNAPSHOT = 'daytona-small';

/**
 * Names and sizes in vCPU, GiB and GiB. The last is of this server: virtual
 * machines are what pausing and forking can be tried with.
 */
const GENERAL = [
  { name: DEFAULT_SNAPSHOT, cpu: 1, memory: 1, disk: 3, sandboxClass: 'container' },
  { name: 'daytona-medium', cpu: 2, memory: 4, disk: 8, sandboxClass: 'container' },
  { name: 'daytona-large', cpu: 4, memory: 8, disk: 10, sandboxClass: 'container' },
  { name: 'daytona-vm-small', cpu: 1, memory: 1, disk: 3, sandboxClass: 'linux-vm' },
] as const;

export const DEFAULT_TARGET = 'us';

export class Snapshots {
  readonly #world: World;
  readonly #snapshots = new Map<string, Snapshot>();

  constructor(world: World) {
    this.#world = world;
    for (const given of GENERAL) this.#add({ ...given, imageName: `${given.name}:local` }, true);
  }

  /** Latest used first, as the service lists them; those of the service keep their order. */
  list(): Snapshot[] {
    return [...this.#snapshots.values()];
  }

  find(idOrName: string): Snapshot | undefined {
    return this.#snapshots.get(idOrName) ?? this.list().find(({ name }) => name === idOrName);
  }

  need(idOrName: string): Snapshot {
    const snapshot = this.find(idOrName);
    if (snapshot !== undefined) return snapshot;
    throw new DaytonaFailure(404, `Snapshot ${idOrName} not found`);
  }

  add(given: NewSnapshot): Snapshot {
    if (this.find(given.name) !== undefined) {
      throw new DaytonaFailure(
        409,
        `Snapshot with name "${given.name}" already exists for this organization`,
      );
    }
    return this.#add(given, false);
  }

  #add(given: NewSnapshot, general: boolean): Snapshot {
    const now = this.#world.now();
    const snapshot: Snapshot = {
      id: randomUUID(),
      state: 'active',
      image: { env: {} },
      cpu: 1,
      gpu: 0,
      memory: 1,
      disk: 3,
      target: DEFAULT_TARGET,
      sandboxClass: 'container',
      ...given,
      general,
      createdAt: now,
      updatedAt: now,
    };
    this.#snapshots.set(snapshot.id, snapshot);
    return snapshot;
  }

  setState(snapshot: Snapshot, newState: SnapshotState): void {
    const oldState = snapshot.state;
    snapshot.state = newState;
    snapshot.updatedAt = this.#world.now();
    this.#world.events.emit('snapshot.state.updated', {
      snapshot: this.dto(snapshot),
      oldState,
      newState,
    });
  }

  /** Sandboxes made from it keep what they need. */
  async remove(id: string): Promise<void> {
    const snapshot = this.need(id);
    if (snapshot.general) {
      throw new DaytonaFailure(403, 'You cannot delete a general snapshot');
    }
    this.#snapshots.delete(snapshot.id);
    this.setState(snapshot, 'removing');
    if (snapshot.files !== undefined) {
      await this.#world.context.engine.deleteSnapshot(snapshot.files);
    }
  }

  dto(snapshot: Snapshot): Record<string, unknown> {
    const { id, general, name, imageName, state, cpu, gpu, disk, sandboxClass } = snapshot;
    return {
      ...{ id, general, name, imageName, state, cpu, gpu, disk, sandboxClass },
      organizationId: general ? undefined : this.#world.organizationId,
      mem: snapshot.memory,
      // Unknown: its files are shared with this host.
      size: state === 'active' ? 0 : null,
      entrypoint: snapshot.image.entrypoint ?? null,
      errorReason: snapshot.errorReason ?? null,
      createdAt: iso(snapshot.createdAt),
      updatedAt: iso(snapshot.updatedAt),
      lastUsedAt: snapshot.lastUsedAt === undefined ? null : iso(snapshot.lastUsedAt),
      buildInfo: snapshot.buildInfo === undefined ? undefined : buildInfoDto(snapshot.buildInfo),
      regionIds: [snapshot.target],
      ref: snapshot.buildInfo?.snapshotRef ?? snapshot.imageName,
      sourceSandboxId: snapshot.sourceSandboxId ?? null,
    };
  }
}
