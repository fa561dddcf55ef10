import { realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Target } from '../catalog/targets.ts';
import type { ScanConfig } from '../config/config.ts';
import { findWorkTree } from '../discover/git.ts';
import { commonFolder, toSlashes } from '../discover/paths.ts';
import type { ScanReport } from '../model/report.ts';
import { createProgress } from './progress.ts';
import { userFacing } from './usage.ts';

/** What a scan covers, and how its paths relate to where the user stands. */
export interface Repository {
  cwd: string;
  /** As the user gave them. */
  paths: readonly string[];
  /** Absolute; paths in reports are relative to it. */
  root: string;
}

/** Finds the root the paths of a report are relative to: the git work tree, else the common folder. */
export function openRepository(cwd: string, paths: readonly string[]): Repository {
  const folders = paths.map((path) => {
    const real = realPath(resolve(cwd, path));
    const folder = isFolder(real) ? real : dirname(real);
    return findWorkTree(folder) ?? folder;
  });
  return { cwd, paths, root: folders.reduce(commonFolder) };
}

/** A path of a report as one would type it in the current folder. */
export function fromCwd({ cwd, root }: Repository, file: string): string {
  return toSlashes(relative(cwd, join(root, file)));
}

/** A file as reports name it; undefined when it is outside of the repository. */
export function fromRoot({ root }: Repository, path: string): string | undefined {
  const name = relative(root, path);
  return name === '..' || name.startsWith(`..${sep}`) ? undefined : toSlashes(name);
}

/** True for files of reports that lie below the scanned paths. */
export function covers(repository: Repository): (file: string) => boolean {
  const { cwd, paths } = repository;
  const scanned = paths.map((path) => fromRoot(repository, realPath(resolve(cwd, path))));
  return (file) =>
    scanned.some((path) => path === '' || file === path || file.startsWith(`${path}/`));
}

/** Scans with progress on stderr. */
export async function scanRepository(
  { cwd, paths }: Repository,
  targets: Target[],
  config: ScanConfig,
  options: { quiet: boolean },
): Promise<ScanReport> {
  const { scan } = await import('../scan/scan.ts');
  const progress = createProgress(options.quiet);
  try {
    return await userFacing(() =>
      scan({ cwd, paths: [...paths], targets, config, onProgress: progress.update }),
    );
  } finally {
    progress.clear();
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // The scan says what is wrong with it.
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
