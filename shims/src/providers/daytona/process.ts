import { setTimeout as delay } from 'node:timers/promises';
import { randomId } from '../../provider/crypto.ts';
import { isSandboxError, SandboxError } from '../../provider/errors.ts';
import { ProcessHandle, type SpawnOptions } from '../../provider/process.ts';
import { quote } from '../../shell/quote.ts';
import type { Use } from './files.ts';

/** How long to wait between looks at a command whose output has ended and whose code is not told yet. */
const LOOK_MS = 100;
/** How often in a row a command may be out of sight. */
const MOST_LOSSES = 5;

/**
 * A command in a shell of its own, which starts in the home folder as it does elsewhere: the server
 * would start it where the image says.
 */
export function inShell(
  command: string,
  { cwd, env, user }: Pick<SpawnOptions, 'cwd' | 'env' | 'user'>,
): string {
  const exports = Object.entries(env ?? {}).map(
    ([name, value]) => `export ${name}=${quote(value)}\n`,
  );
  const enter =
    cwd === undefined
      ? 'cd\n'
      : `cd && cd -- ${quote(cwd)} || { echo "cwd ${quote(cwd)} cannot be entered" >&2; exit 126; }\n`;
  const program = `${exports.join('')}${enter}${command}`;
  // sudo starts with other variables, so all of it is run by the other shell.
  return user === undefined ? program : `sudo -n -H -u ${quote(user)} -- sh -c ${quote(program)}`;
}

/** A running command is a session of Daytona with one command in it. */
export async function startProcess(
  use: Use,
  command: string,
  options: SpawnOptions,
): Promise<ProcessHandle> {
  const session = `cubeshift-${randomId()}`;
  const pipe = `/tmp/${session}`;
  const hasInput = options.stdin === true;
  await use(options.signal, (native) => native.process.createSession(session));
  const program = `(${inShell(command, options)}\n)`;
  // The session's shell lives on after the command, so that its end is told. A command without input
  // reads nothing.
  const line = hasInput ? withPipe(program, pipe) : `${program} < /dev/null`;
  const { cmdId } = await use(undefined, (native) =>
    native.process.executeSessionCommand(session, { command: line, runAsync: true }),
  ).catch(async (error) => {
    await endSession(use, session);
    throw error;
  });
  const running = new SessionCommand(use, session, cmdId ?? '', pipe);
  const handle = new ProcessHandle(running, options);
  void running.follow(handle);
  return handle;
}

/**
 * Input comes through a named pipe that something holds open until it is to end: the server's own way
 * in adds line ends, echoes, and has no end.
 */
function withPipe(program: string, pipe: string): string {
  const [fifo, holder] = [quote(pipe), quote(`${pipe}.holder`)];
  return `mkfifo -m 600 ${fifo} || exit 126
{ sleep 2147483647 > ${fifo} & echo $! > ${holder}; } 2>/dev/null
${program} < ${fifo}
set -- $?
kill "$(cat ${holder})" 2>/dev/null
rm -f ${fifo} ${holder}
(exit "$1")`;
}

class SessionCommand {
  readonly id: string;
  readonly streamsMerged = false;
  readonly #use: Use;
  readonly #session: string;
  readonly #pipe: string;
  #hasPipe = false;
  #isKilled = false;
  #isLeft = false;

  constructor(use: Use, session: string, id: string, pipe: string) {
    this.#use = use;
    this.#session = session;
    this.id = id;
    this.#pipe = pipe;
  }

  async kill(): Promise<boolean> {
    if (this.#isKilled) return false;
    this.#isKilled = true;
    await endSession(this.#use, this.#session);
    return true;
  }

  async sendInput(data: string | Uint8Array): Promise<void> {
    const text = Buffer.from(data).toString('base64');
    const target = quote(this.#pipe);
    // A pipe whose reader has gone must not be made a file.
    await this.#shell(`[ -p ${target} ] && printf %s ${text} | base64 -d > ${target}`);
  }

  async closeInput(): Promise<void> {
    await this.#shell(`kill "$(cat ${quote(`${this.#pipe}.holder`)})" 2>/dev/null; true`);
  }

  async disconnect(): Promise<void> {
    this.#isLeft = true;
  }

  /** Hands on what it prints until it ends. */
  async follow(handle: ProcessHandle): Promise<void> {
    const told = { stdout: 0, stderr: 0 };
    let losses = 0;
    try {
      for (;;) {
        // The stream may end early and then begins anew, from the start.
        const seen = { stdout: 0, stderr: 0 };
        const push = (stream: 'stdout' | 'stderr') => (text: string) => {
          const from = Math.max(0, told[stream] - seen[stream]);
          seen[stream] += text.length;
          if (this.#isLeft || from >= text.length) return;
          told[stream] += text.length - from;
          handle.push(stream, text.slice(from));
        };
        try {
          await this.#use(undefined, (native) =>
            native.process.getSessionCommandLogs(
              this.#session,
              this.id,
              push('stdout'),
              push('stderr'),
            ),
          );
          const exitCode = await this.#exitCode();
          if (exitCode !== undefined) {
            handle.end({ exitCode });
            await endSession(this.#use, this.#session);
            return;
          }
          losses = 0;
        } catch (error) {
          // The command goes on, and what it has printed can be asked for again.
          losses += 1;
          const isOver = this.#isKilled || losses > MOST_LOSSES;
          if (isOver || !isSandboxError(error, 'unavailable')) throw error;
        }
        await delay(LOOK_MS);
      }
    } catch (error) {
      // Its session is gone, with all that was in it.
      if (this.#isKilled) handle.end({ exitCode: 137 });
      else handle.end({ error });
    }
  }

  /** `undefined` while it runs; never made up. */
  async #exitCode(): Promise<number | undefined> {
    const { exitCode } = await this.#use(undefined, (native) =>
      native.process.getSessionCommand(this.#session, this.id),
    );
    return exitCode ?? undefined;
  }

  async #shell(command: string): Promise<void> {
    // It is made by the command, which may not have come to it yet.
    const made = quote(`${this.#pipe}.holder`);
    const ready = `i=0; while [ ! -s ${made} ] && [ $i -lt 20 ]; do sleep 0.1; i=$((i+1)); done; `;
    const { exitCode, result } = await this.#use(undefined, (native) =>
      native.process.executeCommand(`${this.#hasPipe ? '' : ready}${command}`),
    );
    this.#hasPipe = true;
    if (exitCode === 0) return;
    throw new SandboxError('conflict', `The command takes no input any more: ${result}`.trim(), {
      retryable: false,
    });
  }
}

async function endSession(use: Use, session: string): Promise<void> {
  await use(undefined, (native) => native.process.deleteSession(session)).catch(() => undefined);
}
