import type { CallOptions } from '../../provider/create.ts';
import { SandboxError } from '../../provider/errors.ts';
import type { Rest, RestAnswer } from '../http/rest.ts';

/**
 * What a CubeSandbox server can do, found by asking for routes: it has no route that tells its
 * version. Source: routes of CubeAPI and the change log, 0.3.0 to 0.7.2.
 */
export interface CubeServer {
  /** The oldest release that answers like it does. */
  readonly atLeast: '0.5.0' | '0.6.0' | '0.7.0';
  /** Volumes can be mounted. */
  readonly hasVolumes: boolean;
  /** Names of templates are resolved at creation. */
  readonly hasAliases: boolean;
  /** Network rules can be changed, and names of templates set. */
  readonly hasNetworkUpdate: boolean;
  /** Sandboxes can be created as E2B's newest SDK does it. */
  readonly hasV2Create: boolean;
  /** A sandbox that is paused can be deleted. */
  readonly deletesPaused: boolean;
  /** Volumes are detached while a sandbox is paused, so that others may write to them. */
  readonly detachesVolumes: boolean;
}

/**
 * Asks for routes that came with a release, in ways that change nothing.
 *
 * @throws {SandboxError} `unavailable` when it is no CubeSandbox of 0.3.0 or newer
 */
export async function probe(
  rest: Rest,
  provider: string,
  url: string,
  { signal }: CallOptions,
): Promise<CubeServer> {
  const [health, snapshots, volumes, alias, create] = await Promise.all([
    rest.ask('GET', '/health', { signal }),
    rest.ask('GET', '/snapshots?limit=1', { signal }),
    rest.ask('GET', '/volumes', { signal }),
    rest.ask('PUT', '/templates/tpl-does-not-exist/alias', { body: { alias: null }, signal }),
    rest.ask('POST', '/v2/sandboxes', { body: {}, signal }),
  ]);
  const isCube = !isOther(health);
  if (!isThere(snapshots) || !isCube) {
    if (isCube && (snapshots.status === 401 || snapshots.status === 403)) {
      throw rest.failure(snapshots, 'Looking at the server');
    }
    const told = `${url} does not answer like a CubeSandbox of 0.3.0 or newer`;
    throw new SandboxError('unavailable', `${told}: is it the address of its API (port 3000)?`, {
      provider,
      retryable: snapshots.status >= 500,
    });
  }
  const atLeast = isThere(alias) ? '0.7.0' : isThere(volumes) ? '0.6.0' : '0.5.0';
  return serverOf(atLeast, isThere(create) && create.status !== 405);
}

/** What a release can do. No known one creates as E2B's newest SDK does it. */
export function serverOf(atLeast: CubeServer['atLeast'], hasV2Create = false): CubeServer {
  const isV7 = atLeast === '0.7.0';
  const isV6 = isV7 || atLeast === '0.6.0';
  return {
    atLeast,
    hasVolumes: isV6,
    hasAliases: isV6,
    hasNetworkUpdate: isV7,
    hasV2Create,
    deletesPaused: isV6,
    detachesVolumes: isV7,
  };
}

/** Whether a server speaks for itself and is another one: E2B and Daytona have some of the same routes. */
function isOther({ status, body }: RestAnswer): boolean {
  return status === 200 && !(typeof body === 'object' && body !== null && 'sandboxes' in body);
}

/** Whether the route is there: a thing that is not is told in JSON, a route that is not in no words. */
function isThere({ status, isJson, body }: RestAnswer): boolean {
  if (status === 401 || status === 403) return false;
  if (status === 405) return false;
  if (status === 404) return isJson && body !== undefined;
  return status < 500 || isJson;
}
