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

/** Processor time at the last look, which the next one is compared with. */
const LOOKS = new WeakMap<LiveSandbox, { cpuMs: number; at: number }>();

/** Use is measured; the totals are those of the template, which nothing enforces here. */
export async function usageOf(sandbox: LiveSandbox): Promise<Usage> {
  const { cpuCount, memoryMB, diskSizeMB } = sandbox.spec.template;
  const { cpuMs, memoryBytes, diskBytes } = await sandbox.engine.usage();
  const at = performance.now();
  const before = LOOKS.get(sandbox) ?? { cpuMs, at: at - 1000 };
  LOOKS.set(sandbox, { cpuMs, at });
  const share = (100 * (cpuMs - before.cpuMs)) / (Math.max(at - before.at, 1) * cpuCount);
  return {
    cpuCount,
    cpuUsedPct: Math.round(Math.min(Math.max(share, 0), 100) * 100) / 100,
    memUsed: memoryBytes,
    memTotal: memoryMB * MIB,
    memCache: 0,
    diskUsed: diskBytes,
    diskTotal: diskSizeMB * MIB,
  };
}
