import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { megabytes, proc } from '../proc.ts';

/** What `cubeshift local --json` prints; only what is used here. */
interface Announcement {
  e2b: { url: string; apiKey: string; templateId: string };
  daytona: { url: string; apiKey: string };
  isolation: { mode: string };
}

/** A server in a process of its own, as users run it. */
export interface RunningServer extends Announcement {
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts the built command line, with more arguments if wanted.
 * @throws {Error} with what it said when it does not come up
 */
export async function startServer(
  repository: string,
  dir: string,
  ...more: readonly string[]
): Promise<RunningServer> {
  const cli = join(repository, 'bin/cubeshift.js');
  const ports = ['--port', '0', '--daytona-port', '0'];
  const args = [cli, 'local', '--json', ...ports, '--dir', dir, ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(child.stderr);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const printed = await firstObject(child);
  if (printed === undefined) throw new Error(`the server did not start: ${await said}`);
  return {
    ...(JSON.parse(printed) as Announcement),
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts the plain Node server that transfers are compared with. */
export async function startBareServer(file: string): Promise<{ url: string; stop(): void }> {
  const program = join(import.meta.dirname, 'bare-server.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await firstObject(child);
  if (printed === undefined) throw new Error('the bare server did not start');
  const { url } = JSON.parse(printed) as { url: string };
  return { url, stop: () => void child.kill('SIGTERM') };
}

/** The first JSON object a process prints; undefined when it ends before. */
function firstObject(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (/^\}$/m.test(printed) || /^\{.*\}$/m.test(printed)) resolve(printed);
    });
    child.once('close', () => resolve(undefined));
  });
}

export interface Memory {
  /** Everything resident, shared pages counted for each process. */
  rssMb: number;
  /** Shared pages divided among those who share them: what would be free without the server. */
  pssMb: number;
}

/** Memory of a process and everything below it. */
export function memoryOfTree(root: number): Memory {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number(/\) \S (\d+)/.exec(proc(`/proc/${name}/stat`))?.[1]);
    if (Number.isInteger(pid) && Number.isInteger(parent)) parents.set(pid, parent);
  }
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined; at = parents.get(at)) {
      if (at === root) return true;
    }
    return false;
  };
  const sum = { rssMb: 0, pssMb: 0 };
  for (const pid of parents.keys()) {
    if (!isBelow(pid)) continue;
    const rollup = proc(`/proc/${pid}/smaps_rollup`);
    sum.rssMb += megabytes(rollup, 'Rss') ?? 0;
    sum.pssMb += megabytes(rollup, 'Pss') ?? 0;
  }
  return sum;
}

/** Resident memory of one process. */
export function residentMb(pid: number): number {
  return megabytes(proc(`/proc/${pid}/status`), 'VmRSS') ?? 0;
}
