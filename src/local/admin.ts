import type { Duplex } from 'node:stream';
import type { FaultPlan, Faults } from './faults/faults.ts';
import { checkRoutes, FaultPlanError, readFaultPlan } from './faults/plan.ts';
import { readJson } from './http/body.ts';
import { HttpFailure } from './http/failure.ts';
import { sameSecret, shownKey } from './http/guard.ts';
import { json, type Reply } from './http/reply.ts';
import { type Call, Router } from './http/router.ts';
import type { Site } from './http/server.ts';

/** Where calls to the server itself live, beside a protocol's own routes. */
export const ADMIN_PATH = '/_cubeshift';

/** What can be done to a running server. */
export interface Control {
  /** Everything a status page would show. */
  status(): unknown;
  readonly faults: Faults;
  /** Names of the routes that rules can be about. */
  routes(): readonly string[];
  /** Loses what a restart loses and breaks all connections, except the one that asked for it. */
  restart(except?: Duplex): Promise<void>;
  /** Makes time pass. */
  advanceClock(ms: number): void;
}

/** Adds the calls for tests (faults, restart, clock) to a protocol; they need its key. */
export function withAdmin(site: Site, control: Control, key: string): Site {
  const router = adminRouter(control);
  return {
    findUpgrade: (request, path) => site.findUpgrade(request, path),
    failure: (error, path) => (isAdmin(path) ? adminFailure(error) : site.failure(error, path)),
    find(request, path) {
      if (!isAdmin(path)) return site.find(request, path);
      const match = router.match(request.method ?? 'GET', path);
      if (match.kind !== 'found') {
        throw new HttpFailure(404, `no such call; there are ${router.names.join(', ')}`);
      }
      if (!sameSecret(shownKey(request), key))
        throw new HttpFailure(401, 'the key is missing or wrong');
      return { route: match.route, params: match.params };
    },
  };
}

function adminRouter(control: Control): Router {
  const counts = (): Reply => json(200, { rules: control.faults.counts() });
  return new Router()
    .on(`GET ${ADMIN_PATH}/status`, () => json(200, control.status()))
    .on(`GET ${ADMIN_PATH}/faults`, counts)
    .on(`PUT ${ADMIN_PATH}/faults`, async ({ request }) => {
      const plan = planOf(await readJson(request));
      checkRoutes(plan, control.routes());
      control.faults.set(plan);
      return counts();
    })
    .on(`DELETE ${ADMIN_PATH}/faults`, () => {
      control.faults.set({});
      return counts();
    })
    .on(`POST ${ADMIN_PATH}/restart`, async ({ request }: Call) => {
      await control.restart(request.socket);
      return json(200, control.status());
    })
    .on(`POST ${ADMIN_PATH}/clock`, async ({ request }) => {
      const body = await readJson(request);
      const ms = (body as { advanceMs?: unknown } | undefined)?.advanceMs;
      if (typeof ms !== 'number' || !(ms >= 0)) {
        throw new HttpFailure(400, 'expected { "advanceMs": <milliseconds, 0 or more> }');
      }
      control.advanceClock(ms);
      return json(200, control.status());
    });
}

/** Rules only: events count from the start of the server. */
function planOf(value: unknown): FaultPlan {
  const plan = readFaultPlan(value);
  if ((plan.events ?? []).length > 0) {
    throw new FaultPlanError(
      'events: they belong to the start of the server; call /restart or /clock',
    );
  }
  return plan;
}

function isAdmin(path: string): boolean {
  return path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`);
}

function adminFailure(error: unknown): Reply {
  if (error instanceof HttpFailure) return json(error.status, { error: error.message });
  if (error instanceof FaultPlanError) return json(400, { error: error.message });
  return json(500, { error: error instanceof Error ? error.message : String(error) });
}
