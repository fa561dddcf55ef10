import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  type Edit,
  type FileChange,
  PLAN_SCHEMA_VERSION,
  type Plan,
} from '../../src/model/plan.ts';
import { sha256 } from '../../src/rewrite/index.ts';
import { tempDir } from '../discover/temp.ts';

export function planOf(...changes: FileChange[]): Plan {
  return {
    schemaVersion: PLAN_SCHEMA_VERSION,
    tool: { name: 'cubeshift', version: '0.0.0' },
    changes,
  };
}

export function edit(start: number, end: number, text: string, rule = 'DT101'): Edit {
  return { start, end, text, rule };
}

/** Edits of a file as it is now. */
export function editOf(root: string, file: string, ...edits: Edit[]): FileChange {
  return { kind: 'edit', file, sha256: sha256(readFileSync(join(root, file))), edits };
}

/** Puts a text in front of a file. */
export function prepend(root: string, file: string, text: string): FileChange {
  return editOf(root, file, edit(0, 0, text));
}

export function create(file: string, text: string): FileChange {
  return { kind: 'create', file, text, rule: 'DT101' };
}

export function remove(root: string, file: string): FileChange {
  return { kind: 'delete', file, sha256: sha256(readFileSync(join(root, file))), rule: 'DT101' };
}

/** Everything in a folder with its mode and content, without what cubeshift keeps in it itself. */
export function snapshot(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/^\.(?:cubeshift|git)(?:\/|$)/.test(name)) continue;
    const path = join(root, name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) found[`${name}/`] = mode;
    else if (stats.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
    else found[name] = `${mode} ${readFileSync(path).toString('latin1')}`;
  }
  return found;
}

/** What a function throws. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('It was expected to throw.');
}

/** Where files are in memory, as far as there is such a place: what is asked of the disk is quick. */
const MEMORY = '/dev/shm';

/** A temporary folder for many runs, where waiting for the disk would be most of the time. */
export function fastDir(files: Readonly<Record<string, string | Buffer>> = {}): string {
  vi.stubEnv('TMPDIR', existsSync(MEMORY) ? MEMORY : tmpdir());
  try {
    return tempDir(files);
  } finally {
    vi.unstubAllEnvs();
  }
}
