import { cp, rename } from 'node:fs/promises';
import { removeTree } from './remove.ts';

/**
 * Renames, or copies and removes where the kernel will not rename folders of a snapshot or of the
 * host. Only for files of one owner: a copy belongs to the server's user.
 */
export async function moveOwn(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await removeTree(from, true);
  }
}
