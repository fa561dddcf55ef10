import { cpuShare } from '../cpu-share.ts';
import { iso } from './dto.ts';
import type { SandboxRecord } from './record.ts';
import type { World } from './world.ts';

const GIB = 1024 ** 3;

/** One sample, as the daemon reports it (toolbox.json `SystemMetrics`); sizes in bytes. */
export interface Sample {
  timestamp: string;
  timestampUnix: number;
  cpuCount: number;
  cpuUsedPct: number;
  memTotal: number;
  memUsed: number;
  memCache: number;
  diskTotal: number;
  diskUsed: number;
  diskFree: number;
}

/** What a sandbox uses now. Totals are the sizes it was created with, which limit nothing here. */
export async function sample(world: World, record: SandboxRecord): Promise<Sample> {
  const sandbox = world.context.engine.get(record.id);
  const used = await sandbox?.usage();
  const now = world.now();
  const memTotal = record.memory * GIB;
  const diskTotal = record.disk * GIB;
  const diskUsed = Math.min(used?.diskBytes ?? 0, diskTotal);
  return {
    timestamp: iso(now),
    timestampUnix: Math.floor(now / 1000),
    cpuCount: record.cpu,
    cpuUsedPct: sandbox === undefined ? 0 : cpuShare(sandbox, used?.cpuMs ?? 0, record.cpu),
    memTotal,
    memUsed: Math.min(used?.memoryBytes ?? 0, memTotal),
    memCache: 0,
    diskTotal,
    diskUsed,
    diskFree: diskTotal - diskUsed,
  };
}
