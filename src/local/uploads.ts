import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { VolumeFolders } from './volumes.ts';

/** What clients upload for builds, by key. On disk: nobody says how much or how many there will be. */
export class Uploads {
  readonly #folders: VolumeFolders;
  readonly #id = `uploads-${randomUUID()}`;
  #dir: Promise<string> | undefined;
  /** Lengths of what is there, all of it. */
  readonly #lengths = new Map<string, number>();

  constructor(folders: VolumeFolders) {
    this.#folders = folders;
  }

  /** Keys with lengths in bytes. */
  entries(): Iterable<[key: string, length: number]> {
    return this.#lengths.entries();
  }

  has(key: string): boolean {
    return this.#lengths.has(key);
  }

  /** Keeps all of it or, when it breaks off, what was there before. */
  async store(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#dir ??= this.#open();
    const coming = join(await this.#dir, randomUUID());
    const file = createWriteStream(coming);
    try {
      await pipeline(content, file);
      await rename(coming, await this.#path(key));
    } catch (error) {
      await rm(coming, { force: true });
      throw error;
    }
    this.#lengths.set(key, file.bytesWritten);
  }

  /** Opens nothing before it is read. */
  read(key: string): AsyncIterable<Uint8Array> | undefined {
    return this.has(key) ? this.#read(key) : undefined;
  }

  async remove(key: string): Promise<void> {
    if (this.#lengths.delete(key)) await rm(await this.#path(key), { force: true });
  }

  async close(): Promise<void> {
    await this.#dir?.catch(() => undefined);
    if (this.#dir !== undefined) await this.#folders.remove(this.#id);
  }

  async *#read(key: string): AsyncGenerator<Uint8Array> {
    yield* createReadStream(await this.#path(key));
  }

  /** Keys are the clients', so no file has one for its name. */
  async #path(key: string): Promise<string> {
    this.#dir ??= this.#open();
    return join(await this.#dir, createHash('sha256').update(key).digest('hex'));
  }

  async #open(): Promise<string> {
    await this.#folders.create(this.#id);
    return this.#folders.hostDir(this.#id);
  }
}
