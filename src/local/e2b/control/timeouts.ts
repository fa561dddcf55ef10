import { ApiError } from '../errors.ts';
import { NEVER } from '../lifetime.ts';
import type { Preset } from '../presets.ts';

/**
 * A lifetime in seconds as a client asks for it, or `fallback` when it does not ask.
 * @throws ApiError 400 for what the service refuses
 */
export function timeoutOf<T extends number | undefined>(
  asked: number | undefined,
  fallback: T,
  { lifetime }: Preset,
  { min = lifetime.clock === 'idle' ? NEVER : 1 } = {},
): number | T {
  if (asked === undefined) return fallback;
  if (lifetime.clock === 'idle') {
    // CubeAPI passes any number on; its inner service refuses these.
    if (asked < min || (asked === 0 && min > 0)) {
      throw new ApiError(
        400,
        'CubeMaster returned error code 130400: timeout must be -1 (never) or not negative',
      );
    }
    return asked;
  }
  if (asked < min) {
    throw new ApiError(400, 'Timeout must be greater than 0');
  }
  if (lifetime.maxS !== undefined && asked > lifetime.maxS) {
    throw new ApiError(400, `Timeout cannot be greater than ${lifetime.maxS / 3600} hours`);
  }
  return asked;
}
