import { entryIds, readEntry, removeEntry } from './journal.ts';
import { withLock } from './lock.ts';
import { realRoot } from './paths.ts';
import { commit, type Direction, rollBack } from './transaction.ts';

/** What was done about a run that had been cut short. */
export interface Recovery {
  /** What it was doing. */
  direction: Direction;
  /** `rolled-back`: all files are as before it. `completed`: all are as it wanted them. */
  outcome: 'rolled-back' | 'completed';
  /** The files that it was about. */
  files: string[];
  /** Of these, files that somebody changed since, and that were therefore left as they are. */
  kept: string[];
}

/**
 * Completes or takes back what an earlier run left half-way; the first thing every command does that
 * plans, applies or undoes. Undefined when there was nothing.
 * @throws {RewriteError} `locked` when that run is still at it; `interrupted`, `journal`.
 */
export function recover(root: string): Recovery | undefined {
  const real = realRoot(root);
  const isDone = (id: string) => readEntry(real, id)?.state === 'applied';
  return entryIds(real).every(isDone) ? undefined : withLock(real, () => recoverLocked(real));
}

/** The same for those who have the lock, which also makes sure that nobody is at it. */
export function recoverLocked(root: string): Recovery | undefined {
  let recovery: Recovery | undefined;
  for (const id of entryIds(root)) {
    const entry = readEntry(root, id);
    // It never came to anything, or was being removed.
    if (entry === undefined) removeEntry(root, id);
    else if (entry.state !== 'applied') {
      const direction = entry.state.startsWith('undo') ? 'undo' : 'apply';
      const files = entry.files.map(({ file }) => file);
      if (entry.state.endsWith('preparing')) {
        rollBack(root, entry, direction);
        recovery = { direction, outcome: 'rolled-back', files, kept: [] };
      } else {
        const kept = commit(root, entry, direction);
        recovery = { direction, outcome: 'completed', files, kept };
      }
    }
  }
  return recovery;
}
