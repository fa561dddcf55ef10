import { type ChildProcess, spawn } from 'node:child_process';
import { megabytes, proc } from './proc.ts';

export interface Sample {
  /** Wall time in milliseconds. */
  ms: number;
  /** Peak resident memory in MB, or null where /proc does not tell. */
  peakMb: number | null;
  stdout: string;
  code: number | null;
}

/** A command to measure. */
export interface Job {
  /** What progress lines and errors call it. */
  name: string;
  command: string;
  args: readonly string[];
  cwd: string;
  rounds: number;
  /** Exit codes of a run that did its work. */
  exitCodes: readonly number[];
}

/** Middle and extremes of several measurements. */
export interface Spread {
  median: number;
  min: number;
  max: number;
  runs: number;
}

/** Between two looks at a child's memory; its high-water mark cannot fall, so few are needed. */
const POLL_MS = 5;

/**
 * Measures jobs round by round, each round starting with another job, so that a slow minute of the
 * machine hits all of them. A job with fewer rounds than the others takes part in the first ones.
 * @throws {Error} when a job ends with an exit code it should not.
 */
export async function interleave<J extends Job>(
  jobs: readonly J[],
  progress: (line: string) => void,
): Promise<Map<J, Sample[]>> {
  const samples = new Map<J, Sample[]>(jobs.map((job) => [job, []]));
  const rounds = Math.max(...jobs.map((job) => job.rounds));
  for (let round = 0; round < rounds; round++) {
    for (const job of rotate(jobs, round)) {
      if (round >= job.rounds) continue;
      const sample = await runJob(job);
      samples.get(job)?.push(sample);
      progress(`${job.name}, round ${round + 1} of ${job.rounds}: ${sample.ms.toFixed(0)} ms`);
    }
  }
  return samples;
}

/** Runs a job once. @throws {Error} when it ends with an exit code it should not. */
export async function runJob(job: Job): Promise<Sample> {
  const sample = await run(job.command, job.args, job.cwd);
  if (sample.code === null || !job.exitCodes.includes(sample.code)) {
    const command = [job.command, ...job.args].join(' ');
    throw new Error(`${job.name} ended with exit code ${sample.code}: ${command}`);
  }
  return sample;
}

/** Runs a command once and measures it from outside, the same way for every contender. */
function run(command: string, args: readonly string[], cwd: string): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let peakMb: number | null = null;
    const timer = setInterval(() => {
      peakMb = Math.max(peakMb ?? 0, memoryOfTree(child) ?? 0) || null;
    }, POLL_MS);
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => {
      clearInterval(timer);
      reject(error);
    });
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
  return megabytes(proc(`/proc/${pid}/status`), 'VmHWM');
}

function childrenOf(pid: number): number[] {
  const text = proc(`/proc/${pid}/task/${pid}/children`);
  return text.split(' ').filter(Boolean).map(Number);
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Sums up measurements. @throws {Error} when there are none. */
export function spread(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('No measurements to sum up');
  return {
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    runs: values.length,
  };
}

/** The value that so many of a hundred measurements are at most. @throws {Error} when there are none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.ceil((percent / 100) * sorted.length) - 1];
  if (value === undefined) throw new Error('No measurements to sum up');
  return value;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
