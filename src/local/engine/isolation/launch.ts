import { LAUNCH, LAUNCH_PTY, ON_PTY } from './scripts.ts';
import type { Launch } from './types.ts';

/**
 * The arguments that turn into the user's program once inside: an environment from scratch, the
 * folder, then the program, on a terminal of its own when asked for.
 */
export function innerCommand({ argv, cwd, env, pty }: Launch): string[] {
  const own = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  if (pty === undefined) {
    return ['env', '-i', '--', ...own, '/bin/sh', '-c', LAUNCH, 'launch', cwd, ...argv];
  }
  // The shell between keeps `env` from reading a program name with `=` as a variable.
  const onPty = ['env', '-i', '--', ...own, '/bin/sh', '-c', 'exec "$@"', 'exec', ...argv];
  const carried = [
    // `script` runs its command with this shell.
    'SHELL=/bin/sh',
    `PATH=${env.PATH ?? ''}`,
    `ROWS=${pty.rows}`,
    `COLS=${pty.cols}`,
    `COUNT=${onPty.length}`,
    ...onPty.map((argument, i) => `ARG_${i}=${argument}`),
    ...own.filter((pair) => pair.startsWith('CUBESHIFT_SANDBOX=')),
  ];
  return ['env', '-i', '--', ...carried, '/bin/sh', '-c', LAUNCH_PTY, 'launch', cwd, ON_PTY];
}
