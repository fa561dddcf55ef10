import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { startHelper } from './helper.ts';
import { PATH } from './isolation/scripts.ts';
import { send } from './isolation/signals.ts';

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
  /** Why it could not be started. */
  problem?: string;
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
 * can be read, since bytes read here would be lost. Arguments that are too long make `spawn` throw,
 * most other problems come as an event.
 */
const PROGRAM = `
const { spawn } = require('node:child_process');
const { getSystemErrorMap } = require('node:util');
process.on('message', ({ id, file, args, env, stdio }) => {
  let isOver = false;
  const end = (ended) => {
    if (!isOver) process.send({ id, ended });
    isOver = true;
  };
  const fail = ({ errno, message }) => {
    end({ code: 127, signal: null, problem: getSystemErrorMap().get(errno)?.[1] ?? message });
  };
  let child;
  try {
    child = spawn(file, args, { cwd: '/', env, stdio, detached: true });
  } catch (error) {
    return fail(error);
  }
  for (const stream of child.stdio) stream?._handle?.readStop?.();
  child.once('error', fail);
  child.once('exit', (code, signal) => end({ code, signal }));
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

/**
 * The same without the launcher, by this process itself: for the few that everything else needs and
 * that must not end when the launcher does.
 */
export async function launchHere(request: LaunchRequest): Promise<Launched> {
  const { file, args, env = { PATH }, stdio } = request;
  const child = spawn(file, args, { cwd: '/', env, stdio: [...stdio], detached: true });
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', ({ message }) => resolve({ code: 127, signal: null, problem: message }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const pipes = [...child.stdio].map((end) => (end instanceof Socket ? end : undefined));
  return { pid: child.pid, pipes, ended };
}

class Launcher {
  readonly #process: ChildProcess = startHelper(PROGRAM);
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  isAlive = true;

  constructor() {
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

  /** What it started goes with it: nobody would hear how that ends. */
  #lose(): void {
    this.isAlive = false;
    for (const one of this.#waiting.values()) {
      // Each has a group of its own. A sandbox's process 1 takes all of the sandbox along.
      if (one.pid !== undefined) send(-one.pid, 'SIGKILL');
      one.started(one);
      one.ended({ code: null, signal: 'SIGKILL', problem: 'the launcher was killed' });
    }
    this.#waiting.clear();
  }
}
