import type { Sandbox } from '../engine/sandbox.ts';
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

/** Processor time at the last look, to tell how much has been used since. */
const looks = new WeakMap<Sandbox, { atMs: number; cpuMs: number }>();

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
    cpuUsedPct: sandbox === undefined ? 0 : cpuPct(sandbox, used?.cpuMs ?? 0, record.cpu),
    memTotal,
    memUsed: Math.min(used?.memoryBytes ?? 0, memTotal),
    memCache: 0,
    diskTotal,
    diskUsed,
    diskFree: diskTotal - diskUsed,
  };
}

/** Of real time, whatever the sandboxes' clock says: processes know no other. */
function cpuPct(sandbox: Sandbox, cpuMs: number, cpus: number): number {
  const atMs = performance.now();
  const last = looks.get(sandbox);
  looks.set(sandbox, { atMs, cpuMs });
  if (last === undefined || atMs <= last.atMs) return 0;
  const share = Math.max(0, cpuMs - last.cpuMs) / (atMs - last.atMs) / Math.max(1, cpus);
  return Math.round(Math.min(1, share) * 10_000) / 100;
}
