import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call, Router } from '../../http/router.ts';
import { badRequest, DaytonaFailure } from '../errors.ts';
import { newToken } from '../lifecycle.ts';
import type { World } from '../world.ts';
import { queryInteger, sandboxOf } from './route.ts';

const LONGEST_S = 24 * 60 * 60;
const DEFAULT_S = 60;

/** Addresses of ports and files, and tokens for SSH. */
export function previewRoutes(world: World, router: Router): void {
  const base = '/api/sandbox/:id';
  router
    .on(`GET ${base}/ports/:port/preview-url`, async (call) => {
      const record = sandboxOf(world, call);
      const url = await world.previews.link(record, portOf(call));
      return json(200, { sandboxId: record.id, url, token: record.authToken });
    })
    .on(`GET ${base}/ports/:port/signed-preview-url`, (call) => sign(world, call))
    .on(`POST ${base}/ports/:port/signed-preview-url/:token/expire`, async (call) => {
      await world.previews.expire(sandboxOf(world, call), portOf(call), call.params.token ?? '');
      return empty(200);
    })
    .on(`GET ${base}/signing-key`, (call) => json(200, sandboxOf(world, call).signingKey))
    .on(`POST ${base}/signing-key/rotate`, (call) => {
      const record = sandboxOf(world, call);
      // Makes all addresses signed with the old one worthless.
      record.signingKey = newToken();
      return json(200, record.signingKey);
    })
    .on(`GET ${base}/toolbox-proxy-url`, (call) => {
      sandboxOf(world, call);
      return json(200, { url: world.toolboxUrl() });
    })
    .on(`POST ${base}/ssh-access`, (call) => {
      const minutes = queryInteger(call, 'expiresInMinutes');
      return json(200, world.sshAccess.create(sandboxOf(world, call), minutes));
    })
    .on(`DELETE ${base}/ssh-access`, async (call) => {
      const record = sandboxOf(world, call);
      world.sshAccess.revoke(record, call.query.get('token') ?? undefined);
      return empty(200);
    })
    .on('GET /api/sandbox/ssh-access/validate', (call) => {
      const sandboxId = world.sshAccess.validate(call.query.get('token') ?? '');
      return json(200, { valid: sandboxId !== undefined, sandboxId: sandboxId ?? '' });
    })
    .on('GET /api/preview/:id/public', (call) => {
      if (!sandboxOf(world, call).isPublic) {
        throw new DaytonaFailure(404, `Sandbox with ID ${call.params.id} not found`);
      }
      return json(200, true);
    });
}

async function sign(world: World, call: Call): Promise<Reply> {
  const record = sandboxOf(world, call);
  const given = call.query.get('expiresInSeconds');
  const seconds = given === null || given === '' ? DEFAULT_S : Number(given);
  if (!(seconds >= 1 && seconds <= LONGEST_S)) {
    throw badRequest('expiresInSeconds must be between 1 second and 24 hours');
  }
  return json(200, await world.previews.sign(record, portOf(call), seconds));
}

function portOf({ params }: Call): number {
  const port = Number(params.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw badRequest('Invalid port');
  return port;
}
