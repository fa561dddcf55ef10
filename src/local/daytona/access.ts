import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { bearer, header, sameSecret } from '../http/guard.ts';
import type { Call } from '../http/router.ts';
import { DaytonaFailure } from './errors.ts';
import type { World } from './world.ts';

/** Where a request shows the token of one sandbox. */
export const TOKEN_HEADER = 'x-daytona-preview-token';
export const TOKEN_QUERY = 'DAYTONA_SANDBOX_AUTH_KEY';

/** Files may be fetched and sent by an address that carries its own key. */
const SIGNED_PATHS = /^\/toolbox\/[^/]+\/files\/(?:download|upload-v2)$/;

/** Whether a request claims to have such an address; web pages may use them. */
export function isSigned(path: string, { url }: IncomingMessage): boolean {
  return SIGNED_PATHS.test(path) && /[?&]signature=/.test(url ?? '');
}

/**
 * Lets in who has no API key but a token for one sandbox, or a signed address.
 * @throws DaytonaFailure 401
 */
export function checkAccess(world: World, path: string, call: Call): void {
  const { request, query, params } = call;
  const record = world.sandboxes.find(params.id ?? '');
  const signature = query.get('signature');
  if (signature !== null && SIGNED_PATHS.test(path) && record !== undefined) {
    const file = query.get('path') ?? '';
    const expires = query.get('expires') ?? '';
    const signed = `v1:files:${request.method}:${file}:${expires}`;
    const digest = createHmac('sha256', record.signingKey).update(signed).digest('base64url');
    if (!sameSecret(signature, `v1_${digest}`)) {
      throw new DaytonaFailure(401, 'unauthorized: invalid signature');
    }
    // 0 is for ever.
    if (expires !== '0' && !(Number(expires) * 1000 > world.now())) {
      throw new DaytonaFailure(401, 'unauthorized: the signed URL has expired');
    }
    return;
  }
  const tokens = [...previewTokens(call), bearer(request)];
  if (record !== undefined && tokens.some((token) => sameSecret(token, record.authToken))) return;
  throw new DaytonaFailure(401, 'unauthorized: authentication failed: Bearer token is invalid');
}

/** The tokens that a request shows, in the order they are tried. */
export function previewTokens({ request, query }: Call): (string | undefined)[] {
  return [header(request, TOKEN_HEADER), query.get(TOKEN_QUERY) ?? undefined];
}
