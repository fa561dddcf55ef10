import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { Fields, queryInteger, readFields } from '../body.ts';
import { ApiError } from '../errors.ts';
import type { LogLine } from '../live-sandbox.ts';
import { networkOf } from '../network.ts';
import type { E2bServices } from '../services.ts';
import type { Usage } from '../usage.ts';
import { type ControlRoutes, noSandbox, sandboxOf } from './handler.ts';

/** What else there is to ask about a sandbox, and the service's own health. */
export const EXTRA_ROUTES: ControlRoutes = {
  'GET /health': (_call, { preset }) =>
    preset.flavor === 'cube'
      ? json(200, { status: 'ok', sandboxes: 0 })
      : { status: 200, headers: { 'content-type': 'text/plain' }, body: 'Health check successful' },
  'PUT /sandboxes/:id/network': updateNetwork,
  'GET /sandboxes/:id/metrics': metrics,
  'GET /sandboxes/metrics': metricsOfAll,
  'GET /sandboxes/:id/logs': logs,
  'GET /v2/sandboxes/:id/logs': logsV2,
};

/** Replaces the whole policy; what is set at creation only stays. */
async function updateNetwork(call: Call, services: E2bServices): Promise<Reply> {
  const body = await readFields(call);
  const allowInternet = body.boolean('allow_internet_access');
  const sandbox = sandboxOf(call, services);
  if (sandbox.state !== 'running') {
    throw services.preset.flavor === 'e2b'
      ? noSandbox(sandbox.id, services)
      : new ApiError(409, `sandbox ${sandbox.id} conflict`);
  }
  const { allowPublicTraffic, maskRequestHost } = sandbox.network;
  const { allowPublicTraffic: _public, maskRequestHost: _mask, ...asked } = body.raw;
  const network = networkOf(new Fields(asked), allowInternet, services.preset);
  sandbox.network = {
    ...network,
    allowPublicTraffic,
    ...(maskRequestHost === undefined ? {} : { maskRequestHost }),
  };
  sandbox.allowInternet = allowInternet;
  return empty(204);
}

/** The service measures every so many seconds. */
const BUCKET_S = 5;

/** As measured now, if now is within the time asked for. */
async function metrics(call: Call, services: E2bServices): Promise<Reply> {
  const sandbox = sandboxOf(call, services);
  const now = Math.floor(services.clock.now() / 1000 / BUCKET_S) * BUCKET_S;
  const start = queryInteger(call.query, 'start') ?? 0;
  const end = queryInteger(call.query, 'end') ?? now;
  if (start > end) throw new ApiError(400, 'start time must not be after end time');
  const isAsked = start - BUCKET_S <= now && now <= end;
  if (!isAsked || sandbox.state !== 'running') return json(200, []);
  return json(200, [metric(await services.usage(sandbox), now)]);
}

async function metricsOfAll({ query }: Call, services: E2bServices): Promise<Reply> {
  const ids = query.getAll('sandbox_ids').flatMap((list) => list.split(','));
  const now = Math.floor(services.clock.now() / 1000);
  const found = await Promise.all(
    ids.map(async (id) => {
      const sandbox = services.sandboxes.get(id);
      if (sandbox?.state !== 'running') return [];
      return [[id, metric(await services.usage(sandbox), now)] as const];
    }),
  );
  return json(200, { sandboxes: Object.fromEntries(found.flat()) });
}

function metric(usage: Usage, seconds: number): object {
  return {
    ...usage,
    timestamp: new Date(seconds * 1000).toISOString(),
    timestampUnix: seconds,
  };
}

function logs(call: Call, services: E2bServices): Reply {
  const { log } = sandboxOf(call, services);
  const start = queryInteger(call.query, 'start') ?? 0;
  const limit = queryInteger(call.query, 'limit') ?? 1000;
  const lines = log.filter(({ timestamp }) => timestamp >= start).slice(0, limit);
  return json(200, {
    logs: lines.map(({ timestamp, message }) => ({
      timestamp: new Date(timestamp).toISOString(),
      line: message,
    })),
    logEntries: lines.map(entry),
  });
}

function logsV2(call: Call, services: E2bServices): Reply {
  const { query } = call;
  const { log } = sandboxOf(call, services);
  const isBackward = query.get('direction') === 'backward';
  const cursor = queryInteger(query, 'cursor');
  const limit = queryInteger(query, 'limit') ?? 1000;
  const level = query.get('level');
  const search = query.get('search') ?? '';
  const lines = log.filter(
    ({ timestamp, level: own, message }) =>
      (cursor === undefined || (isBackward ? timestamp < cursor : timestamp >= cursor)) &&
      (level !== 'error' || own === 'error') &&
      message.includes(search),
  );
  if (isBackward) lines.reverse();
  return json(200, { logs: lines.slice(0, limit).map(entry) });
}

function entry({ timestamp, level, message }: LogLine): object {
  return { timestamp: new Date(timestamp).toISOString(), level, message, fields: {} };
}
