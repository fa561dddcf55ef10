import { readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { openFolder } from './paths.ts';
import { run } from './run.ts';

/** Removes an entry, a folder with all that is in it, without ever following a link. */
export async function removeTree(at: string, recursive: boolean): Promise<void> {
  try {
    await unlink(at);
    return;
  } catch (error) {
    // What unlink says about a folder differs between systems.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
  }
  if (recursive) {
    const folder = openFolder(at);
    try {
      for (const name of await readdir(folder.at)) await removeTree(`${folder.at}/${name}`, true);
    } finally {
      folder.close();
    }
  }
  await rmdir(at);
}

/** Removes a folder of the engine's own. Sandboxes may leave folders their owner cannot enter. */
export async function removeFolder(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true });
  } catch {
    await run('chmod', ['-R', 'u+rwX', dir]);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}
