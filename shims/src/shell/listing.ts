import { posix } from 'node:path';
import type { FileInfo, FileType } from '../provider/files.ts';

/**
 * What `stat` tells of one file; both GNU coreutils and busybox know these letters. Names of accounts
 * may hold spaces, but no slash.
 */
const FIELDS = '%f/%s/%Y/%U/%G/%n';

const TYPES: ReadonlyMap<number, FileType> = new Map([
  [0o040000, 'dir'],
  [0o100000, 'file'],
  [0o120000, 'symlink'],
]);

/**
 * The format for `stat -c`. Names may hold line ends, so every record starts with a mark that no name
 * can hold: one made for this call.
 */
export const statFormat = (mark: string): string => `${mark} ${FIELDS}`;

/** Reads what `stat` printed with {@link statFormat}, sorted by path. */
export function parseStats(output: string, mark: string): FileInfo[] {
  const records = output.split(`${mark} `).slice(1);
  const files = records.map((record) => parseStat(record.replace(/\n$/, '')));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function parseStat(record: string): FileInfo {
  const [mode = '', size, modified, owner = '', group = '', ...name] = record.split('/');
  const bits = Number.parseInt(mode, 16);
  const path = withoutTrailingSlash(posix.normalize(name.join('/')));
  return {
    name: posix.basename(path),
    path,
    type: TYPES.get(bits & 0o170000) ?? 'other',
    size: Number(size),
    mode: bits & 0o7777,
    modifiedAt: new Date(Number(modified) * 1000),
    owner,
    group,
  };
}

export function withoutTrailingSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}
