import { header, sameSecret } from '../http/guard.ts';
import { empty, json, type Reply } from '../http/reply.ts';
import type { Call } from '../http/router.ts';
import { NEVER } from './lifetime.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import { badGateway } from './ports.ts';
import { AlreadyError } from './sandboxes.ts';
import type { E2bServices } from './services.ts';
import { ENVD_PORT, type Target } from './target.ts';

/** A sandbox that traffic may go to, or what its sender is told instead. */
export type Passage = { sandbox: LiveSandbox } | { reply: Reply };

/** Lets traffic to a sandbox pass, wakes the sandbox if it is to be woken, or answers for it. */
export async function pass(
  { request }: Pick<Call, 'request'>,
  target: Target,
  services: E2bServices,
): Promise<Passage> {
  const { preset, sandboxes } = services;
  const id = preset.flavor === 'e2b' ? (target.id.split('-')[0] ?? '') : target.id;
  const sandbox = sandboxes.get(id);
  if (target.port < 1 || target.port > 65535) return { reply: wrongPort(services) };
  if (sandbox === undefined) return { reply: gone(id, services) };
  const refusal = checkTrafficToken(request, sandbox, target, services);
  if (preset.flavor === 'e2b') {
    if (refusal !== undefined) return { reply: refusal };
    await sandboxes.settled(sandbox);
    if (sandbox.state === 'paused' && !(await wake(sandbox, services))) {
      return { reply: gone(id, services) };
    }
  } else {
    if (sandbox.transition?.to === 'paused') return { reply: unavailable('2') };
    await sandboxes.settled(sandbox);
    if (sandbox.state === 'paused' && sandbox.spec.autoResume && !(await wake(sandbox, services))) {
      return { reply: unavailable('5') };
    }
    if (refusal !== undefined) return { reply: refusal };
    // Its proxy watches only sandboxes that are to be woken; the others just do not answer.
    if (sandbox.state === 'paused') return { reply: badGateway() };
  }
  sandbox.lifetime.touch();
  return { sandbox };
}

/** E2B: every time for five minutes at least. Cube: for a whole window anew. */
async function wake(sandbox: LiveSandbox, { preset, sandboxes }: E2bServices): Promise<boolean> {
  const { autoResumeS, clock } = preset.lifetime;
  const { seconds } = sandbox.lifetime;
  if (!sandbox.spec.autoResume || sandbox.isCold) return false;
  try {
    await sandboxes.resume(
      sandbox,
      clock === 'idle' || seconds === NEVER ? seconds : Math.max(seconds, autoResumeS),
    );
  } catch (error) {
    return error instanceof AlreadyError;
  }
  return true;
}

/** What is told of a sandbox that is not there, or not any more. */
export function gone(id: string, { preset, sandboxes }: E2bServices): Reply {
  if (preset.flavor === 'e2b') {
    return json(502, { sandboxId: id, message: 'The sandbox was not found', code: 502 });
  }
  return sandboxes.wasKilled(id) ? json(410, { error: 'gone' }) : unknownToProxy();
}

/** Its proxy takes an id that its store lacks for a store that fails (lua/sandbox_backend.lua). */
function unknownToProxy(): Reply {
  return json(503, { error: 'service unavailable' });
}

function unavailable(retryAfter: string): Reply {
  return json(503, { error: 'service unavailable' }, { 'retry-after': retryAfter });
}

function wrongPort({ preset }: E2bServices): Reply {
  return preset.flavor === 'e2b' ? empty(400) : json(400, { error: 'bad request' });
}

function checkTrafficToken(
  request: Call['request'],
  { trafficToken, id }: LiveSandbox,
  { port }: Target,
  { preset }: E2bServices,
): Reply | undefined {
  if (trafficToken === undefined || (port === ENVD_PORT && !preset.proxy.guardsEnvd)) {
    return undefined;
  }
  const name = 'e2b-traffic-access-token';
  const token =
    header(request, name) ??
    (preset.flavor === 'cube' ? header(request, 'cube-traffic-access-token') : undefined);
  if (token !== undefined && sameSecret(token, trafficToken)) return undefined;
  if (preset.flavor === 'cube') return json(403, { error: 'forbidden' });
  const problem =
    token === undefined
      ? `Token header '${name}' is missing`
      : `Provided token in header '${name}' is invalid`;
  return json(403, {
    sandboxId: id,
    message: `Sandbox is secured with traffic access token. ${problem}`,
    code: 403,
  });
}
