import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { VolumeFolders } from '../volumes.ts';
import { token, uuid } from './ids.ts';

/** Archives that clients upload for the copying steps of template builds, by their hash. */
export class Uploads {
  readonly #folders: VolumeFolders;
  readonly #id = `uploads-${uuid()}`;
  #dir: Promise<string> | undefined;
  readonly #complete = new Map<string, string>();
  /** Links handed out, and what for. */
  readonly #links = new Map<string, string>();

  constructor(folders: VolumeFolders) {
    this.#folders = folders;
  }

  has(hash: string): boolean {
    return this.#complete.has(hash);
  }

  /** A secret that allows one hash to be uploaded. */
  link(hash: string): string {
    const secret = token();
    this.#links.set(secret, hash);
    return secret;
  }

  /** False when the link is not for this hash. */
  async store(hash: string, secret: string, content: Readable): Promise<boolean> {
    if (this.#links.get(secret) !== hash) return false;
    this.#dir ??= this.#open();
    const path = join(await this.#dir, uuid());
    await pipeline(content, createWriteStream(path));
    this.#complete.set(hash, path);
    return true;
  }

  read(hash: string): Readable | undefined {
    const path = this.#complete.get(hash);
    return path === undefined ? undefined : createReadStream(path);
  }

  async close(): Promise<void> {
    await this.#dir?.catch(() => undefined);
    if (this.#dir !== undefined) await this.#folders.remove(this.#id);
  }

  async #open(): Promise<string> {
    await this.#folders.create(this.#id);
    return this.#folders.hostDir(this.#id);
  }
}
