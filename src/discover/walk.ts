import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { SkippedFile } from '../model/report.ts';
import { inside, upwards } from './paths.ts';

/** Folders no one writes by hand. `dist` and `build` are not here: without git nobody says so. */
const NEVER = new Set([
  'node_modules',
  'bower_components',
  '.git',
  '.hg',
  '.svn',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.turbo',
  '.cache',
  '.parcel-cache',
  '.venv',
  '__pycache__',
]);

/** A folder called `coverage` is skipped only when a coverage tool wrote it. */
const COVERAGE_OUTPUT = new Set(['lcov.info', 'lcov-report', 'coverage-final.json', 'clover.xml']);

interface IgnoreFile {
  /** Folder of the ignore file, relative to the walk's root. */
  dir: string;
  rules: Ignore;
}

/** Result of a walk; paths are relative to its root with forward slashes. */
export interface WalkResult {
  files: string[];
  skipped: SkippedFile[];
}

/**
 * Lists a folder without git. Honours `.gitignore` files (also those between `root` and `start`),
 * never follows a symbolic link, and goes on past folders it may not read.
 */
export function walk(root: string, start: string): WalkResult {
  const result: WalkResult = { files: [], skipped: [] };
  const above = [...upwards(start)].reverse().slice(0, -1);
  const inherited = above.flatMap((dir) => readIgnoreFile(root, dir));
  visit(root, start, inherited, result);
  return result;
}

function visit(
  root: string,
  dir: string,
  inherited: readonly IgnoreFile[],
  result: WalkResult,
): void {
  const entries = readEntries(root, dir, result);
  if (entries === undefined) return;
  if (/(?:^|\/)coverage$/.test(dir) && entries.some((entry) => COVERAGE_OUTPUT.has(entry.name))) {
    return;
  }
  const own = entries.some((entry) => entry.name === '.gitignore') ? readIgnoreFile(root, dir) : [];
  const ignores = own.length === 0 ? inherited : [...inherited, ...own];
  for (const entry of entries) {
    const path = inside(dir, entry.name);
    if (entry.isDirectory()) {
      if (!NEVER.has(entry.name) && !isIgnored(`${path}/`, ignores)) {
        visit(root, path, ignores, result);
      }
    } else if (entry.isSymbolicLink()) {
      if (!NEVER.has(entry.name) && !isIgnored(path, ignores)) {
        result.skipped.push({ file: path, reason: 'symlink', incomplete: false });
      }
    } else if (entry.isFile() && !isIgnored(path, ignores)) {
      result.files.push(path);
    }
  }
}

function readEntries(root: string, dir: string, result: WalkResult): Dirent[] | undefined {
  try {
    return readdirSync(join(root, dir), { withFileTypes: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    // A folder that went away between the listing of its parent and now hides nothing.
    if (code !== 'ENOENT') {
      result.skipped.push({ file: dir, reason: 'unreadable', incomplete: true, detail: code });
    }
    return undefined;
  }
}

function readIgnoreFile(root: string, dir: string): IgnoreFile[] {
  try {
    const text = readFileSync(join(root, dir, '.gitignore'), 'utf8');
    return [{ dir, rules: ignore().add(text) }];
  } catch {
    return [];
  }
}

/** The deepest ignore file with an opinion decides, as in git. */
function isIgnored(path: string, ignores: readonly IgnoreFile[]): boolean {
  for (let i = ignores.length - 1; i >= 0; i--) {
    const file = ignores[i];
    if (file === undefined) continue;
    const verdict = file.rules.test(file.dir === '' ? path : path.slice(file.dir.length + 1));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}
