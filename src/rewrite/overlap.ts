import type { Span } from '../model/finding.ts';
import type { Edit } from '../model/plan.ts';

/** Edits of one place that only make sense together: all of them are taken, or none. */
export type Candidate = readonly Edit[];

/** A candidate that is not applied, and the edit that was there first. */
export interface RejectedCandidate {
  edits: Candidate;
  /** Of `edits`, the one that is in the way. */
  edit: Edit;
  conflictsWith: Edit;
  /** For people: which rule is in the way, and where. */
  reason: string;
}

export interface Selection {
  /** In the order of the text; those of one insertion point in the order they were asked for. */
  accepted: Edit[];
  rejected: RejectedCandidate[];
}

/**
 * Chooses which edits of one file are made, given in the order of the rules: of two that overlap, the
 * earlier. Edits that touch do not overlap, those that insert at one point are all made, and one that
 * was asked for twice is made once.
 */
export function selectEdits(candidates: readonly Candidate[]): Selection {
  const accepted: Edit[] = [];
  const rejected: RejectedCandidate[] = [];
  for (const edits of candidates) {
    const taken = [...accepted];
    const conflict = addAll(taken, edits);
    if (conflict === undefined) accepted.splice(0, accepted.length, ...taken);
    else rejected.push({ edits, ...conflict, reason: inWords(conflict.conflictsWith) });
  }
  return { accepted: inTextOrder(accepted), rejected };
}

/** Edits in the order of the text. What inserts at the start of a replaced span comes before it. */
export function inTextOrder(edits: readonly Edit[]): Edit[] {
  return [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The first of the edits, in the order of the text, that overlaps one before it. */
export function findOverlap(sorted: readonly Edit[]): Edit | undefined {
  let end = 0;
  return sorted.find((edit) => {
    if (edit.start < end) return true;
    end = edit.end;
    return false;
  });
}

function addAll(taken: Edit[], edits: Candidate): { edit: Edit; conflictsWith: Edit } | undefined {
  for (const edit of edits) {
    if (taken.some((other) => isSame(other, edit))) continue;
    const conflictsWith = taken.find((other) => overlaps(other, edit));
    if (conflictsWith !== undefined) return { edit, conflictsWith };
    taken.push(edit);
  }
  return undefined;
}

function isSame(a: Edit, b: Edit): boolean {
  return a.start === b.start && a.end === b.end && a.text === b.text;
}

/** An insertion overlaps what it is inside of, not what it stands beside. */
function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

function inWords({ rule, start, end }: Edit): string {
  return `overlaps the edit of ${rule} at ${start}-${end}, which was there first`;
}
