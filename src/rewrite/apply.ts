import type { Plan } from '../model/plan.ts';
import { systemError } from './errors.ts';
import { createEntry, type Entry, pruneEntries } from './journal.ts';
import { withLock } from './lock.ts';
import { OWN_FOLDER, realRoot } from './paths.ts';
import { type Recovery, recover, recoverLocked } from './recover.ts';
import { checkWritable, isChange, readTargets, type Target } from './targets.ts';
import { transact } from './transaction.ts';

/** What was applied, or undone. */
export interface Applied {
  /** The files that are different now. */
  files: string[];
  /** Files that somebody changed in the last moment, and that were therefore left as they are. */
  kept: string[];
  /** What was done first about an earlier run that had been cut short. */
  recovery?: Recovery;
}

/**
 * Applies a plan: all of it, or nothing. It can be undone. A process that is killed meanwhile leaves
 * what {@link recover} completes or takes back.
 * @throws {RewriteError} `stale`, `refused`, `invalid-plan`, `system`, `locked`: nothing was
 *   changed; `interrupted`: the next run completes it.
 */
export function applyPlan(root: string, plan: Plan): Applied {
  const real = realRoot(root);
  const recovery = recover(real);
  // Asked before anything is made too, so that a plan that is refused leaves no trace.
  const found = check(real, plan);
  const done = found.length === 0 ? { files: [], kept: [] } : applyLocked(real, plan);
  return { ...done, ...(recovery && { recovery }) };
}

function applyLocked(root: string, plan: Plan): Applied {
  return withLock(root, () => {
    recoverLocked(root);
    const targets = check(root, plan);
    const entry = begin(root, targets);
    const contents = new Map(targets.map(({ file, after }) => [file, after]));
    const kept = transact(root, entry, 'apply', ({ file }) => contents.get(file) ?? EMPTY);
    pruneEntries(root);
    return { files: entry.files.map(({ file }) => file), kept };
  });
}

const EMPTY = Buffer.alloc(0);

function check(root: string, plan: Plan): Target[] {
  const targets = readTargets(root, plan).filter(isChange);
  for (const { file, real } of targets) checkWritable(root, file, real);
  return targets;
}

function begin(root: string, targets: readonly Target[]): Entry {
  try {
    return createEntry(root, targets);
  } catch (error) {
    // What there is of it goes; nothing depends on it yet.
    recoverLocked(root);
    throw systemError(`${OWN_FOLDER}/journal`, error);
  }
}
