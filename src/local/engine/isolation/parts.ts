import {
  accessSync,
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Decides which folders of the host each get an overlay, where the whole root cannot have one: the
 * kernel lets nobody but root look below a mount, so an overlay refuses folders that contain one.
 * Those are taken apart into what is in them. `isShared` says whether a path of the host is wanted.
 * Links, single files and the folders to mount on are made in `base`.
 */
export function takeApart(base: string, isShared: (path: string) => boolean): string[] {
  const mounts = mountPoints();
  const parts: string[] = [];
  const visit = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      // Names that mean something in mount options are rare enough.
      if (!isShared(path) || /[:,\\]/.test(entry.name)) continue;
      const made = join(base, path);
      if (entry.isSymbolicLink()) symlinkSync(readlinkSync(path), made);
      if (entry.isFile() && canRead(path)) copyFileSync(path, made);
      if (!entry.isDirectory() || !canRead(path)) continue;
      mkdirSync(made);
      // Containers have mounts right in /etc, whose many folders are small.
      if (path.startsWith('/etc/') || mounts.some((at) => at.startsWith(`${path}/`))) visit(path);
      else parts.push(path.slice(1));
    }
  };
  visit('/');
  return parts;
}

/** False also for what does not exist, as at the end of a link. */
export function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Paths that something is mounted on. */
function mountPoints(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((path) => path.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8))));
}
