/**
 * The part of a migration that knows no rules: it shows what a plan would change, changes it all or
 * nothing, and takes it back. A root is the absolute path that the paths of a plan are relative to.
 */
export { type Applied, applyPlan } from './apply.ts';
export { type DiffLine, type DiffLineKind, diffPlan, type FileDiff, formatDiff } from './diff.ts';
export { RewriteError, type RewriteErrorCode } from './errors.ts';
export { checkCommitted, type DirtyState, type GitCheck } from './git.ts';
export { type Candidate, type RejectedCandidate, type Selection, selectEdits } from './overlap.ts';
export { formatPlan, parsePlan } from './plan.ts';
export { type Recovery, recover } from './recover.ts';
export { renderEdits } from './render.ts';
export { sha256 } from './targets.ts';
export { undo } from './undo.ts';
