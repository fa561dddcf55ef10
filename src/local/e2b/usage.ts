import { cpuShare } from '../cpu-share.ts';
import type { LiveSandbox } from './live-sandbox.ts';

/** What a sandbox uses, in bytes and in per cent of all its cores. */
export interface Usage {
  cpuCount: number;
  cpuUsedPct: number;
  memUsed: number;
  memTotal: number;
  memCache: number;
  diskUsed: number;
  diskTotal: number;
}

const MIB = 1024 * 1024;

/** Use is measured; the totals are those of the template, which nothing enforces here. */
export async function usageOf(sandbox: LiveSandbox): Promise<Usage> {
  const { cpuCount, memoryMB, diskSizeMB } = sandbox.spec.template;
  const { cpuMs, memoryBytes, diskBytes } = await sandbox.engine.usage();
  return {
    cpuCount,
    cpuUsedPct: cpuShare(sandbox.engine, cpuMs, cpuCount),
    memUsed: memoryBytes,
    memTotal: memoryMB * MIB,
    memCache: 0,
    diskUsed: diskBytes,
    diskTotal: diskSizeMB * MIB,
  };
}
