import { randomUUID } from 'node:crypto';
import type { Mount } from '../engine/isolation/types.ts';
import { iso } from './dto.ts';
import { badRequest, DaytonaFailure } from './errors.ts';
import type { VolumeMount } from './record.ts';
import type { World } from './world.ts';

export type VolumeState =
  | 'creating'
  | 'ready'
  | 'pending_create'
  | 'pending_delete'
  | 'deleting'
  | 'deleted'
  | 'error';

interface Volume {
  readonly id: string;
  name: string;
  state: VolumeState;
  createdAt: number;
  updatedAt: number;
  lastUsedAt?: number;
}

/** Folders that outlive sandboxes and that several can use at once. */
export class Volumes {
  readonly #world: World;
  readonly #volumes = new Map<string, Volume>();

  constructor(world: World) {
    this.#world = world;
  }

  list(): Volume[] {
    return [...this.#volumes.values()];
  }

  get(id: string): Volume {
    const volume = this.#volumes.get(id);
    if (volume === undefined) throw new DaytonaFailure(404, `Volume with ID ${id} not found`);
    return volume;
  }

  byName(name: string): Volume {
    const volume = this.list().find((one) => one.name === name);
    if (volume === undefined) throw new DaytonaFailure(404, `Volume with name ${name} not found`);
    return volume;
  }

  /** Answers a volume that is still to come, as the service does; it is ready a moment later. */
  async create(givenName: string | undefined): Promise<Record<string, unknown>> {
    const id = randomUUID();
    const name = givenName || id;
    if (this.list().some((one) => one.name === name)) {
      throw badRequest(`Volume with name ${name} already exists`);
    }
    const now = this.#world.now();
    const volume: Volume = {
      id,
      name,
      state: 'pending_create',
      createdAt: now,
      updatedAt: now,
    };
    this.#volumes.set(id, volume);
    const dto = this.dto(volume);
    try {
      await this.#world.context.volumes.create(id);
      this.#setState(volume, 'ready');
    } catch (error) {
      this.#setState(volume, 'error');
      throw error;
    }
    return dto;
  }

  /** @throws DaytonaFailure 409 while a sandbox uses it */
  async remove(id: string): Promise<void> {
    const volume = this.get(id);
    if (volume.state !== 'ready' && volume.state !== 'error') {
      throw badRequest("Volume must be in 'ready' or 'error' state in order to be deleted");
    }
    const user = this.#world.sandboxes
      .all()
      .find(({ volumes }) => volumes.some(({ volumeId }) => volumeId === id));
    if (user !== undefined) {
      throw new DaytonaFailure(
        409,
        `Volume cannot be deleted because it is in use by one or more sandboxes (e.g. ${user.name})`,
      );
    }
    this.#setState(volume, 'deleting');
    await this.#world.context.volumes.remove(id);
    this.#volumes.delete(id);
    this.#setState(volume, 'deleted');
  }

  /** The volumes a client named, by id or name, with their ids. */
  resolve(mounts: readonly VolumeMount[]): VolumeMount[] {
    return mounts.map((mount) => {
      const volume =
        this.#volumes.get(mount.volumeId) ??
        this.list().find(({ name }) => name === mount.volumeId);
      if (volume === undefined) {
        throw new DaytonaFailure(404, `Volume '${mount.volumeId}' not found`);
      }
      if (volume.state !== 'ready') {
        throw badRequest(
          `Volume '${volume.name}' is not in a ready state. Current state: ${volume.state}`,
        );
      }
      checkPath(mount);
      return { ...mount, volumeId: volume.id };
    });
  }

  async mounts(mounts: readonly VolumeMount[]): Promise<Mount[]> {
    const made = mounts.map(async ({ volumeId, mountPath, subpath }) => {
      const volume = this.get(volumeId);
      volume.lastUsedAt = this.#world.now();
      try {
        const hostDir = await this.#world.context.volumes.hostDir(volumeId, subpath ?? '');
        return { hostDir, path: mountPath };
      } catch (error) {
        if (error instanceof RangeError) throw badRequest(`Invalid subpath '${subpath}'`);
        throw error;
      }
    });
    return Promise.all(made);
  }

  dto(volume: Volume): Record<string, unknown> {
    return {
      id: volume.id,
      name: volume.name,
      organizationId: this.#world.organizationId,
      state: volume.state,
      createdAt: iso(volume.createdAt),
      updatedAt: iso(volume.updatedAt),
      lastUsedAt: volume.lastUsedAt === undefined ? null : iso(volume.lastUsedAt),
      errorReason: null,
    };
  }

  #setState(volume: Volume, newState: VolumeState): void {
    const oldState = volume.state;
    volume.state = newState;
    volume.updatedAt = this.#world.now();
    this.#world.events.emit('volume.state.updated', {
      volume: this.dto(volume),
      oldState,
      newState,
    });
  }
}

/** Folders of the system itself cannot be replaced. */
const RESERVED = ['/proc', '/sys', '/dev', '/boot', '/etc', '/bin', '/sbin', '/lib', '/lib64'];

function checkPath({ mountPath, subpath }: VolumeMount): void {
  const parts = mountPath.split('/');
  const isReserved = RESERVED.some((dir) => mountPath === dir || mountPath.startsWith(`${dir}/`));
  const isPlain = mountPath.startsWith('/') && !parts.includes('..') && !parts.includes('.');
  if (!isPlain || /^\/+$/.test(mountPath) || mountPath.includes('//') || isReserved) {
    throw badRequest(`Invalid mount path ${mountPath}`);
  }
  if (subpath?.split('/').includes('..') || subpath?.startsWith('/')) {
    throw badRequest(`Invalid subpath '${subpath}'`);
  }
}
