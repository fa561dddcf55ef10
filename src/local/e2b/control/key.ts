import { sameSecret, shownKey } from '../../http/guard.ts';
import type { Call } from '../../http/router.ts';
import { ApiError } from '../errors.ts';
import type { E2bServices } from '../services.ts';

/** `X-API-Key`, or `Authorization: Bearer`, which counts more. @throws ApiError 401 */
export function checkKey({ request }: Call, { context, preset }: E2bServices): void {
  const key = shownKey(request);
  if (sameSecret(key, context.key)) return;
  const isMissing = key === undefined;
  if (preset.flavor === 'cube') {
    throw new ApiError(
      401,
      isMissing
        ? "Missing authentication: provide 'Authorization: Bearer <token>' or 'X-API-Key: <key>'"
        : 'Invalid API key or token',
    );
  }
  throw new ApiError(
    401,
    isMissing
      ? 'authorization header is missing'
      : 'Invalid API key, please visit https://e2b.dev/docs/api-key for more information.',
  );
}
