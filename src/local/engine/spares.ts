import { existsSync } from 'node:fs';
import type { Body, BootOptions, Disk } from './isolation/types.ts';

/** How a sandbox is booted that has no wishes of its own. */
export const PLAIN: BootOptions = { mounts: [], outbound: true, limits: {} };

/** A sandbox that runs and is nobody's yet. */
export interface Spare {
  disk: Disk;
  body: Body;
}

/**
 * Sandboxes that are booted ahead of need: booting is most of what it takes to create one. They wait
 * while others are created, so that many at once are not slowed down by it.
 */
export class Spares {
  readonly #makeDisk: () => Promise<Disk>;
  readonly #size: number;
  readonly #waiting: Promise<Spare | undefined>[] = [];
  #filling: Promise<void> | undefined;
  #isClosed = false;

  /** Keeps `size` of them ready once {@link fill} was called. */
  constructor(size: number, makeDisk: () => Promise<Disk>) {
    this.#size = size;
    this.#makeDisk = makeDisk;
  }

  /** The next one that is alive; it may still be booting. Undefined when there is none. */
  async take(): Promise<Spare | undefined> {
    const spare = await this.#waiting.shift();
    if (spare === undefined || existsSync(spare.body.root.dir)) return spare;
    await spare.body.ended;
    await spare.disk.remove();
    return this.take();
  }

  /** Boots what is missing, one after the other, as long as `isIdle` says so. */
  fill(isIdle: () => boolean): void {
    this.#filling ??= this.#fill(isIdle).finally(() => {
      this.#filling = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#filling;
    for (const waiting of this.#waiting.splice(0)) {
      const spare = await waiting;
      await spare?.body.end();
      await spare?.disk.remove();
    }
  }

  async #fill(isIdle: () => boolean): Promise<void> {
    while (!this.#isClosed && this.#waiting.length < this.#size && isIdle()) {
      const coming = this.#boot();
      this.#waiting.push(coming);
      const spare = await coming;
      // Whoever creates without one hears why.
      if (spare === undefined) return void this.#forget(coming);
      void spare.body.ended.then(async () => {
        if (this.#forget(coming)) await spare.disk.remove();
      });
    }
  }

  async #boot(): Promise<Spare | undefined> {
    let disk: Disk | undefined;
    try {
      disk = await this.#makeDisk();
      return { disk, body: await disk.boot(PLAIN) };
    } catch {
      await disk?.remove().catch(() => undefined);
      return undefined;
    }
  }

  /** False when it was taken. */
  #forget(coming: Promise<Spare | undefined>): boolean {
    const at = this.#waiting.indexOf(coming);
    if (at >= 0) this.#waiting.splice(at, 1);
    return at >= 0;
  }
}
