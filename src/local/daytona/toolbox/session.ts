import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../../engine/errors.ts';
import type { SandboxProcess } from '../../engine/process.ts';
import { badRequest, DaytonaFailure, gone, notFound } from '../errors.ts';
import type { Box } from './box.ts';
import { logChunks } from './log-tail.ts';
import { commandScript, quoted } from './session-script.ts';

/** How long processes have to end by themselves when their session is deleted. */
const GRACE_MS = 5000;
/** How long the log of a shell that ended is waited for. */
const LAST_OUTPUT_MS = 1000;

export interface SessionCommand {
  readonly id: string;
  readonly command: string;
  readonly suppressInputEcho: boolean;
  /** Folder with its log and pipes, as the server names it. */
  readonly dir: string;
  readonly ended: Promise<void>;
  exitCode?: number;
}

interface Running extends SessionCommand {
  finish(exitCode: number): void;
}

/** Where sessions keep their logs; a name with a dot survives `rm /tmp/*`. */
const ROOT = '/tmp/.daytona';

/**
 * One shell whose state lasts from command to command. Commands take turns; each has a log in the
 * sandbox that is written line by line, marked by stream, as the daemon does it.
 */
export class Session {
  readonly id: string;
  readonly commands = new Map<string, Running>();
  readonly #box: Box;
  readonly #dir = `${ROOT}/${randomUUID()}`;
  readonly #nonce = randomUUID();
  #process: SandboxProcess | undefined;
  /** The folder as commands see it, which is not the same where sandboxes are plain folders. */
  #inside: Promise<string> = Promise.resolve(this.#dir);
  #exitCode: number | undefined;
  #order: Promise<unknown> = Promise.resolve();

  constructor(box: Box, id: string) {
    this.#box = box;
    this.id = id;
  }

  async start(): Promise<void> {
    const box = this.#box;
    await box.sandbox.files.mkdir(this.#dir, { user: box.record.account });
    const process = await box.spawn({ argv: [await box.shell()], cwd: this.#dir, stdin: true });
    this.#process = process;
    process.stderr.resume();
    const drained = finished(process.stderr, { writable: false }).catch(() => undefined);
    this.#inside = new Promise((resolve) => {
      createInterface({ input: process.stdout }).on('line', (line) => this.#take(line, resolve));
    });
    void process.exit.then(async ({ exitCode }) => {
      this.#exitCode = exitCode;
      // Whoever writes the log holds the shell's standard error, too.
      await Promise.race([drained, sleep(LAST_OUTPUT_MS, undefined, { ref: false })]);
      for (const command of this.commands.values()) command.finish(exitCode);
    });
    const up = this.#dir.replace(/\/[^/]+/g, '../').replace(/\/$/, '');
    await process.write(
      `printf '%s %s\\n' ${this.#nonce} "$PWD"\ncd -- ${quoted(`${up}${box.workDir}`)}\nunset OLDPWD\n`,
    );
  }

  get isOver(): boolean {
    return this.#exitCode !== undefined;
  }

  /** Queues a command behind those before it. */
  async execute(text: string, options: ExecuteOptions): Promise<SessionCommand> {
    if (this.isOver) throw gone('session process has exited', 'SESSION_ENDED');
    const id = options.id ?? randomUUID();
    const command = makeCommand(id, text, `${this.#dir}/${id}`, options);
    this.commands.set(id, command);
    const queued = this.#order.then(async () => {
      const { account: user } = this.#box.record;
      await this.#box.sandbox.files.write(`${command.dir}/cmd.sh`, text, { user, mode: 0o600 });
      const dir = `${await this.#inside}/${id}`;
      const script = commandScript(dir, options.isAsync, `${this.#nonce} ${id}`);
      await this.#process?.write(script);
    });
    this.#order = queued.catch(() => undefined);
    await queued;
    return command;
  }

  need(commandId: string): SessionCommand {
    const command = this.commands.get(commandId);
    if (command === undefined) throw notFound('command not found');
    return command;
  }

  /** A command's log so far, with marks. */
  async log(command: SessionCommand): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of logChunks(this.#box.sandbox.files, command, { follow: false })) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** The log from its start; with `follow` also what comes, until the command ends. */
  read(command: SessionCommand, follow: boolean, signal: AbortSignal): AsyncIterable<Buffer> {
    return logChunks(this.#box.sandbox.files, command, { follow, signal });
  }

  /** Gives a running command input, as a line. */
  async input(command: SessionCommand, data: string): Promise<void> {
    if (this.isOver) throw gone('session process has exited', 'SESSION_ENDED');
    if (command.exitCode !== undefined) {
      throw gone(
        `command has already completed with exit code ${command.exitCode}`,
        'COMMAND_ALREADY_COMPLETED',
      );
    }
    const line = data.endsWith('\n') ? data : `${data}\n`;
    const echo = command.suppressInputEcho ? '' : 'printf \'\\001\\001\\001%s\\n\' "$1" >> log;';
    const writer = await this.#box.spawn({
      argv: [
        '/bin/sh',
        '-c',
        `[ -p in ] || exit 1; ${echo} printf '%s\\n' "$1" > in`,
        'sh',
        line.slice(0, -1),
      ],
      cwd: command.dir,
    });
    writer.stdout.resume();
    writer.stderr.resume();
    // A command that does not read may leave the pipe full; that is nobody's wait.
    const end = await Promise.race([writer.exit, sleep(GRACE_MS, undefined, { ref: false })]);
    if (end === undefined) await writer.signal('SIGKILL', { group: true });
    else if (end.exitCode !== 0) throw badRequest('the command takes no input');
  }

  /** Ends the shell and what it started, first politely. */
  async end(): Promise<void> {
    const process = this.#process;
    if (process === undefined || this.isOver) return;
    await process.signal('SIGTERM', { group: true });
    const late = sleep(GRACE_MS, true as const, { ref: false });
    if ((await Promise.race([process.exit, late])) === true) {
      await process.signal('SIGKILL', { group: true });
      await process.exit;
    }
  }

  async removeLogs(): Promise<void> {
    try {
      await this.#box.sandbox.files.remove(this.#dir, { recursive: true });
    } catch (error) {
      // Not there any more, or neither is the sandbox.
      if (!(error instanceof EngineError)) throw error;
    }
  }

  #take(line: string, tellDir: (dir: string) => void): void {
    if (!line.startsWith(`${this.#nonce} `)) return;
    const rest = line.slice(this.#nonce.length + 1);
    const end = /^(\S+) (\d+)$/.exec(rest);
    const command = this.commands.get(end?.[1] ?? '');
    if (command === undefined) tellDir(rest);
    else command.finish(Number(end?.[2]));
  }
}

export interface ExecuteOptions {
  isAsync: boolean;
  suppressInputEcho: boolean;
  id?: string;
}

function makeCommand(id: string, command: string, dir: string, options: ExecuteOptions): Running {
  let resolve = (): void => undefined;
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  const running: Running = {
    id,
    command,
    dir,
    suppressInputEcho: options.suppressInputEcho,
    ended,
    finish(exitCode) {
      running.exitCode ??= exitCode;
      resolve();
    },
  };
  return running;
}

/** @throws DaytonaFailure when a sandbox that stops takes the command along */
export function exitCodeOf(command: SessionCommand): number {
  if (command.exitCode === undefined) throw new DaytonaFailure(400, 'session cancelled');
  return command.exitCode;
}
