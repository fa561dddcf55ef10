import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { readFields } from '../body.ts';
import { ApiError, ShapeError } from '../errors.ts';
import { NEVER } from '../lifetime.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import { AlreadyError } from '../sandboxes.ts';
import type { E2bServices } from '../services.ts';
import { type ControlRoutes, noSandbox, sandboxIdOf, sandboxOf } from './handler.ts';
import { detailShape, sandboxShape } from './shapes.ts';
import { timeoutOf } from './timeouts.ts';

/** Refreshing is for an hour at most. */
const MAX_REFRESH_S = 3600;

/** One sandbox from its creation to its end. */
export const LIFECYCLE_ROUTES: ControlRoutes = {
  'GET /sandboxes/:id': (call, services) =>
    json(200, detailShape(sandboxOf(call, services), services)),
  'DELETE /sandboxes/:id': kill,
  'POST /sandboxes/:id/connect': (call, services) => connect(call, services, 'v1'),
  'POST /v2/sandboxes/:id/connect': (call, services) => connect(call, services, 'v2'),
  'POST /sandboxes/:id/pause': pause,
  'POST /sandboxes/:id/resume': resume,
  'POST /sandboxes/:id/timeout': setTimeout,
  'POST /sandboxes/:id/refreshes': refresh,
};

async function kill(call: Call, services: E2bServices): Promise<Reply> {
  const sandbox = sandboxOf(call, services);
  const { quirks } = services.preset;
  if (quirks.showsPausing && sandbox.transition?.to === 'paused') {
    throw new ApiError(503, `sandbox ${sandbox.id} is pausing; retry DELETE after 2 seconds`, {
      'retry-after': '2',
    });
  }
  if (quirks.keepsPaused && sandbox.state === 'paused') {
    throw new ApiError(409, `sandbox ${sandbox.id} conflict`);
  }
  await services.sandboxes.kill(sandbox);
  return empty(204);
}

async function connect(call: Call, services: E2bServices, route: 'v1' | 'v2'): Promise<Reply> {
  const { preset, sandboxes } = services;
  const body = await readFields(call, { optional: preset.flavor === 'cube' || route === 'v2' });
  const { lifetime } = preset;
  const isCube = preset.flavor === 'cube';
  if (!isCube && route === 'v1' && !body.has('timeout')) {
    throw new ShapeError('/timeout', 'an integer');
  }
  const sandbox = sandboxOf(call, services);
  await sandboxes.settled(sandbox);
  const asked = body.optionalInteger('timeout');
  if (isCube && lifetime.onConnect === 'extend' && asked === 0)
    timeoutOf(asked, 0, preset, { min: 1 });
  // Nothing of E2B's, whose connect takes 0 as "no longer than now".
  const timeoutS = timeoutOf(asked, isCube ? undefined : lifetime.defaultS.v2, preset, {
    min: isCube ? NEVER : 0,
  });
  if (sandbox.state === 'running') {
    if (lifetime.onConnect === 'extend' && timeoutS !== undefined)
      sandbox.lifetime.extend(timeoutS);
    return json(200, sandboxShape(sandbox, services, { withTrafficToken: !isCube }));
  }
  await wake(sandbox, timeoutS, services);
  return json(isCube ? 200 : 201, sandboxShape(sandbox, services, { withTrafficToken: !isCube }));
}

async function wake(
  sandbox: LiveSandbox,
  timeoutS: number | undefined,
  { sandboxes }: E2bServices,
): Promise<void> {
  try {
    await sandboxes.resume(sandbox, timeoutS ?? sandbox.lifetime.seconds);
  } catch (error) {
    // Somebody else woke it meanwhile.
    if (!(error instanceof AlreadyError)) throw error;
    if (timeoutS !== undefined) sandbox.lifetime.extend(timeoutS);
  }
}

async function pause(call: Call, services: E2bServices): Promise<Reply> {
  const { preset, sandboxes } = services;
  const body = await readFields(call, { optional: true });
  const keepsMemory = preset.quirks.alwaysKeepsMemory || (body.boolean('memory') ?? true);
  const sandbox = sandboxOf(call, services);
  try {
    await sandboxes.pause(sandbox, keepsMemory);
  } catch (error) {
    if (!(error instanceof AlreadyError)) throw error;
    throw new ApiError(
      409,
      preset.flavor === 'e2b'
        ? `Error pausing sandbox - sandbox '${sandbox.id}' is already paused`
        : `sandbox ${sandbox.id} cannot be paused`,
    );
  }
  return empty(204);
}

async function resume(call: Call, services: E2bServices): Promise<Reply> {
  const { preset, sandboxes } = services;
  const body = await readFields(call, { optional: preset.flavor === 'cube' });
  const sandbox = sandboxOf(call, services);
  const isCube = preset.flavor === 'cube';
  const timeoutS = timeoutOf(
    body.optionalInteger('timeout'),
    isCube ? sandbox.lifetime.seconds : preset.lifetime.defaultS.v1,
    preset,
  );
  try {
    await sandboxes.resume(sandbox, timeoutS);
  } catch (error) {
    if (!(error instanceof AlreadyError)) throw error;
    throw new ApiError(
      409,
      isCube
        ? `sandbox ${sandbox.id} is already running`
        : `Sandbox ${sandbox.id} is already running`,
    );
  }
  return json(201, sandboxShape(sandbox, services, { withTrafficToken: !isCube }));
}

async function setTimeout(call: Call, services: E2bServices): Promise<Reply> {
  const body = await readFields(call);
  const timeoutS = timeoutOf(body.integer('timeout'), 0, services.preset, {
    min: services.preset.lifetime.clock === 'idle' ? NEVER : 0,
  });
  running(call, services).lifetime.set(timeoutS);
  return empty(204);
}

async function refresh(call: Call, services: E2bServices): Promise<Reply> {
  const body = await readFields(call, { optional: true });
  const duration = body.optionalInteger('duration') ?? services.preset.lifetime.defaultS.v1;
  if (duration > MAX_REFRESH_S || (body.has('duration') && duration < 0)) {
    throw new ApiError(400, `duration: Validation error: range 0..${MAX_REFRESH_S}`);
  }
  const { lifetime } = running(call, services);
  lifetime.touch();
  if (body.has('duration') || services.preset.lifetime.clock === 'absolute') {
    lifetime.extend(duration);
  }
  return empty(204);
}

/** A paused sandbox has no lifetime to change: E2B does not find it, Cube keeps it as it is. */
function running(call: Call, services: E2bServices): LiveSandbox {
  const sandbox = sandboxOf(call, services);
  if (sandbox.state === 'running') return sandbox;
  throw services.preset.flavor === 'e2b'
    ? noSandbox(sandboxIdOf(call, services), services)
    : new ApiError(409, `sandbox ${sandbox.id} conflict`);
}
