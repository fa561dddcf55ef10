import { createHash } from 'node:crypto';
import { header, sameSecret } from '../../http/guard.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { ApiError } from '../errors.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { Preset } from '../presets.ts';

/** Reached without the token: `/files` has signatures of its own. */
const OPEN: ReadonlySet<string> = new Set([
  'GET /health',
  'HEAD /health',
  'GET /files',
  'HEAD /files',
  'POST /files',
]);

/** @throws ApiError 401 for a secured sandbox without its token */
export function checkAccess({ request, path }: Call, { envdToken }: LiveSandbox): void {
  if (envdToken === undefined || OPEN.has(`${request.method} ${path}`)) return;
  if (sameSecret(header(request, 'x-access-token'), envdToken)) return;
  throw new ApiError(
    401,
    'unauthorized access, please provide a valid access token or method signing if supported',
  );
}

export type FileOperation = 'read' | 'write';

/**
 * The token, or a signature of exactly this path, operation and user, as clients compute it for
 * links they hand out.
 * @throws ApiError 401
 */
export function checkSignature(
  { request, query }: Call,
  { envdToken }: LiveSandbox,
  operation: FileOperation,
  now: number,
): void {
  if (envdToken === undefined) return;
  const token = header(request, 'x-access-token');
  if (token !== undefined) {
    if (sameSecret(token, envdToken)) return;
    throw new ApiError(401, 'access token present in header but does not match');
  }
  const given = query.get('signature');
  if (given === null) throw new ApiError(401, 'missing signature query parameter');
  if (!isSigned(query, envdToken, operation)) throw new ApiError(401, 'invalid signature');
  const expiration = query.get('signature_expiration');
  if (expiration !== null && Number(expiration) < Math.floor(now / 1000)) {
    throw new ApiError(401, 'signature is already expired');
  }
}

/** Whether the signature of a link was made with this token, expired or not. */
export function isSigned(query: URLSearchParams, token: string, operation: FileOperation): boolean {
  const expiration = query.get('signature_expiration');
  const parts = [query.get('path') ?? '', operation, query.get('username') ?? '', token];
  if (expiration !== null) parts.push(expiration);
  const digest = createHash('sha256').update(parts.join(':')).digest('base64');
  return sameSecret(query.get('signature') ?? undefined, `v1_${digest.replace(/=+$/, '')}`);
}

/** E2B's proxy keeps what its own machinery says to envd from everybody else. */
export function isReserved({ path }: Call, { flavor }: Preset): boolean {
  return flavor === 'e2b' && path === '/init';
}

/** What that proxy answers. */
export function reserved({ path }: Call): Reply {
  return json(404, {
    message:
      'This endpoint is reserved for the E2B control plane and is not reachable through the sandbox URL',
    path,
    code: 404,
  });
}
