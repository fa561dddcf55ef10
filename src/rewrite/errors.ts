/**
 * Why a plan was not applied, or not undone.
 * `invalid-plan`: the plan itself cannot be used. `stale`: files are not what they were when the plan
 * was made. `changed`: files are not what was applied. `refused`: the plan asks for something that is
 * never done, such as writing outside of the root. `locked`: another process is at it.
 * `nothing-to-undo`: no applied plan is left. `system`: the system would not read or write something,
 * and everything is as it was. `interrupted`: it would not do so half-way, and the next run goes on.
 * `journal`: the record of what was done cannot be used.
 */
export type RewriteErrorCode =
  | 'invalid-plan'
  | 'stale'
  | 'changed'
  | 'refused'
  | 'locked'
  | 'nothing-to-undo'
  | 'system'
  | 'interrupted'
  | 'journal';

interface Details {
  /** The files it is about, as the plan names them. */
  files?: readonly string[];
  cause?: unknown;
}

/** Something a person can put right. The message says what, where and what to do. */
export class RewriteError extends Error {
  override name = 'RewriteError';
  readonly code: RewriteErrorCode;
  readonly files: readonly string[];
  /** What to do; the message ends with it. */
  readonly hint: string;

  constructor(
    code: RewriteErrorCode,
    problem: string,
    hint: string,
    { files = [], cause }: Details = {},
  ) {
    const end = /[.?]$/.test(problem) ? '' : '.';
    super(`${problem}${end} ${hint}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.files = files;
    this.hint = hint;
  }
}

/** What the system said, without the call and the path: `no space left on device (ENOSPC)`. */
export function systemWords(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const match = /^([A-Z][A-Z0-9]+): ([^,]+)/.exec(said);
  return match === null ? said : `${match[2]} (${match[1]})`;
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** The error of a file that the system does not let be read or written. */
export function systemError(
  file: string,
  error: unknown,
  verb: 'read' | 'write' = 'write',
): RewriteError {
  if (error instanceof RewriteError) return error;
  return new RewriteError(
    'system',
    `Cannot ${verb} ${file}: ${systemWords(error)}`,
    'Nothing was changed. Put that right and run again.',
    { files: [file], cause: error },
  );
}

const MOST_NAMED = 10;

/** Names files in a sentence; of very many, the first. */
export function nameFiles(files: readonly string[]): string {
  const named = files.slice(0, MOST_NAMED).join(', ');
  const rest = files.length - MOST_NAMED;
  return rest > 0 ? `${named} and ${rest} more` : named;
}
