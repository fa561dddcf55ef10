import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { toSlashes } from '../discover/paths.ts';
import { codeOf, RewriteError } from './errors.ts';

/** Our own folder in the root. */
export const OWN_FOLDER = '.cubeshift';

/** Never written to: what is in there is run by git, or is what a plan is undone with. */
const CLOSED_FOLDERS = ['.git', OWN_FOLDER];

/** What is wrong with a path as such, to follow its name; undefined for a good one. */
export function pathProblem(file: string): string | undefined {
  if (file.startsWith('/')) return 'is absolute, not relative to the root';
  const parts = file.split('/');
  if (parts.includes('..')) return 'leaves the root';
  if (parts.some((part) => part === '' || part === '.') || file.includes('\0')) {
    return 'is not a plain relative path';
  }
  // On Windows these lead elsewhere too: to another drive, a stream of a file, a folder.
  if (sep === '\\' && /[\\:]/.test(file)) return 'is not a plain relative path';
  // Where names are compared without case, `.GIT` is the same folder.
  const closed = parts.find((part) => CLOSED_FOLDERS.includes(part.toLowerCase()));
  return closed === undefined ? undefined : `is in ${closed}, which is never written to`;
}

/** The real path of a root, in which links and other spellings of it are resolved. */
export function realRoot(root: string): string {
  return realpathSync.native(root);
}

/**
 * The name of a file of the root with all links followed, as far as it exists. `root` is
 * a {@link realRoot}.
 * @throws {RewriteError} `refused` when the file lies outside of the root or in a closed folder.
 */
export function realName(root: string, file: string): string {
  const own = pathProblem(file);
  if (own !== undefined) throw refused(file, own);
  const name = toSlashes(relative(root, followLinks(join(root, file))));
  const problem = pathProblem(name);
  if (problem !== undefined) throw refused(file, `, links followed, ${problem}`);
  return name;
}

/**
 * Where a file is that {@link realName} named earlier.
 * @throws {RewriteError} `refused` when its folder has become a link meanwhile.
 */
export function locate(root: string, name: string): string {
  const path = join(root, name);
  const folder = dirname(path);
  const problem =
    pathProblem(name) ?? (followLinks(folder) === folder ? undefined : 'is behind a link now');
  if (problem !== undefined) throw refused(name, problem);
  return path;
}

/** What is at a path itself, no link followed; undefined when there is nothing. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function followLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(followLinks(dirname(path)), basename(path));
  }
}

function refused(file: string, problem: string): RewriteError {
  const said = problem.startsWith(',') ? `${file}${problem}` : `${file} ${problem}`;
  const hint = 'Leave it out, or make the plan for the repository the file is in.';
  return new RewriteError('refused', said, hint, { files: [file] });
}
