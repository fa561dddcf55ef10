import { readJson } from '../../http/body.ts';
import { empty, json } from '../../http/reply.ts';
import type { Call, Router } from '../../http/router.ts';
import { DAEMON_VERSION, iso } from '../dto.ts';
import { badRequest } from '../errors.ts';
import { fieldsOf, integer, needText, text } from '../input.ts';
import { sample } from '../metrics.ts';
import { BUCKET } from '../object-storage.ts';
import { DEFAULT_SNAPSHOT, DEFAULT_TARGET } from '../snapshots.ts';
import { MAX_AUTO_ARCHIVE_MIN } from '../timers.ts';
import type { World } from '../world.ts';
import { queryInteger, sandboxOf } from './route.ts';

export function volumeRoutes(world: World, router: Router): void {
  const { volumes } = world;
  const idOf = ({ params }: Call): string => params.id ?? '';
  router
    .on('GET /api/volumes', () =>
      json(
        200,
        volumes.list().map((volume) => volumes.dto(volume)),
      ),
    )
    .on('POST /api/volumes', async (call) => {
      const name = text(fieldsOf(await readJson(call.request)), 'name');
      return json(200, await volumes.create(name));
    })
    .on('GET /api/volumes/by-name/:name', ({ params }) =>
      json(200, volumes.dto(volumes.byName(params.name ?? ''))),
    )
    .on('GET /api/volumes/:id', (call) => json(200, volumes.dto(volumes.get(idOf(call)))))
    .on('DELETE /api/volumes/:id', async (call) => {
      await volumes.remove(idOf(call));
      return empty(200);
    });
}

export function secretRoutes(world: World, router: Router): void {
  const { secrets } = world;
  const shown = () => secrets.list().map((secret) => secrets.dto(secret));
  router
    .on('GET /api/secret', () => json(200, shown()))
    .on('GET /api/secret/paginated', (call) => {
      const limit = queryInteger(call, 'limit', { most: 200 }) ?? 100;
      const name = call.query.get('name')?.toLowerCase() ?? '';
      const from = Number(call.query.get('cursor') || 0);
      if (!Number.isInteger(from) || from < 0) throw badRequest('Invalid cursor');
      const found = secrets.list().filter((one) => one.name.toLowerCase().includes(name));
      const items = found.slice(from, from + limit).map((secret) => secrets.dto(secret));
      const next = from + limit < found.length ? `${from + limit}` : null;
      return json(200, { items, total: found.length, nextCursor: next });
    })
    .on('POST /api/secret', async (call) => {
      const fields = fieldsOf(await readJson(call.request));
      return json(201, secrets.dto(secrets.create(fields)));
    })
    .on('GET /api/secret/:id', ({ params }) => json(200, secrets.dto(secrets.get(params.id ?? ''))))
    .on('PATCH /api/secret/:id', async (call) => {
      const fields = fieldsOf(await readJson(call.request));
      return json(200, secrets.dto(secrets.update(call.params.id ?? '', fields)));
    })
    .on('DELETE /api/secret/:id', ({ params }) => {
      secrets.remove(params.id ?? '');
      return empty(204);
    });
}

export function warmPoolRoutes(world: World, router: Router): void {
  const { warmPools } = world;
  router
    .on('GET /api/warm-pools', () =>
      json(
        200,
        warmPools.list().map((pool) => warmPools.dto(pool)),
      ),
    )
    .on('POST /api/warm-pools', async (call) => {
      const fields = fieldsOf(await readJson(call.request));
      const size = integer(fields, 'pool', 1);
      if (size === undefined) throw badRequest('pool must be an integer number');
      const target = text(fields, 'target') || DEFAULT_TARGET;
      return json(201, warmPools.dto(warmPools.create(needText(fields, 'snapshot'), size, target)));
    })
    .on('PATCH /api/warm-pools/:id', async (call) => {
      const size = integer(fieldsOf(await readJson(call.request)), 'pool', 0);
      if (size === undefined) throw badRequest('pool must be an integer number');
      return json(200, warmPools.dto(warmPools.resize(call.params.id ?? '', size)));
    })
    .on('DELETE /api/warm-pools/:id', ({ params }) => {
      warmPools.remove(params.id ?? '');
      return empty(204);
    });
}

/** About the service itself and who asks. */
export function serviceRoutes(world: World, router: Router): void {
  const organization = () => ({
    id: world.organizationId,
    name: 'Local',
    createdBy: world.userId,
    personal: true,
    defaultRegionId: DEFAULT_TARGET,
  });
  router
    .on('GET /api/health', () => json(200, { status: 'ok' }))
    .on('GET /api/config', () => {
      const { origin } = world.context;
      return json(200, {
        version: DAEMON_VERSION,
        oidc: { issuer: origin(), clientId: 'daytona', audience: 'daytona' },
        linkedAccountsEnabled: false,
        announcements: {},
        proxyTemplateUrl: world.previews.url(0, '{{sandboxId}}').replace('//0-', '//{{PORT}}-'),
        proxyToolboxUrl: world.toolboxUrl(),
        defaultSnapshot: DEFAULT_SNAPSHOT,
        dashboardUrl: origin(),
        maxAutoArchiveInterval: MAX_AUTO_ARCHIVE_MIN,
        maintananceMode: false,
        environment: 'local',
      });
    })
    .on('GET /api/users/me', () =>
      json(200, { id: world.userId, name: 'local', email: 'local@localhost', createdAt: iso(0) }),
    )
    .on('GET /api/api-keys/current', () =>
      json(200, { name: 'local', value: 'local', userId: world.userId, permissions: [] }),
    )
    .on('GET /api/organizations', () => json(200, [organization()]))
    .on('GET /api/organizations/:id', () => json(200, organization()))
    .on('GET /api/sandbox/:id/organization', (call) => {
      sandboxOf(world, call);
      return json(200, organization());
    })
    .on('GET /api/shared-regions', () => json(200, [{ id: DEFAULT_TARGET, name: DEFAULT_TARGET }]))
    .on('GET /api/regions', () => json(200, [{ id: DEFAULT_TARGET, name: DEFAULT_TARGET }]))
    .on('GET /api/object-storage/push-access', () => {
      const { accessKey, secret, sessionToken } = world.objects;
      return json(200, {
        ...{ accessKey, secret, sessionToken },
        storageUrl: `${world.context.origin()}/s3`,
        organizationId: world.organizationId,
        bucket: BUCKET,
        region: 'us-east-1',
      });
    })
    .on('GET /api/sandbox/:id/telemetry/metrics', async (call) => {
      const record = sandboxOf(world, call);
      const wanted = call.query.getAll('metricNames').flatMap((name) => name.split(','));
      const { timestamp, ...now } = await sample(world, record);
      const series = Object.entries(METRICS)
        .filter(([name]) => wanted.length === 0 || wanted.includes(name))
        .map(([name, key]) => ({
          metricName: name,
          dataPoints: record.state === 'started' ? [{ timestamp, value: now[key] }] : [],
        }));
      return json(200, { series });
    });
}

/** Names under which the service keeps what the daemon reports. */
const METRICS = {
  'daytona.sandbox.cpu.limit': 'cpuCount',
  'daytona.sandbox.cpu.utilization': 'cpuUsedPct',
  'daytona.sandbox.memory.limit': 'memTotal',
  'daytona.sandbox.memory.usage': 'memUsed',
  'daytona.sandbox.memory.cache': 'memCache',
  'daytona.sandbox.filesystem.total': 'diskTotal',
  'daytona.sandbox.filesystem.usage': 'diskUsed',
} as const;
