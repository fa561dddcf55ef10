import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** What a file has besides its content and its name. */
export interface Attributes {
  mode: number;
  uid: number;
  gid: number;
}

/** Windows can only sync what is open for writing, and has no such call for folders. */
const SYNCS_LATER = process.platform !== 'win32';

/**
 * Writes a new file. `attributes` null: as new files are made. It lasts once {@link sync} was called:
 * for many files it takes half the time to write them all first.
 */
export function writeNew(path: string, bytes: Buffer, attributes: Attributes | null): void {
  // Nobody else may look into it before it has its mode.
  const fd = openSync(path, 'wx', attributes === null ? 0o666 : 0o600);
  try {
    writeFileSync(fd, bytes);
    if (attributes !== null) setAttributes(fd, attributes);
    if (!SYNCS_LATER) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function sync(path: string): void {
  if (!SYNCS_LATER) return;
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Replaces a file of ours; a reader sees the old content or the new one, after a power cut too. */
export function replace(path: string, text: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  writeNew(draft, Buffer.from(text), null);
  sync(draft);
  renameSync(draft, path);
  sync(dirname(path));
}

function setAttributes(fd: number, { mode, uid, gid }: Attributes): void {
  try {
    fchownSync(fd, uid, gid);
  } catch {
    // Only root gives files away. For everybody else the file becomes theirs, as with git.
  }
  // Last, since a change of owner takes bits away.
  fchmodSync(fd, mode);
}
