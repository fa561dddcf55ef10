import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { systemReason, UsageError } from './errors.ts';

/** What commands share that serve until they are stopped, or for as long as a command runs. */

/** Lines for a shell. Values are made here, and hold nothing that it would read as more than text. */
export function asExports(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join('');
}

/** The error for an address that cannot be listened on; `undefined` if something else is wrong. */
export function cannotListen(
  error: unknown,
  host: string | undefined,
  flags: string,
): UsageError | undefined {
  const { code, syscall, port } = error as NodeJS.ErrnoException & { port?: number };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const at = port === undefined ? host : `${host} port ${port}`;
  const another = flags.includes(' and ') ? 'others' : 'another';
  const hint = code === 'EADDRINUSE' ? ` Choose ${another} with ${flags}.` : '';
  return new UsageError(`Cannot listen on ${at}: ${systemReason(error)}.${hint}`);
}

/** Runs a command that finds the server through its environment. Its output is its own. */
export function runCommand(
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  stop: StopSignal,
): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  // Ctrl-C reaches the command through the terminal; other signals only reach us.
  void stop.received.then((signal) => signal !== 'SIGINT' && child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new UsageError(`Cannot run ${file}: ${systemReason(error)}.`));
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal]);
    });
  });
}

/** Waits for a signal that asks to stop. A second one ends the process at once. */
export class StopSignal {
  readonly received: Promise<NodeJS.Signals>;
  readonly #names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  #listener: (signal: NodeJS.Signals) => void = () => undefined;

  constructor() {
    this.received = new Promise((resolve) => {
      this.#listener = (signal) => {
        this.forget();
        resolve(signal);
      };
    });
    for (const name of this.#names) process.on(name, this.#listener);
  }

  forget(): void {
    for (const name of this.#names) process.off(name, this.#listener);
  }
}
