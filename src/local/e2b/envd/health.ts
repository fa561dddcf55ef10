import { empty, json, type Reply } from '../../http/reply.ts';
import { readFields } from '../body.ts';
import type { SandboxHandler } from './handler.ts';

/** What envd tells about itself. */
export const HEALTH_ROUTES: Readonly<Record<string, SandboxHandler>> = {
  'GET /health': () => empty(204, { 'cache-control': 'no-store' }),
  'GET /envs': (_call, sandbox) => json(200, sandbox.env),
  'GET /metrics': metrics,
  'POST /init': async (call) => {
    // Reserved for the service itself; through Cube's proxy it can be reached and is harmless here.
    await readFields(call, { optional: true });
    return empty(204, { 'cache-control': 'no-store' });
  },
};

const MIB = 1024 * 1024;

async function metrics(...[, sandbox, services]: Parameters<SandboxHandler>): Promise<Reply> {
  const usage = await services.usage(sandbox);
  return json(200, {
    ts: Math.floor(services.clock.now() / 1000),
    cpu_count: usage.cpuCount,
    cpu_used_pct: usage.cpuUsedPct,
    mem_total: usage.memTotal,
    mem_used: usage.memUsed,
    mem_cache: usage.memCache,
    mem_total_mib: Math.floor(usage.memTotal / MIB),
    mem_used_mib: Math.floor(usage.memUsed / MIB),
    disk_used: usage.diskUsed,
    disk_total: usage.diskTotal,
  });
}
