import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EngineError } from './errors.ts';
import { launch } from './launcher.ts';

/** How a helper ended. */
export interface Outcome {
  code: number | null;
  stderr: string;
}

/** Runs a helper of the host to its end. A missing program counts as code 127. */
export async function run(file: string, args: readonly string[]): Promise<Outcome> {
  const { pipes, ended } = await launch({ file, args, stdio: ['ignore', 'ignore', 'pipe'] });
  const said = pipes[2];
  const stderr = said === undefined ? '' : await text(said);
  return { code: (await ended).code, stderr: stderr.trim() };
}

/** The same for helpers that must succeed. */
export async function mustRun(file: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(file, args);
  if (code === 0) return;
  const failure = /no space left/i.test(stderr) ? 'no-space' : 'spawn-failed';
  throw new EngineError(failure, `${file} failed: ${stderr || `exit code ${code}`}`);
}

/** A helper that lives as long as its input is open: it ends with this process, however it ends. */
export interface Keeper {
  /** Its number as the host counts. */
  pid: number;
  ended: Promise<void>;
  end(): Promise<void>;
}

export interface KeepOptions {
  /** Told the helper's number while it still makes itself ready. */
  begun?: (pid: number) => void;
  /** What starts it. */
  by?: typeof launch;
}

/** Starts a helper that reports on descriptor 3: its number as the host counts, at once, and `ready`. */
export async function keep(
  file: string,
  args: readonly string[],
  { begun = () => undefined, by = launch }: KeepOptions = {},
): Promise<Keeper> {
  const stdio = ['pipe', 'ignore', 'pipe', 'pipe'] as const;
  const { pipes, ended: exit } = await by({ file, args, stdio });
  const [stdin, , stderr, report] = pipes;
  const ended = exit.then(() => undefined);
  stdin?.on('error', () => undefined).resume();
  // Kept short and read on, so that a talkative helper is never blocked.
  let said = '';
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (said.length < 4096) said += chunk;
  });
  const [pid, ready] = await reported(report, 2, (line, index) => {
    if (index === 0) begun(Number(line));
  });
  const end = (): Promise<void> => {
    stdin?.end();
    return ended;
  };
  if (ready === undefined) {
    await end();
    const failure = /no space left/i.test(said) ? 'no-space' : 'spawn-failed';
    const { problem = 'no reason given' } = await exit;
    const reason = said.trim() || problem;
    throw new EngineError(failure, `${file} failed: ${reason}`);
  }
  return { pid: Number(pid), ended, end };
}

/** The line a helper reports with; empty when it ended without one. */
export async function firstLine(source: Readable | undefined): Promise<string> {
  return (await reported(source, 1))[0] ?? '';
}

/**
 * The first `count` lines, fewer when the helper ended before. The end of the stream says nothing: a
 * helper that forked keeps it open.
 */
function reported(
  source: Readable | undefined,
  count: number,
  told: (line: string, index: number) => void = () => undefined,
): Promise<string[]> {
  return new Promise((resolve) => {
    if (source === undefined) return resolve([]);
    const lines: string[] = [];
    let rest = '';
    source.setEncoding('utf8');
    source.on('data', (chunk: string) => {
      const parts = `${rest}${chunk}`.split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts.slice(0, count - lines.length)) {
        told(part, lines.length);
        lines.push(part);
      }
      if (lines.length < count) return;
      resolve(lines);
      source.destroy();
    });
    source.on('error', () => resolve(lines));
    source.on('close', () => resolve(lines));
  });
}
