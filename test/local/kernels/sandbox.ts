import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type {
  KernelEvent,
  KernelProcess,
  SpawnInSandbox,
} from '../../../src/local/kernels/index.ts';

/** A "sandbox" that is this machine: processes in groups of their own. */
export const spawnHere: SpawnInSandbox = async ({ argv, cwd, env }): Promise<KernelProcess> => {
  const [program = '', ...rest] = argv;
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: 'pipe',
  });
  const exit = new Promise<{ exitCode: number }>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) });
    });
  });
  await once(child, 'spawn');
  child.stdin.on('error', () => {});
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    write: (data) =>
      new Promise((resolve) => {
        child.stdin.write(data, () => resolve());
      }),
    closeStdin: () => {
      child.stdin.end();
    },
    signal: (name) => {
      try {
        process.kill(-(child.pid ?? 0), name);
      } catch {
        // Gone already.
      }
    },
    exit,
  };
};

/** What came of an execution, in the shape that tests compare. */
export interface Told {
  stdout: string;
  stderr: string;
  /** `text/plain` of the main result. */
  text: unknown;
  results: Extract<KernelEvent, { type: 'result' }>[];
  error: Extract<KernelEvent, { type: 'error' }> | undefined;
  count: number | undefined;
  end: Extract<KernelEvent, { type: 'end' }> | undefined;
  events: KernelEvent[];
}

export async function told(events: AsyncIterable<KernelEvent>): Promise<Told> {
  const all: KernelEvent[] = [];
  for await (const event of events) all.push(event);
  const results = all.filter((event) => event.type === 'result');
  const join = (type: 'stdout' | 'stderr'): string =>
    all.map((event) => (event.type === type ? event.text : '')).join('');
  return {
    stdout: join('stdout'),
    stderr: join('stderr'),
    text: results.find(({ isMain }) => isMain)?.data['text/plain'],
    results,
    error: all.find((event) => event.type === 'error'),
    count: all.find((event) => event.type === 'executionCount')?.count,
    end: all.find((event) => event.type === 'end'),
    events: all,
  };
}
