import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a folder and those above it. Node's own recursion never ends where /proc refuses one. */
export function makeFolders(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Somebody else was faster, or a file is in the way: using it tells.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
