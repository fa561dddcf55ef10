import { SandboxError, type SandboxErrorCode } from '../provider/errors.ts';
import type { ExecResult } from '../provider/process.ts';
import type { Sandbox } from '../provider/sandbox.ts';

/** What commands are run with: a sandbox, or a part of one. */
export type Shell = Pick<Sandbox, 'exec' | 'spawn' | 'provider' | 'id'>;

/** Makes programs say what went wrong in words that are known. */
export const C_LOCALE = { LC_ALL: 'C' } as const;

/** The system's words, with which every tool ends what it says. */
const SYSTEM_ERRORS: ReadonlyMap<string, SandboxErrorCode> = new Map([
  ['No such file or directory', 'not_found'],
  // What dash says of a redirection.
  ['No such file', 'not_found'],
  ['Directory nonexistent', 'not_found'],
  ['Not a directory', 'not_found'],
  ['Is a directory', 'invalid_argument'],
  ['File name too long', 'invalid_argument'],
  ['File exists', 'conflict'],
  ['Directory not empty', 'conflict'],
  ['Permission denied', 'forbidden'],
  ['Operation not permitted', 'forbidden'],
  ['Read-only file system', 'forbidden'],
  ['No space left on device', 'capacity'],
]);

/** What a command said last. */
export function lastWords({ stderr, output }: Pick<ExecResult, 'stderr' | 'output'>): string {
  const said = stderr.trim() === '' ? output : stderr;
  return said.trim().split('\n').at(-1) ?? '';
}

/** The error of a command that failed on a file. */
export function fileError(
  shell: Shell,
  what: string,
  result: ExecResult,
  codes: Readonly<Record<string, SandboxErrorCode>> = {},
): SandboxError {
  const words = lastWords(result);
  const reason = words.split(': ').at(-1) ?? '';
  const code = codes[reason] ?? SYSTEM_ERRORS.get(reason) ?? 'unavailable';
  const told = reason === '' ? `its command ended with ${result.exitCode}` : reason;
  return new SandboxError(code, `${what}: ${told}`, {
    provider: shell.provider,
    sandboxId: shell.id,
    cause: words,
    // What is in the way stays there.
    ...(code === 'conflict' ? { retryable: false } : {}),
  });
}
