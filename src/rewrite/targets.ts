import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { upwards } from '../discover/paths.ts';
import type { FileChange, Plan } from '../model/plan.ts';
import type { Attributes } from './durable.ts';
import { nameFiles, RewriteError, systemError } from './errors.ts';
import { entryAt, realName } from './paths.ts';
import { notText, renderEdits } from './render.ts';
import { decode } from './text.ts';

/** A file of a plan as it is and as it is to be. */
export interface Target {
  /** As the plan names it. */
  file: string;
  /** Its own name, links followed. */
  real: string;
  /** Null when the plan creates it. */
  before: { bytes: Buffer; attributes: Attributes } | null;
  /** Null when the plan deletes it. */
  after: Buffer | null;
}

/**
 * Reads the files of a plan and makes what becomes of them. `root` is a {@link realRoot}.
 * @throws {RewriteError} `stale` naming all files that are not what they were when the plan was made;
 *   `refused` for what is never written to; `invalid-plan` for edits that do not fit.
 */
export function readTargets(root: string, plan: Plan): Target[] {
  const targets: Target[] = [];
  const stale: string[] = [];
  const words: string[] = [];
  for (const change of plan.changes) {
    const target = readTarget(root, change);
    if (typeof target !== 'string') targets.push(target);
    else {
      stale.push(change.file);
      words.push(`${change.file} (${target})`);
    }
  }
  if (stale.length > 0) {
    throw new RewriteError(
      'stale',
      `Not as it was when the plan was made: ${nameFiles(words)}`,
      'Nothing was changed. Make the plan anew.',
      { files: stale },
    );
  }
  checkDistinct(root, targets);
  return targets;
}

/** False for edits that make what was there already. */
export function isChange({ before, after }: Target): boolean {
  return before === null || after === null || !before.bytes.equals(after);
}

/** @throws {RewriteError} `system` when a file cannot be replaced, as far as asking tells. */
export function checkWritable(root: string, file: string, real: string): void {
  const path = join(root, real);
  try {
    if (entryAt(path) !== undefined) accessSync(path, constants.W_OK);
    let folder = dirname(path);
    while (entryAt(folder) === undefined) folder = dirname(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw systemError(file, error);
  }
}

/** In hex, as plans and journals hold it. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads one file, or says in a word why the plan does not fit it any more. */
function readTarget(root: string, change: FileChange): Target | string {
  const { file } = change;
  try {
    const real = realName(root, file);
    // Of a link that is to be deleted or created, the link itself is meant.
    const stats = entryAt(join(root, change.kind === 'edit' ? real : file));
    if (change.kind === 'create') {
      return stats === undefined
        ? { file, real, before: null, after: Buffer.from(change.text) }
        : 'it is there already';
    }
    if (stats === undefined) return 'it is gone';
    if (!stats.isFile()) throw notRegular(file, stats);
    const bytes = readFileSync(join(root, real));
    if (sha256(bytes) !== change.sha256) return 'it was changed';
    if (change.kind === 'delete' && decode(bytes) === undefined) throw notText(file);
    const after = change.kind === 'edit' ? renderEdits(file, bytes, change.edits) : null;
    const { mode, uid, gid } = stats;
    return { file, real, before: { bytes, attributes: { mode: mode & 0o7777, uid, gid } }, after };
  } catch (error) {
    throw systemError(file, error, 'read');
  }
}

function notRegular(file: string, stats: Stats): RewriteError {
  const what = stats.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
  return new RewriteError('refused', `${file} is ${what}`, 'Leave it out of the plan.', {
    files: [file],
  });
}

/** Two paths can lead to one file, by links of either kind; each would undo what the other does. */
function checkDistinct(root: string, targets: readonly Target[]): void {
  const seen = new Map<string, string>();
  for (const { file, real, before } of targets) {
    const stats = before === null ? undefined : entryAt(join(root, real));
    const linked = stats !== undefined && stats.nlink > 1 ? [`${stats.dev}:${stats.ino}`] : [];
    for (const key of [`/${real}`, ...linked]) {
      const other = seen.get(key);
      if (other !== undefined) throw sameFile(file, other, 'lead to one file');
      seen.set(key, file);
    }
  }
  for (const { file, real } of targets) {
    for (const folder of [...upwards(real)].slice(1, -1)) {
      const other = seen.get(`/${folder}`);
      if (other !== undefined) throw sameFile(file, other, 'cannot both be files');
    }
  }
}

function sameFile(file: string, other: string, what: string): RewriteError {
  const hint = 'Leave one of them out of the plan.';
  return new RewriteError('refused', `${other} and ${file} ${what}`, hint, {
    files: [other, file],
  });
}
