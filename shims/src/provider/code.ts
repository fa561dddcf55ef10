import type { CallOptions } from './create.ts';

export type CodeLanguage = 'python' | 'javascript' | 'typescript' | 'bash';

export interface RunCodeOptions extends CallOptions {
  /** Defaults to `python`. */
  language?: CodeLanguage | undefined;
  /** Arguments of the program. */
  args?: readonly string[] | undefined;
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  timeoutMs?: number | undefined;
  onStdout?: ((text: string) => void) | undefined;
  onStderr?: ((text: string) => void) | undefined;
}

/** What ended a program, as its language tells it. */
export interface RunCodeError {
  /** The class: `ValueError`. */
  readonly name: string;
  readonly value: string;
  readonly traceback: string;
}

/** How a program ended. One that failed is not an error of the call. */
export interface RunCodeResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** Where an error of the program shows, unless `streamsMerged`. */
  readonly stderr: string;
  readonly streamsMerged: boolean;
  /** Unset when it ended well, and when what it printed does not tell. */
  readonly error?: RunCodeError;
}
