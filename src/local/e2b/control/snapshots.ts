import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { queryInteger, readFields } from '../body.ts';
import { ApiError } from '../errors.ts';
import { uuid } from '../ids.ts';
import type { LiveSandbox, SandboxSpec } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';
import { DEFAULT_TAG, parseName, TEAM } from '../template-names.ts';
import type { Template } from '../templates.ts';
import { type ControlRoutes, noSandbox, sandboxOf } from './handler.ts';
import { page } from './paging.ts';
import { sandboxShape } from './shapes.ts';
import { timeoutOf } from './timeouts.ts';

const MAX_FORKS = 100;
const MAX_PAGE = 100;

/** Keeping a sandbox's files: memory and processes are not part of it here, unlike the real thing. */
export const SNAPSHOT_ROUTES: ControlRoutes = {
  'POST /sandboxes/:id/snapshots': create,
  'GET /snapshots': list,
  'POST /sandboxes/:id/rollback': rollback,
  'POST /sandboxes/:id/fork': fork,
};

async function create(call: Call, services: E2bServices): Promise<Reply> {
  const { preset } = services;
  const body = await readFields(call, { optional: preset.flavor === 'cube' });
  const name = body.optionalString('name');
  const sandbox = sandboxOf(call, services);
  await services.sandboxes.settled(sandbox);
  if (sandbox.state === 'paused') {
    throw preset.flavor === 'e2b'
      ? noSandbox(sandbox.id, services)
      : new ApiError(409, `sandbox ${sandbox.id} has a conflicting operation in progress`);
  }
  const template =
    preset.flavor === 'e2b'
      ? await keepNamed(sandbox, name, services)
      : await keep(sandbox, name === undefined ? [] : [name], services);
  return json(201, shape(template.template, services, template.tag));
}

interface Kept {
  template: Template;
  tag: string;
}

/** A name that exists gets a new build. */
async function keepNamed(
  sandbox: LiveSandbox,
  reference: string | undefined,
  services: E2bServices,
): Promise<Kept> {
  if (reference === undefined) return keep(sandbox, [], services);
  const parsed = parseName(reference, 'name');
  if (parsed === undefined) {
    throw new ApiError(400, `Invalid name: '${reference}' belongs to another team`);
  }
  const known = services.templates.find(parsed.name);
  if (known?.kind === 'built-in') {
    throw new ApiError(400, `Invalid name: '${parsed.name}' is a template of the service`);
  }
  return keep(sandbox, [parsed.name], services, known, parsed.tag);
}

async function keep(
  sandbox: LiveSandbox,
  names: string[],
  services: E2bServices,
  into?: Template,
  tag = DEFAULT_TAG,
): Promise<Kept> {
  const { context, templates } = services;
  const snapshot = uuid();
  await context.engine.snapshot(sandbox.id, snapshot);
  const template = into ?? templates.add('snapshot', names, undefined, sandbox.id);
  const { templateId: _id, alias: _alias, startCmd: _start, ...point } = sandbox.spec.template;
  templates.addBuild(template, 'ready', { ...point, snapshot }, [tag]);
  return { template, tag };
}

/** `SnapshotInfo`; Cube says more in lists. */
function shape({ id, names }: Template, { preset }: E2bServices, tag: string): object {
  if (preset.flavor === 'cube') return { snapshotID: id, names };
  const [name] = names;
  return {
    names: names.map((own) => `${TEAM}/${own}`),
    snapshotID: `${name === undefined ? id : `${TEAM}/${name}`}:${tag}`,
  };
}

function list(call: Call, services: E2bServices): Reply {
  const { query } = call;
  const { preset, templates } = services;
  const sandboxId = query.get('sandboxID')?.split('-')[0];
  const isCube = preset.flavor === 'cube';
  const reference = isCube ? null : query.get('name');
  const name = reference === null ? undefined : parseName(reference, 'name');
  const all = templates
    .list()
    .filter(
      ({ kind, origin, names }) =>
        kind === 'snapshot' &&
        (sandboxId === undefined || origin === sandboxId) &&
        (reference === null || (name !== undefined && names.includes(name.name))),
    )
    .reverse();
  if (isCube && (queryInteger(query, 'limit') ?? 0) > MAX_PAGE) query.set('limit', `${MAX_PAGE}`);
  const { items, headers } = page(all, query, MAX_PAGE, ({ id }) => id);
  return json(
    200,
    items.map((template) => ({
      ...shape(template, services, [...template.tags.keys()].at(-1) ?? DEFAULT_TAG),
      ...(isCube ? cubeFields(template) : {}),
    })),
    headers,
  );
}

function cubeFields({ origin, createdAt, updatedAt }: Template): object {
  return {
    status: 'READY',
    originSandboxID: origin,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

/** Cube's own: the same sandbox, as it was. */
async function rollback(call: Call, services: E2bServices): Promise<Reply> {
  const snapshotId = (await readFields(call)).string('snapshotID');
  const sandbox = sandboxOf(call, services);
  const template = services.templates.find(snapshotId);
  const snapshot = template?.tags.get(DEFAULT_TAG)?.build.point.snapshot;
  if (template?.kind !== 'snapshot' || snapshot === undefined || template.origin !== sandbox.id) {
    throw new ApiError(404, `sandbox ${sandbox.id} or snapshot ${snapshotId} not found`);
  }
  await services.sandboxes.settled(sandbox);
  if (sandbox.state === 'paused') {
    throw new ApiError(409, `sandbox ${sandbox.id} cannot be rolled back while paused`);
  }
  await services.sandboxes.rollback(sandbox, snapshot);
  return json(200, {
    sandboxID: sandbox.id,
    snapshotID: snapshotId,
    operationID: uuid(),
    status: 'READY',
  });
}

/** E2B's: more sandboxes with the files this one has now. */
async function fork(call: Call, services: E2bServices): Promise<Reply> {
  const { preset, sandboxes, context } = services;
  const body = await readFields(call, { optional: true });
  const timeoutS = timeoutOf(body.optionalInteger('timeout'), preset.lifetime.defaultS.v1, preset);
  const count = body.optionalInteger('count') ?? 1;
  if (count < 1) throw new ApiError(400, 'Count must be at least 1');
  if (count > MAX_FORKS) throw new ApiError(400, `Count cannot be greater than ${MAX_FORKS}`);
  const sandbox = sandboxOf(call, services);
  await sandboxes.settled(sandbox);
  if (sandbox.state === 'paused') {
    throw new ApiError(
      409,
      `Sandbox '${sandbox.id}' is paused and cannot be forked; resume it first`,
    );
  }
  const snapshot = uuid();
  await context.engine.snapshot(sandbox.id, snapshot);
  const spec: SandboxSpec = {
    ...sandbox.spec,
    template: { ...sandbox.spec.template, snapshot },
    timeoutS,
    network: sandbox.network,
    allowInternet: sandbox.allowInternet,
  };
  try {
    const results = await Promise.allSettled(
      Array.from({ length: count }, () => sandboxes.create(spec)),
    );
    return json(
      201,
      results.map((result) =>
        result.status === 'fulfilled'
          ? { sandbox: sandboxShape(result.value, services, { withTrafficToken: true }) }
          : { error: { code: 500, message: 'Error forking sandbox' } },
      ),
    );
  } finally {
    // The forks hold on to what they need of it.
    await context.engine.deleteSnapshot(snapshot);
  }
}
