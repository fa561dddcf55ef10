import { readFileSync } from 'node:fs';

/** A file of /proc; empty when its process has gone meanwhile. */
export function proc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A line such as `VmRSS:  1234 kB` of such a file, in MB; undefined without it. */
export function megabytes(text: string, name: string): number | undefined {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text);
  return match ? Number(match[1]) / 1024 : undefined;
}
