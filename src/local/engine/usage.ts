import { lstat, readdir } from 'node:fs/promises';
import { costOf } from './isolation/proc.ts';
import { openFolder } from './paths.ts';

/** What a sandbox uses. */
export interface Usage {
  /** Processor time of the processes that run and of children they have waited for. */
  cpuMs: number;
  /** Shared pages are counted in parts, so that sums are right. */
  memoryBytes: number;
  /** Of its own files: not what it shares with the host, with snapshots or by mounts. */
  diskBytes: number;
  processes: number;
}

/** Of processes of the host; those that have just ended count nothing. */
export function processUsage(pids: readonly number[]): Omit<Usage, 'diskBytes'> {
  const costs = pids.map(costOf).filter((cost) => cost !== undefined);
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    cpuMs: sum(costs.map(({ cpuMs }) => cpuMs)),
    memoryBytes: sum(costs.map(({ memoryBytes }) => memoryBytes)),
    processes: costs.length,
  };
}

/** Bytes on disk of a folder a sandbox may write to meanwhile; no link is followed. */
export async function diskUsage(dir: string): Promise<number> {
  const folder = openFolder(dir);
  try {
    let bytes = 0;
    for (const name of await readdir(folder.at)) {
      try {
        const at = `${folder.at}/${name}`;
        const stats = await lstat(at);
        bytes += stats.blocks * 512;
        if (stats.isDirectory()) bytes += await diskUsage(at);
      } catch {
        // Went away meanwhile.
      }
    }
    return bytes;
  } finally {
    folder.close();
  }
}
