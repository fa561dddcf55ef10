import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Sample {
  /** Wall time in milliseconds. */
  ms: number;
  /** Peak resident memory in MB, or null where /proc does not tell. */
  peakMb: number | null;
  stdout: string;
  code: number | null;
}

/** Between two looks at a child's memory; its high-water mark cannot fall, so few are needed. */
const POLL_MS = 5;

/** Runs a command once and measures it from outside, the same way for every contender. */
export function run(command: string, args: readonly string[], cwd: string): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let peakMb: number | null = null;
    const timer = setInterval(() => {
      peakMb = Math.max(peakMb ?? 0, memoryOfTree(child) ?? 0) || null;
    }, POLL_MS);
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      const ms = performance.now() - started;
      resolve({ ms, peakMb, stdout: Buffer.concat(chunks).toString(), code });
    });
  });
}

/** High-water marks of a process and its direct children (jscodeshift forks workers). */
function memoryOfTree(child: ChildProcess): number | undefined {
  if (child.pid === undefined) return undefined;
  const own = highWater(child.pid);
  if (own === undefined) return undefined;
  let total = own;
  for (const pid of childrenOf(child.pid)) total += highWater(pid) ?? 0;
  return total;
}

function highWater(pid: number): number | undefined {
  const match = /VmHWM:\s+(\d+) kB/.exec(proc(`/proc/${pid}/status`));
  return match ? Number(match[1]) / 1024 : undefined;
}

function childrenOf(pid: number): number[] {
  const text = proc(`/proc/${pid}/task/${pid}/children`);
  return text.split(' ').filter(Boolean).map(Number);
}

function proc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
