import { expected, isObject, oneOf, Problem, type Read, text as word } from '../config/read.ts';
import { type Edit, type FileChange, PLAN_SCHEMA_VERSION, type Plan } from '../model/plan.ts';
import { RewriteError } from './errors.ts';
import { findOverlap, inTextOrder } from './overlap.ts';
import { count, listOf, objectOf, path, type Readers, sha256 } from './read.ts';
import { hasLoneSurrogate } from './text.ts';

/** The text of a plan file. */
export function formatPlan(plan: Plan): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/**
 * Reads the text of a plan file and checks all that can be checked without the files it is about;
 * `shownAs` is its path in messages.
 * @throws {RewriteError} `invalid-plan`
 */
export function parsePlan(text: string, shownAs: string): Plan {
  let data: unknown;
  try {
    // Some shells put a byte order mark in front of what they write to a file.
    data = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw invalid(`Plan ${shownAs} is not valid JSON`, error);
  }
  try {
    return readPlan(data, '');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const at = error.at === '' ? '' : `${error.at}: `;
    throw invalid(`Plan ${shownAs} cannot be used: ${at}${error.message}`, error);
  }
}

const readEdit = objectOf<Edit>({ start: count, end: count, text: content, rule: word });

const KINDS: { [K in FileChange['kind']]: Read<Extract<FileChange, { kind: K }>> } = {
  edit: objectOf({ kind: oneOf(['edit']), file: path, sha256, edits }),
  create: objectOf({ kind: oneOf(['create']), file: path, text: content, rule: word }),
  delete: objectOf({ kind: oneOf(['delete']), file: path, sha256, rule: word }),
};

const READERS: Readers<Plan> = {
  schemaVersion: version,
  tool: objectOf({ name: oneOf(['cubeshift']), version: word }),
  strategy: word,
  baseCommit: word,
  changes,
};

function readPlan(data: unknown, at: string): Plan {
  // First, since nothing is known of the fields of another version.
  if (isObject(data)) version(data.schemaVersion, 'schemaVersion');
  return objectOf<Plan>(READERS, ['strategy', 'baseCommit'])(data, at);
}

function version(value: unknown, at: string): typeof PLAN_SCHEMA_VERSION {
  if (value === PLAN_SCHEMA_VERSION) return value;
  throw new Problem(at, expected(`${PLAN_SCHEMA_VERSION}, which this cubeshift knows`, value));
}

function changes(value: unknown, at: string): FileChange[] {
  const read = listOf(change)(value, at);
  const seen = new Set<string>();
  for (const { file } of read) {
    if (seen.has(file)) throw new Problem(at, `${file} has two entries`);
    seen.add(file);
  }
  return read;
}

function change(value: unknown, at: string): FileChange {
  if (!isObject(value)) throw new Problem(at, expected('an object', value));
  const kinds = Object.keys(KINDS) as FileChange['kind'][];
  const kind = oneOf(kinds)(value.kind, `${at}.kind`);
  try {
    return KINDS[kind](value, at);
  } catch (error) {
    if (!(error instanceof Problem) || typeof value.file !== 'string') throw error;
    // A number in a list tells nobody which file it is.
    throw new Problem(`${error.at} (${value.file})`, error.message);
  }
}

function edits(value: unknown, at: string): Edit[] {
  const read = listOf(readEdit)(value, at);
  const backwards = read.findIndex((edit) => edit.end < edit.start);
  if (backwards >= 0) throw new Problem(`${at}[${backwards}]`, 'it ends before it starts');
  const overlap = findOverlap(inTextOrder(read));
  if (overlap === undefined) return read;
  throw new Problem(`${at}[${read.indexOf(overlap)}]`, 'it overlaps another edit');
}

function content(value: unknown, at: string): string {
  if (typeof value !== 'string') throw new Problem(at, expected('a string', value));
  if (hasLoneSurrogate(value)) throw new Problem(at, 'it has half of a character');
  return value;
}

function invalid(problem: string, cause: unknown): RewriteError {
  return new RewriteError('invalid-plan', problem, 'Make the plan anew.', { cause });
}
