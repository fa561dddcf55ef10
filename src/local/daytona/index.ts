/**
 * The Daytona protocol over the engine of `cubeshift local`: what the real SDKs send, answered as the
 * service answers.
 *
 * Facts are from the clients (`@daytonaio/sdk` 0.218), the public API documents of `daytona/clients`
 * (0.205) and the last public source of the service (0.190).
 *
 * - `world.ts` the stores; `record.ts` one sandbox; `lifecycle.ts` its changes of state, `timers.ts`
 *   those that happen by themselves, `create.ts` where sandboxes come from.
 * - `control/` routes of the control plane, below `/api`.
 * - `toolbox/` what the daemon inside a sandbox answers, below `/toolbox/<id>`: `box.ts` is what it
 *   keeps in memory while the sandbox runs.
 * - `previews.ts` ports of sandboxes, by host name or, where the system does not lead such names to
 *   this machine (`names.ts`), each by a port of its own (`preview-ports.ts`).
 * - `events.ts` the socket.io clients wait on.
 * - `image-build.ts` does what a Dockerfile says; `object-storage.ts` takes the files it copies.
 */
import type { FrontContext, ProtocolFront } from '../front.ts';
import type { Lookup } from './names.ts';
import { DaytonaSite } from './site.ts';
import { World } from './world.ts';

export interface DaytonaOptions {
  /** Asks the system for the addresses of a name, as programs here do. */
  lookup?: Lookup;
}

/** Makes the front; it serves once `listen` is given it. */
export function createDaytonaFront(
  context: FrontContext,
  options: DaytonaOptions = {},
): ProtocolFront {
  return new DaytonaSite(new World(context, options.lookup));
}
