import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the checks of a node look at. */
export interface Machine {
  exists(path: string): boolean;
  /** Whether this user may read and write it. */
  isUsable(path: string): boolean;
  /** The text of a file; empty when it cannot be read. */
  read(path: string): string;
  /** What a program prints; `undefined` when it is not there or fails. */
  output(file: string, ...args: string[]): Promise<string | undefined>;
  /** Version of glibc, as `2.31`; `undefined` with another library. */
  readonly glibc: string | undefined;
}

/** This machine, or a folder that stands for one. */
export function thisMachine(root = '/'): Machine {
  return {
    exists: (path) => existsSync(join(root, path)),
    isUsable: (path) => {
      try {
        accessSync(join(root, path), constants.R_OK | constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    read: (path) => {
      try {
        return readFileSync(join(root, path), 'utf8');
      } catch {
        return '';
      }
    },
    output: async (file, ...args) => {
      try {
        return (await promisify(execFile)(file, args, { timeout: 10_000 })).stdout;
      } catch {
        return undefined;
      }
    },
    glibc: glibcVersion(),
  };
}

function glibcVersion(): string | undefined {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime;
}
