import { chmod, mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that outlive sandboxes and can be mounted in several at once. */
export class VolumeFolders {
  readonly #dir: string;

  /** `dir` need not exist yet. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Makes the folder of a new volume; ids come from the server, never from a client. */
  async create(id: string): Promise<void> {
    await mkdir(this.#path(id), { recursive: true });
    // Sandboxes have users of their own and all may write.
    await chmod(this.#path(id), 0o777);
  }

  /**
   * The folder to mount. A sub-path is made when missing.
   * @throws RangeError when it leads out of the volume, be it by a link that a sandbox left there
   */
  async hostDir(id: string, subpath = ''): Promise<string> {
    let dir = await realpath(this.#path(id));
    for (const part of subpath.split('/')) {
      if (part === '' || part === '.') continue;
      const next = join(dir, part);
      const isNew = part !== '..' && (await mkdir(next).then(() => true, isThere));
      if (part === '..' || (await realpath(next)) !== next) {
        throw new RangeError(`'${subpath}' leads out of the volume`);
      }
      if (isNew) await chmod(next, 0o777);
      dir = next;
    }
    return dir;
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { recursive: true, force: true });
  }

  #path(id: string): string {
    return join(this.#dir, id);
  }
}

function isThere(error: NodeJS.ErrnoException): boolean {
  if (error.code === 'EEXIST') return false;
  throw error;
}
