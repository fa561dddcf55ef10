import { formatPatch, structuredPatch } from 'diff';
import type { Plan } from '../model/plan.ts';
import { realRoot } from './paths.ts';
import { isChange, readTargets, type Target } from './targets.ts';

export type DiffLineKind = 'header' | 'hunk' | 'context' | 'added' | 'removed' | 'note';

export interface DiffLine {
  kind: DiffLineKind;
  /** The whole line with its sign. Of a file with "\r\n" it ends with "\r", so that the diff applies. */
  text: string;
}

export interface FileDiff {
  file: string;
  kind: 'edit' | 'create' | 'delete';
  added: number;
  removed: number;
  lines: DiffLine[];
}

/**
 * What a plan would change, as a unified diff that `git apply` takes, one entry for each file that
 * becomes another. Changes nothing.
 * @throws {RewriteError} as {@link readTargets}
 */
export function diffPlan(root: string, plan: Plan): FileDiff[] {
  return readTargets(realRoot(root), plan).filter(isChange).map(diffTarget);
}

/** The text of a diff. */
export function formatDiff(diffs: readonly FileDiff[]): string {
  return diffs.flatMap(({ lines }) => lines.map(({ text }) => `${text}\n`)).join('');
}

const CONTEXT = 3;
const NOTHING = '/dev/null';

function diffTarget({ file, before, after }: Target): FileDiff {
  const kind = before === null ? 'create' : after === null ? 'delete' : 'edit';
  const patch = structuredPatch(
    before === null ? NOTHING : `a/${file}`,
    after === null ? NOTHING : `b/${file}`,
    before?.bytes.toString('utf8') ?? '',
    after?.toString('utf8') ?? '',
    undefined,
    undefined,
    { context: CONTEXT },
  );
  patch.isGit = true;
  if (before === null) patch.isCreate = true;
  if (after === null) patch.isDelete = true;
  if (after === null && before !== null) patch.oldMode = gitMode(before.attributes.mode);
  const lines = classify(formatPatch(patch));
  const count = (wanted: DiffLineKind) => lines.filter((line) => line.kind === wanted).length;
  return { file, kind, added: count('added'), removed: count('removed'), lines };
}

/** Git knows two kinds of regular files. */
function gitMode(mode: number): string {
  return (mode & 0o100) === 0 ? '100644' : '100755';
}

function classify(patch: string): DiffLine[] {
  let inHunks = false;
  return patch
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => {
      // Inside of hunks every line has a sign, so none of the code can look like this.
      if (text.startsWith('@@')) inHunks = true;
      return { kind: inHunks ? (KINDS[text.charAt(0)] ?? 'context') : 'header', text };
    });
}

const KINDS: Readonly<Record<string, DiffLineKind>> = {
  '@': 'hunk',
  '+': 'added',
  '-': 'removed',
  ' ': 'context',
  '\\': 'note',
};
