/**
 * Something the user can put right: a wrong argument, file or configuration. Shown without a stack,
 * ends with exit code 2. The message says what is wrong and, where it can, what to do.
 */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The result could not be written where it was asked for; ends with exit code 3. */
export class OutputError extends Error {
  override name = 'OutputError';
}

/** What went wrong in the words of the system, e.g. `permission denied (EACCES)`. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  const words = code === undefined ? undefined : SYSTEM_WORDS[code];
  return words === undefined ? error.message : `${words} (${code})`;
}

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ENOSPC: 'no space left on the device',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file is in the way',
};
