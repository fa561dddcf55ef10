import { readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dirOf, upwards } from '../discover/paths.ts';
import { sync } from './durable.ts';
import type { Content, JournalFile } from './journal.ts';
import { entryAt, locate } from './paths.ts';
import { sha256 } from './targets.ts';

/** The hash of what a file holds; null when there is nothing, undefined when it is no file. */
export function hashAt(path: string): string | null | undefined {
  const stats = entryAt(path);
  if (stats === undefined) return null;
  return stats.isFile() ? sha256(readFileSync(path)) : undefined;
}

/** The same of what an entry says. */
export function hashOf(content: Content | null): string | null {
  return content === null ? null : content.sha256;
}

/** Folders on the way to files that are not there yet, those above others first. */
export function missingFolders(root: string, files: readonly JournalFile[]): string[] {
  const missing = new Set<string>();
  for (const { real } of files) {
    for (const folder of upwards(dirOf(real))) {
      if (folder === '' || missing.has(folder)) break;
      if (entryAt(join(root, folder)) !== undefined) break;
      missing.add(folder);
    }
  }
  return [...missing].sort();
}

/** Removes folders that hold nothing any more. */
export function removeFolders(root: string, folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(locate(root, folder));
    } catch {
      // Somebody has put something in, or it is gone already.
    }
  }
}

/** Removes new content that was not put in place, if there is any. */
export function removeTemporary(root: string, name: string): void {
  // Its folder was never made, or has been removed already.
  if (entryAt(join(root, dirOf(name)))?.isDirectory() !== true) return;
  rmSync(locate(root, name), { force: true });
}

/** Waits until the names of files, and of folders that were made for them, are on the disk. */
export function syncNames(
  root: string,
  files: readonly JournalFile[],
  made: readonly string[],
): void {
  const touched = new Set(files.map(({ real }) => dirOf(real)));
  for (const folder of made) touched.add(dirOf(folder));
  for (const folder of touched) {
    const path = join(root, folder);
    if (entryAt(path)?.isDirectory() === true) sync(path);
  }
}
