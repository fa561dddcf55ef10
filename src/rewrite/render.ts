import type { Edit } from '../model/plan.ts';
import { RewriteError } from './errors.ts';
import { findOverlap, inTextOrder } from './overlap.ts';
import { decode, hasLoneSurrogate, lineEnding, splitsCharacter } from './text.ts';

const MAKE_ANEW = 'Make the plan anew.';

/**
 * The bytes of a file after its edits. Everything outside of the edited spans stays byte for byte,
 * with it the byte order mark and how the last line ends.
 * @throws {RewriteError} `refused` when the file is not valid UTF-8, `invalid-plan` when the edits do
 *   not fit the text.
 */
export function renderEdits(file: string, bytes: Buffer, edits: readonly Edit[]): Buffer {
  const decoded = decode(bytes);
  if (decoded === undefined) throw notText(file);
  const { text, mark } = decoded;
  const ending = lineEnding(text);
  const sorted = inTextOrder(edits);
  for (const edit of sorted) checkEdit(file, text, edit);
  const overlap = findOverlap(sorted);
  if (overlap !== undefined) throw misfit(file, overlap, 'overlaps another');
  const parts = [mark];
  let at = 0;
  for (const edit of sorted) {
    parts.push(text.slice(at, edit.start), edit.text.replace(/\r?\n/g, ending));
    at = edit.end;
  }
  parts.push(text.slice(at));
  return Buffer.from(parts.join(''));
}

/** The error of a file that holds something other than UTF-8. */
export function notText(file: string): RewriteError {
  return new RewriteError(
    'refused',
    `${file} is not valid UTF-8`,
    'Convert it to UTF-8, or leave it out of the migration.',
    { files: [file] },
  );
}

function checkEdit(file: string, text: string, edit: Edit): void {
  const { start, end } = edit;
  if (!(0 <= start && start <= end && end <= text.length)) {
    throw misfit(file, edit, `is out of range: the text has ${text.length} characters`);
  }
  if (splitsCharacter(text, start) || splitsCharacter(text, end)) {
    throw misfit(file, edit, 'cuts a character in two');
  }
  if (hasLoneSurrogate(edit.text)) throw misfit(file, edit, 'inserts half of a character');
}

/** The error of an edit that cannot be made. */
export function misfit(file: string, edit: Edit, why: string): RewriteError {
  const problem = `${file}: the edit of ${edit.rule} at ${edit.start}-${edit.end} ${why}`;
  return new RewriteError('invalid-plan', problem, MAKE_ANEW, { files: [file] });
}
