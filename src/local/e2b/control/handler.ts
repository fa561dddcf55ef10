import type { Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { ApiError } from '../errors.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';

/** Answers a request to the control plane. */
export type ControlHandler = (call: Call, services: E2bServices) => Reply | Promise<Reply>;

/** Handlers by the routes of the presets. */
export type ControlRoutes = Readonly<Record<string, ControlHandler>>;

/** The id as clients write it; old ones of E2B append `-<client>`. @throws ApiError 400 */
export function sandboxIdOf({ params }: Call, { preset }: E2bServices): string {
  const id = params.id ?? '';
  if (preset.flavor === 'cube') return id;
  const short = id.split('-')[0] ?? '';
  if (!/^[a-z0-9]+$/.test(short)) throw new ApiError(400, 'Invalid sandbox ID');
  return short;
}

/** @throws ApiError 404 */
export function sandboxOf(call: Call, services: E2bServices): LiveSandbox {
  const id = sandboxIdOf(call, services);
  const sandbox = services.sandboxes.get(id);
  if (sandbox === undefined) throw noSandbox(id, services);
  return sandbox;
}

export function noSandbox(id: string, { preset }: E2bServices): ApiError {
  return new ApiError(
    404,
    preset.flavor === 'e2b'
      ? `Sandbox "${id}" doesn't exist or you don't have access to it`
      : `sandbox ${id} not found`,
  );
}
