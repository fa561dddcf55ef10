import { type ChildProcess, spawn } from 'node:child_process';
import { PATH } from './isolation/scripts.ts';

/**
 * Runs a program for Node beside this process, with messages between the two; it ends with this
 * process, however that ends. Programs are text, so that they are in the server's bundle. `through`:
 * a command of the host that turns into the helper.
 */
export function startHelper(program: string, through: readonly string[] = []): ChildProcess {
  const bound = `process.on('disconnect', () => process.exit());${program}`;
  const [file = '', ...args] = [...through, process.execPath, '-e', bound];
  return spawn(file, args, {
    cwd: '/',
    env: { PATH },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A Ctrl-C in the server's terminal is the server's to handle.
    detached: true,
  });
}
