import { randomUUID } from 'node:crypto';
import { iso } from './dto.ts';
import { DaytonaFailure } from './errors.ts';
import type { World } from './world.ts';

interface WarmPool {
  readonly id: string;
  readonly snapshot: string;
  readonly target: string;
  pool: number;
  readonly createdAt: number;
  updatedAt: number;
}

/** Sandboxes kept ready. Here none are: making one takes no time; the bookkeeping is the service's. */
export class WarmPools {
  readonly #world: World;
  readonly #pools = new Map<string, WarmPool>();

  constructor(world: World) {
    this.#world = world;
  }

  list(): WarmPool[] {
    return [...this.#pools.values()];
  }

  get(id: string): WarmPool {
    const pool = this.#pools.get(id);
    if (pool === undefined) throw new DaytonaFailure(404, `Warm pool with ID ${id} not found`);
    return pool;
  }

  create(snapshot: string, pool: number, target: string): WarmPool {
    const { name } = this.#world.snapshots.need(snapshot);
    if (this.list().some((one) => one.snapshot === name && one.target === target)) {
      throw new DaytonaFailure(409, `Warm pool for snapshot ${name} already exists in ${target}`);
    }
    const now = this.#world.now();
    const made = { id: randomUUID(), snapshot: name, target, pool, createdAt: now, updatedAt: now };
    this.#pools.set(made.id, made);
    return made;
  }

  resize(id: string, size: number): WarmPool {
    const pool = this.get(id);
    pool.pool = size;
    pool.updatedAt = this.#world.now();
    return pool;
  }

  remove(id: string): void {
    this.get(id);
    this.#pools.delete(id);
  }

  dto(pool: WarmPool): Record<string, unknown> {
    const snapshot = this.#world.snapshots.find(pool.snapshot);
    return {
      id: pool.id,
      organizationId: this.#world.organizationId,
      snapshot: pool.snapshot,
      target: pool.target,
      pool: pool.pool,
      currentSize: pool.pool,
      cpu: snapshot?.cpu ?? 1,
      mem: snapshot?.memory ?? 1,
      disk: snapshot?.disk ?? 3,
      osUser: 'daytona',
      env: {},
      errorReason: null,
      createdAt: iso(pool.createdAt),
      updatedAt: iso(pool.updatedAt),
    };
  }
}
