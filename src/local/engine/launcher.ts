import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { PATH } from './isolation/scripts.ts';

/** A process of the host to start. Its arguments are never text for a shell. */
export interface LaunchRequest {
  file: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** For each descriptor, whether it is a pipe to this process or nothing. */
  stdio: readonly ('pipe' | 'ignore')[];
}

/** How a process of the host ended; a program that could not be started ends with code 127. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of the host that was started. */
export interface Launched {
  /** Its number; undefined when it could not be started. */
  pid: number | undefined;
  /** The pipes, by descriptor. */
  pipes: readonly (Socket | undefined)[];
  /** When the process has ended; its pipes may still hold output. */
  ended: Promise<Ended>;
}

/**
 * Starts processes on behalf of the server and hands the ends of their pipes over. It is small, and
 * what it takes to start a process grows with the memory of whoever does it: 3 ms from here, 8 ms
 * from a server of 100 MB, during which that does nothing else. Reading is stopped before anything
 * can be read, since bytes read here would be lost. Text, so that it is in the server's bundle.
 */
const PROGRAM = `
const { spawn } = require('node:child_process');
process.on('disconnect', () => process.exit());
process.on('message', ({ id, file, args, env, stdio }) => {
  const child = spawn(file, args, { cwd: '/', env, stdio, detached: true });
  for (const stream of child.stdio) stream?._handle?.readStop?.();
  let isOver = false;
  const end = (code, signal) => {
    if (!isOver) process.send({ id, ended: { code, signal } });
    isOver = true;
  };
  child.once('error', () => end(127, null));
  child.once('exit', end);
  process.send({ id, pid: child.pid });
  child.stdio.forEach((stream, fd) => {
    if (stream !== null && child.pid !== undefined) process.send({ id, fd }, stream);
  });
});
`;

interface Waiting {
  pipes: (Socket | undefined)[];
  /** Pipes that are still to come. */
  missing: number;
  pid: number | undefined;
  started: (launched: { pid: number | undefined; pipes: (Socket | undefined)[] }) => void;
  ended: (how: Ended) => void;
}

type Message = { id: number } & ({ pid: number | undefined } | { fd: number } | { ended: Ended });

/** The launcher of this process, started when it is first needed. */
let launcher: Launcher | undefined;

/** Starts a process; resolves when it runs or could not be started. */
export async function launch(request: LaunchRequest): Promise<Launched> {
  if (launcher?.isAlive !== true) launcher = new Launcher();
  return launcher.launch(request);
}

class Launcher {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  isAlive = true;

  constructor() {
    this.#process = spawn(process.execPath, ['-e', PROGRAM], {
      cwd: '/',
      env: { PATH },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A Ctrl-C in the server's terminal is the server's to handle.
      detached: true,
    });
    this.#process.on('message', (message: Message, handle) =>
      this.#take(message, handle as Socket),
    );
    const gone = (): void => this.#lose();
    this.#process.once('error', gone);
    this.#process.once('disconnect', gone);
    this.#rest();
  }

  launch({ file, args, env = { PATH }, stdio }: LaunchRequest): Promise<Launched> {
    const id = this.#count++;
    this.#process.channel?.ref();
    return new Promise((resolve) => {
      const ended = new Promise<Ended>((end) => {
        this.#waiting.set(id, {
          pipes: stdio.map(() => undefined),
          missing: stdio.filter((kind) => kind === 'pipe').length,
          pid: undefined,
          started: ({ pid, pipes }) => resolve({ pid, pipes, ended }),
          ended: end,
        });
      });
      this.#process.send({ id, file, args, env, stdio }, (error) => {
        if (error !== null) this.#lose();
      });
    });
  }

  #take(message: Message, handle: Socket | undefined): void {
    const one = this.#waiting.get(message.id);
    if (one === undefined) return void handle?.destroy();
    if ('ended' in message) {
      // The last word on it; of one that could not be started it is the first, and no pipe comes.
      one.started(one);
      one.ended(message.ended);
      this.#waiting.delete(message.id);
      this.#rest();
      return;
    }
    if ('fd' in message) {
      one.pipes[message.fd] = handle;
      one.missing -= 1;
    } else {
      one.pid = message.pid;
    }
    if (one.missing === 0 && one.pid !== undefined) one.started(one);
  }

  /** Without anything to wait for it does not keep the server's process alive. */
  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#process.unref();
    this.#process.channel?.unref();
  }

  /** What it started has gone with it. */
  #lose(): void {
    this.isAlive = false;
    for (const one of this.#waiting.values()) {
      one.started(one);
      one.ended({ code: null, signal: 'SIGKILL' });
    }
    this.#waiting.clear();
  }
}
