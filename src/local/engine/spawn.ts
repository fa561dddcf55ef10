import { EngineError } from './errors.ts';
import type { Launch, Size } from './isolation/types.ts';
import { absolute } from './paths.ts';
import type { User } from './users.ts';

/** What to run, and as whom. */
export interface SpawnOptions {
  argv: readonly string[];
  /** Defaults to the user's home. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  user?: string;
  /** Without it, input is empty. */
  stdin?: boolean;
  /** Runs on a terminal of this size, which takes input. */
  pty?: Size;
}

/** Completes what was asked for: variables of the account, then of the sandbox, then of the call. */
export function launchOf(
  { argv, cwd, env: own, pty }: SpawnOptions,
  user: User,
  path: string,
  ofSandbox: Readonly<Record<string, string>>,
): Launch {
  if (argv.length === 0) throw new EngineError('invalid', 'argv is empty');
  const env = {
    PATH: path,
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: user.shell,
    LANG: 'C.UTF-8',
    ...(pty === undefined ? {} : { TERM: 'xterm-256color' }),
    ...ofSandbox,
    ...own,
  };
  checkWords(argv, env);
  const at = absolute(cwd ?? user.home, user);
  return { argv, cwd: at, env, user, ...(pty === undefined ? {} : { pty }) };
}

function checkWords(argv: readonly string[], env: Readonly<Record<string, string>>): void {
  if ([...argv, ...Object.values(env)].some((word) => word.includes('\0'))) {
    throw new EngineError('invalid', 'arguments and variables cannot contain a NUL byte');
  }
  for (const key of Object.keys(env)) {
    if (key === '' || key.includes('=') || key.includes('\0')) {
      throw new EngineError('invalid', `'${key}' cannot be the name of a variable`);
    }
  }
}
