import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, RewriteError, systemError } from './errors.ts';
import { entryAt, OWN_FOLDER } from './paths.ts';

/** The parts of our folder in a root. */
export const ownPath = {
  lock: (root: string) => join(root, OWN_FOLDER, 'lock'),
  journal: (root: string) => join(root, OWN_FOLDER, 'journal'),
};

/**
 * Makes our folder, which version control is told to pass over, and the parts of it.
 * @throws {RewriteError} `refused` when it is something else, such as a link to another place.
 */
export function makeOwnFolder(root: string): void {
  const own = join(root, OWN_FOLDER);
  try {
    // Old contents of files are in there, and the files may be nobody else's to read.
    for (const dir of [own, ownPath.lock(root), ownPath.journal(root)]) {
      if (entryAt(dir) === undefined) tolerate('EEXIST', () => mkdirSync(dir, { mode: 0o700 }));
    }
    tolerate('EEXIST', () => writeFileSync(join(own, '.gitignore'), '*\n', { flag: 'wx' }));
  } catch (error) {
    throw systemError(OWN_FOLDER, error);
  }
  checkOwnFolder(root);
}

/** @throws {RewriteError} `refused` when our folder, or a part of it, is not a folder. */
export function checkOwnFolder(root: string): void {
  for (const dir of [join(root, OWN_FOLDER), ownPath.lock(root), ownPath.journal(root)]) {
    const stats = entryAt(dir);
    if (stats === undefined || stats.isDirectory()) continue;
    const hint = 'Move it away; cubeshift keeps there what it needs to undo a migration.';
    throw new RewriteError('refused', `${dir} is not a folder`, hint, { files: [OWN_FOLDER] });
  }
}

function tolerate(code: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (codeOf(error) !== code) throw error;
  }
}
