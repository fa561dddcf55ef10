import type { Applied } from './apply.ts';
import { nameFiles, RewriteError } from './errors.ts';
import { type Entry, entryIds, readEntry, readOriginal } from './journal.ts';
import { withLock } from './lock.ts';
import { realRoot } from './paths.ts';
import { type Recovery, recover, recoverLocked } from './recover.ts';
import { checkWritable } from './targets.ts';
import { transact, unlike } from './transaction.ts';

/**
 * Takes back the plan that was applied last and not undone yet: all of it, or nothing. Done again, it
 * takes back the one before. A plan that was cut short counts as one: it is taken back alone.
 * @throws {RewriteError} `nothing-to-undo`; `changed` naming the files that are not as they were
 *   applied; `system`, `locked`, `journal`: nothing was undone; `interrupted`: the next run
 *   completes it.
 */
export function undo(root: string): Applied {
  const real = realRoot(root);
  const recovery = recover(real);
  if (recovery !== undefined && isUndone(recovery)) return asUndone(recovery);
  // Asked before the lock too, so that nothing is made where nothing is to be undone.
  lastEntry(real);
  return withLock(real, () => {
    recoverLocked(real);
    const entry = lastEntry(real);
    const changed = unlike(real, entry, 'after');
    if (changed.length > 0) throw changedSince(changed);
    for (const file of entry.files) checkWritable(real, file.file, file.real);
    const kept = transact(real, entry, 'undo', (file) => readOriginal(real, entry, file));
    const files = entry.files.map(({ file }) => file).filter((file) => !kept.includes(file));
    return { files, kept, ...(recovery && { recovery }) };
  });
}

/** Whether recovery has done what was asked for; the plan before is not to go as well. */
function isUndone({ direction, outcome }: Recovery): boolean {
  return direction === 'undo' ? outcome === 'completed' : outcome === 'rolled-back';
}

function asUndone(recovery: Recovery): Applied {
  const { direction, files, kept } = recovery;
  const changed = direction === 'undo' ? files.filter((file) => !kept.includes(file)) : [];
  return { files: changed, kept, recovery };
}

function lastEntry(root: string): Entry {
  const id = entryIds(root).at(-1);
  const entry = id === undefined ? undefined : readEntry(root, id);
  if (entry !== undefined) return entry;
  throw new RewriteError(
    'nothing-to-undo',
    `Nothing to undo in ${root}`,
    'Only what cubeshift applied there and what was not undone yet can be undone.',
  );
}

function changedSince(files: readonly string[]): RewriteError {
  return new RewriteError(
    'changed',
    `Changed since the plan was applied: ${nameFiles(files)}`,
    'Nothing was undone. Take back these changes, or restore the files from version control.',
    { files },
  );
}
