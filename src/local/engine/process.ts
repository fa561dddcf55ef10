import { constants } from 'node:os';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EngineError } from './errors.ts';
import type { Body, Launch, Size } from './isolation/types.ts';
import { type Ended, launch } from './launcher.ts';
import { firstLine } from './run.ts';

/** How a process ended. Ended by a signal, the code is 128 and its number, as in a shell. */
export interface Exit {
  exitCode: number;
  signal?: string;
}

/**
 * A process in a sandbox. Output waits for its reader: one that nobody reads fills a pipe and
 * blocks the process, so whoever starts it reads it, or calls `resume()` on the streams. A reader
 * that goes away (`destroy()`) does not end the process; what it writes from then on is dropped.
 */
export interface SandboxProcess {
  /** Its number inside the sandbox. */
  readonly pid: number;
  /** With a terminal, all output. */
  readonly stdout: Readable;
  /** With a terminal, nothing. */
  readonly stderr: Readable;
  /** When the process itself has ended; its output may still come, also from its children. */
  readonly exit: Promise<Exit>;
  /** Resolves when the data has been taken over, which is when more may be given. */
  write(data: Uint8Array | string): Promise<void>;
  closeStdin(): Promise<void>;
  /** Changes the terminal's size; the foreground program gets SIGWINCH. */
  resize(size: Size): Promise<void>;
  /** To the process, or its whole group; false when it is gone. */
  signal(name: NodeJS.Signals, options?: { group?: boolean }): Promise<boolean>;
}

/** Starts a process and waits until it runs. */
export async function startProcess(
  body: Body,
  launchOptions: Launch,
  wantsStdin: boolean,
): Promise<SandboxProcess> {
  if (launchOptions.pty !== undefined && process.platform !== 'linux') {
    throw new EngineError('unsupported', 'terminals need Linux');
  }
  const { file, args, env } = body.command(launchOptions);
  const takesInput = wantsStdin || launchOptions.pty !== undefined;
  const stdio = [takesInput ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'] as const;
  const child = await launch({ file, args, env, stdio });
  const { pid: hostPid, pipes } = child;
  const exit = child.ended.then(exitOf);
  if (hostPid !== undefined) {
    body.started(hostPid);
    void exit.then(() => body.exited(hostPid));
  }
  const [stdin, ...outputs] = pipes;
  const [stdout, stderr] = [outputOf(outputs[0]), outputOf(outputs[1])];
  stdin?.on('error', () => undefined).resume();

  const [verdict, pid, tty] = (await firstLine(outputs[2])).split(' ');
  if (verdict !== 'ok') {
    stdin?.end();
    const { problem } = await child.ended;
    const { exitCode } = await exit;
    const said = (await text(stderr)).trim();
    throw refusal(verdict, launchOptions, said || (problem ?? `exit code ${exitCode}`));
  }
  return new RunningProcess(body, stdin, { pid: Number(pid), tty, stdout, stderr, exit });
}

function refusal(verdict: string | undefined, { cwd, argv }: Launch, said: string): EngineError {
  if (verdict === 'missing') return new EngineError('bad-cwd', `cwd '${cwd}' does not exist`);
  if (verdict === 'denied') return new EngineError('bad-cwd', `cwd '${cwd}' is not permitted`);
  return new EngineError('spawn-failed', `'${argv[0]}' could not be started: ${said}`);
}

interface Facts {
  pid: number;
  tty: string | undefined;
  stdout: Readable;
  stderr: Readable;
  exit: Promise<Exit>;
}

class RunningProcess implements SandboxProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<Exit>;
  readonly #body: Body;
  readonly #stdin: Writable | undefined;
  readonly #tty: string | undefined;
  #hasExited = false;

  constructor(body: Body, stdin: Writable | undefined, { pid, tty, stdout, stderr, exit }: Facts) {
    this.#body = body;
    this.#stdin = stdin;
    this.#tty = tty;
    this.pid = pid;
    this.stdout = stdout;
    this.stderr = stderr;
    this.exit = exit;
    void exit.then(() => {
      this.#hasExited = true;
    });
  }

  write(data: Uint8Array | string): Promise<void> {
    const stdin = this.#stdin;
    return new Promise((resolve, reject) => {
      if (stdin === undefined || !stdin.writable) {
        reject(new EngineError('invalid', `process ${this.pid} takes no input`));
        return;
      }
      stdin.write(data, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(new EngineError('invalid', `process ${this.pid} closed its input`));
      });
    });
  }

  async closeStdin(): Promise<void> {
    // A terminal has no end of input; Ctrl-D is what a person would press.
    if (this.#tty !== undefined) await this.write('\x04');
    else this.#stdin?.end();
  }

  async resize(size: Size): Promise<void> {
    if (this.#tty === undefined) {
      throw new EngineError('invalid', `process ${this.pid} has no terminal`);
    }
    await this.#body.resize(this.#tty, size);
  }

  async signal(name: NodeJS.Signals, { group = false } = {}): Promise<boolean> {
    if (constants.signals[name] === undefined) {
      throw new EngineError('invalid', `'${name}' is not a signal`);
    }
    if (this.#hasExited) return false;
    return this.#body.signal(this.pid, name, group);
  }
}

function exitOf({ code, signal }: Ended): Exit {
  if (signal === null) return { exitCode: code ?? 0 };
  return { exitCode: 128 + constants.signals[signal], signal };
}

/**
 * A stream of its own between the pipe and the reader, so that a reader that goes away does not close
 * the pipe under the process.
 */
function outputOf(source: Readable | undefined): Readable {
  const output = new PassThrough();
  if (source === undefined) return output.end();
  source.on('error', () => output.end());
  source.pipe(output);
  output.on('error', () => undefined);
  output.once('close', () => {
    source.unpipe(output);
    source.resume();
  });
  return output;
}
