import type { Span } from './finding.ts';

/** Raised with every change of these types: a plan is applied as it was meant, or not at all. */
export const PLAN_SCHEMA_VERSION = 1;

/**
 * Text that takes the place of a span of a file; an empty span inserts. Offsets are those of
 * {@link Span}: UTF-16 code units of the decoded text, without its byte order mark.
 */
export interface Edit extends Span {
  /** What comes instead. Lines end with "\n" here, and with the file's own line ending in the file. */
  text: string;
  /** The rule that asks for it, e.g. `DT401`. */
  rule: string;
}

interface Change {
  /** Repository-relative path with forward slashes. */
  file: string;
}

/** Rewrites parts of a file. */
export interface FileEdit extends Change {
  kind: 'edit';
  /** Of the bytes that the edits were planned on, in hex. */
  sha256: string;
  /** In the order of the text, none overlapping another. */
  edits: Edit[];
}

/** Makes a file where none is. */
export interface FileCreate extends Change {
  kind: 'create';
  /** The whole content; written as it is. */
  text: string;
  rule: string;
}

/** Removes a file. */
export interface FileDelete extends Change {
  kind: 'delete';
  /** Of the bytes that were there when it was planned, in hex. */
  sha256: string;
  rule: string;
}

export type FileChange = FileEdit | FileCreate | FileDelete;

/** Everything one migration would do to a repository. */
export interface Plan {
  schemaVersion: typeof PLAN_SCHEMA_VERSION;
  tool: { name: 'cubeshift'; version: string };
  /** How the code is migrated, e.g. `shim`. */
  strategy?: string;
  /** The commit that was checked out when the plan was made. */
  baseCommit?: string;
  /** One entry a file, sorted by path. */
  changes: FileChange[];
}
