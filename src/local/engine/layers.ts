import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Layers } from './isolation/types.ts';
import { removeFolder } from './remove.ts';

/**
 * The folders snapshots are made of. A layer is shared by snapshots, by later snapshots on top of it
 * and by sandboxes, and goes when the last of them does.
 */
export class LayerStore {
  readonly #dir: string;
  readonly #users = new Map<string, number>();
  #count = 0;

  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(join(dir, 'layers'), { recursive: true });
  }

  /** A name for a new layer, whose folder does not exist yet. Short: all go in one mount option. */
  allocate(): string {
    return `layers/${++this.#count}`;
  }

  retain(layers: Layers): void {
    for (const layer of layers) this.#users.set(layer, (this.#users.get(layer) ?? 0) + 1);
  }

  async release(layers: Layers): Promise<void> {
    for (const layer of layers) {
      const left = (this.#users.get(layer) ?? 1) - 1;
      this.#users.set(layer, left);
      if (left === 0) await this.discard(layer);
    }
  }

  async discard(layer: string): Promise<void> {
    this.#users.delete(layer);
    await removeFolder(join(this.#dir, layer));
  }
}
