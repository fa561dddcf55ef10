import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expected, oneOf, Problem, type Read, text as word } from '../config/read.ts';
import { type Attributes, replace, sync, writeNew } from './durable.ts';
import { codeOf, RewriteError, systemError } from './errors.ts';
import { checkOwnFolder, ownPath } from './folder.ts';
import { entryAt, OWN_FOLDER } from './paths.ts';
import { count, sha256 as hash, listOf, objectOf, orNull, path } from './read.ts';
import { sha256, type Target } from './targets.ts';

/**
 * How far an applied plan is. While `preparing`, files are as they were before; while `committing`,
 * new contents are ready and are being put in place. An entry that is undone is removed.
 */
const STATES = ['preparing', 'committing', 'applied', 'undo-preparing', 'undo-committing'] as const;

/** One plan that was applied, or is being so. */
export interface Entry {
  version: 1;
  /** Sorts by age. */
  id: string;
  state: (typeof STATES)[number];
  files: JournalFile[];
  /** Folders that applying made, and that undoing it makes; those above others first. */
  folders: { apply: string[]; undo: string[] };
}

export interface JournalFile {
  /** As the plan named it. */
  file: string;
  /** Its own name, links followed. */
  real: string;
  /** The name of its new content before that is put in place. */
  temporary: string;
  /** The name, in the folder of the entry, of what it held before. */
  original: string;
  before: Content | null;
  after: Content | null;
}

/** What a file holds; of one that is not there, there is null instead. */
export interface Content {
  sha256: string;
  /** Null for a file that the plan creates. */
  attributes: Attributes | null;
}

/** Plans that can be undone. More are forgotten, the oldest first. */
const MOST_ENTRIES = 10;

const ENTRY = 'entry.json';

/** Records what files held before they are changed. The entry counts once it is saved. */
export function createEntry(root: string, targets: readonly Target[]): Entry {
  const last = Number(entryIds(root).at(-1)?.slice(0, 6) ?? 0);
  // The number alone would come again after an undo, and with it names of temporary files.
  const id = `${String(last + 1).padStart(6, '0')}-${randomBytes(4).toString('hex')}`;
  const dir = folderOf(root, id);
  mkdirSync(dir);
  const files = targets.map(({ file, real, before, after }, index): JournalFile => {
    const original = `${index}`;
    if (before !== null) writeNew(join(dir, original), before.bytes, PRIVATE);
    const attributes = before?.attributes ?? null;
    const folder = real.slice(0, real.lastIndexOf('/') + 1);
    return {
      file,
      real,
      temporary: `${folder}.cubeshift-${id}-${index}.tmp`,
      original,
      before: before && { sha256: sha256(before.bytes), attributes },
      after: after && { sha256: sha256(after), attributes },
    };
  });
  for (const { before, original } of files) if (before !== null) sync(join(dir, original));
  sync(dir);
  sync(ownPath.journal(root));
  return { version: 1, id, state: 'preparing', files, folders: { apply: [], undo: [] } };
}

/** Writes what is known of an entry, at once and for good. */
export function saveEntry(root: string, entry: Entry): void {
  replace(join(folderOf(root, entry.id), ENTRY), `${JSON.stringify(entry)}\n`);
}

/** Forgets an entry. What is left of it when this is cut short is removed by the next recovery. */
export function removeEntry(root: string, id: string): void {
  const dir = folderOf(root, id);
  rmSync(join(dir, ENTRY), { force: true });
  sync(dir);
  rmSync(dir, { recursive: true, force: true });
}

/** Forgets the oldest entries, or leaves that to the next run when it cannot. */
export function pruneEntries(root: string): void {
  try {
    for (const id of entryIds(root).slice(0, -MOST_ENTRIES)) removeEntry(root, id);
  } catch {
    // What was asked for is done, and a longer record harms nobody.
  }
}

/** Ids of all entries, oldest first, with those that are not saved yet or were half removed. */
export function entryIds(root: string): string[] {
  checkOwnFolder(root);
  const dir = ownPath.journal(root);
  if (entryAt(dir) === undefined) return [];
  return readdirSync(dir)
    .filter((name) => /^\d{6}-[0-9a-f]{8}$/.test(name))
    .sort();
}

/**
 * Reads an entry; undefined when it was never saved.
 * @throws {RewriteError} `journal` when it cannot be understood.
 */
export function readEntry(root: string, id: string): Entry | undefined {
  try {
    const text = readFileSync(join(folderOf(root, id), ENTRY), 'utf8');
    const entry = readFields(JSON.parse(text), '');
    if (entry.id !== id) throw new Problem('id', `it is not ${id}`);
    return entry;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(id, error);
  }
}

/** What a file held before the plan. @throws {RewriteError} `journal` when that is lost. */
export function readOriginal(root: string, { id }: Entry, file: JournalFile): Buffer {
  try {
    const bytes = readFileSync(join(folderOf(root, id), file.original));
    if (sha256(bytes) !== file.before?.sha256) throw new Error(`${file.file} is damaged in it`);
    return bytes;
  } catch (error) {
    throw unusable(id, error);
  }
}

const PRIVATE: Attributes = {
  mode: 0o600,
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
};

const content: Read<Content | null> = orNull(
  objectOf<Content>({
    sha256: hash,
    attributes: orNull(objectOf<Attributes>({ mode: count, uid: count, gid: count })),
  }),
);

const readFields = objectOf<Entry>({
  version: (value, at) => {
    if (value === 1) return value;
    throw new Problem(at, 'it is of another version of cubeshift');
  },
  id: word,
  state: oneOf(STATES),
  files: listOf(
    objectOf<JournalFile>({
      file: word,
      real: path,
      temporary: path,
      original: fileNumber,
      before: content,
      after: content,
    }),
  ),
  folders: objectOf<Entry['folders']>({ apply: listOf(path), undo: listOf(path) }),
});

function fileNumber(value: unknown, at: string): string {
  if (typeof value === 'string' && /^\d+$/.test(value)) return value;
  throw new Problem(at, expected('the number of a file', value));
}

function unusable(id: string, error: unknown): RewriteError {
  const dir = `${OWN_FOLDER}/journal/${id}`;
  // What cannot be read now may be readable later, so it is not to be thrown away.
  const code = codeOf(error);
  if (code !== undefined && code !== 'ENOENT') return systemError(dir, error, 'read');
  const at = error instanceof Problem && error.at !== '' ? `${error.at}: ` : '';
  const why = error instanceof Error ? error.message : String(error);
  return new RewriteError(
    'journal',
    `The record of an applied plan, ${dir}, cannot be used: ${at}${why}`,
    `What files held before is in that folder, in files named by numbers. Restore what you need from it or from version control, then delete it.`,
    { cause: error },
  );
}

function folderOf(root: string, id: string): string {
  return join(ownPath.journal(root), id);
}
