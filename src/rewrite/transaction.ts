import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../folders.ts';
import { sync, writeNew } from './durable.ts';
import {
  hashAt,
  hashOf,
  missingFolders,
  removeFolders,
  removeTemporary,
  syncNames,
} from './entry-files.ts';
import { nameFiles, RewriteError, systemError, systemWords } from './errors.ts';
import { type Content, type Entry, type JournalFile, removeEntry, saveEntry } from './journal.ts';
import { entryAt, locate, OWN_FOLDER } from './paths.ts';

/** Applying goes from `before` to `after`, undoing the other way. */
export type Direction = 'apply' | 'undo';

/**
 * Brings all files of an entry to where the direction leads, or none. Cut short at any moment, it
 * leaves what {@link commit} or {@link rollBack} can complete: new contents are ready beside their
 * files before the first of them is put in place.
 * @returns files that were changed by somebody else in the last moment, and are left as they are.
 * @throws {RewriteError} `system`, `stale` or `changed` with everything as it was; `interrupted`.
 */
export function transact(
  root: string,
  entry: Entry,
  direction: Direction,
  contentOf: (file: JournalFile) => Buffer,
): string[] {
  try {
    stage(root, entry, direction, contentOf);
    const moved = unlike(root, entry, direction === 'apply' ? 'before' : 'after');
    if (moved.length > 0) throw changedMeanwhile(direction, moved);
    entry.state = direction === 'apply' ? 'committing' : 'undo-committing';
    saveEntry(root, entry);
  } catch (error) {
    rollBack(root, entry, direction);
    throw systemError(JOURNAL, error);
  }
  return commit(root, entry, direction);
}

/**
 * Puts new contents in place, as far as that was not done, and ends the entry or its undo.
 * @returns files that are neither as before nor as after: somebody changed them, so they are left.
 * @throws {RewriteError} `interrupted` when the system refuses; what is left can be done later.
 */
export function commit(root: string, entry: Entry, direction: Direction): string[] {
  const kept = entry.files.filter((file) =>
    orInterrupted(file.file, () => !put(root, file, direction)),
  );
  orInterrupted(JOURNAL, () => {
    if (direction === 'undo') removeFolders(root, entry.folders.apply);
    syncNames(root, entry.files, entry.folders[direction]);
    if (direction === 'apply') {
      // What was left alone was not applied, so undoing does not touch it either.
      entry.files = entry.files.filter((file) => !kept.includes(file));
      entry.state = 'applied';
      saveEntry(root, entry);
    }
    if (direction === 'undo' || entry.files.length === 0) removeEntry(root, entry.id);
  });
  return kept.map(({ file }) => file);
}

/**
 * Removes new contents that were not put in place; the files are as they were.
 * @throws {RewriteError} `interrupted` when the system refuses; it can be done later.
 */
export function rollBack(root: string, entry: Entry, direction: Direction): void {
  for (const { file, temporary } of entry.files) {
    orInterrupted(file, () => removeTemporary(root, temporary));
  }
  removeFolders(root, entry.folders[direction]);
  orInterrupted(JOURNAL, () => {
    // While names of new contents may come back with a power cut, the entry must know of them.
    syncNames(root, entry.files, []);
    if (direction === 'apply') return removeEntry(root, entry.id);
    entry.state = 'applied';
    entry.folders.undo = [];
    saveEntry(root, entry);
  });
}

/** Files that do not hold what the entry says they held at one of its ends. */
export function unlike(root: string, { files }: Entry, end: 'before' | 'after'): string[] {
  const others = files.filter((file) => {
    try {
      return hashAt(locate(root, file.real)) !== hashOf(file[end]);
    } catch (error) {
      throw systemError(file.file, error, 'read');
    }
  });
  return others.map(({ file }) => file);
}

const JOURNAL = `${OWN_FOLDER}/journal`;

function stage(
  root: string,
  entry: Entry,
  direction: Direction,
  contentOf: (file: JournalFile) => Buffer,
): void {
  const goal = direction === 'apply' ? 'after' : 'before';
  const made = entry.files.filter((file) => file[goal] !== null);
  entry.folders[direction] = missingFolders(root, made);
  entry.state = direction === 'apply' ? 'preparing' : 'undo-preparing';
  saveEntry(root, entry);
  forEach(made, (file) => {
    const path = locate(root, file.real);
    makeFolders(dirname(path));
    writeNew(locate(root, file.temporary), contentOf(file), attributesFor(path, file[goal]));
  });
  forEach(made, ({ temporary }) => sync(locate(root, temporary)));
  syncNames(root, entry.files, entry.folders[direction]);
}

/** Does something for each file; an error says for which. */
function forEach(files: readonly JournalFile[], action: (file: JournalFile) => void): void {
  for (const file of files) {
    try {
      action(file);
    } catch (error) {
      throw systemError(file.file, error);
    }
  }
}

/** A file that is there keeps what it has: a mode that was changed since was changed on purpose. */
function attributesFor(path: string, goal: Content | null): Content['attributes'] {
  const stats = entryAt(path);
  if (stats === undefined) return goal?.attributes ?? null;
  return { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid };
}

/** Brings one file to its goal. False when it holds something that is not ours to replace. */
function put(root: string, file: JournalFile, direction: Direction): boolean {
  const [start, goal] =
    direction === 'apply' ? [file.before, file.after] : [file.after, file.before];
  const path = locate(root, file.real);
  const temporary = locate(root, file.temporary);
  const found = hashAt(path);
  const isReady = goal === null || entryAt(temporary) !== undefined;
  if (found !== hashOf(start) || !isReady) {
    rmSync(temporary, { force: true });
    return found === hashOf(goal);
  }
  if (goal === null) rmSync(path);
  else renameSync(temporary, path);
  return true;
}

function changedMeanwhile(direction: Direction, files: readonly string[]): RewriteError {
  const problem = `Somebody changed files meanwhile: ${nameFiles(files)}`;
  const [code, hint] =
    direction === 'apply'
      ? (['stale', 'Nothing was changed. Make the plan anew.'] as const)
      : (['changed', 'Nothing was undone. Take back these changes, then undo again.'] as const);
  return new RewriteError(code, problem, hint, { files });
}

/** Runs a step of what is completed later when it fails. */
function orInterrupted<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const why = error instanceof RewriteError ? error.message : systemWords(error);
    throw new RewriteError(
      'interrupted',
      `Stopped half-way at ${file}: ${why}`,
      'Put that right and run again: what was begun is then completed or taken back first.',
      { files: [file], cause: error },
    );
  }
}
