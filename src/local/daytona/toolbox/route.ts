import { empty, type Reply } from '../../http/reply.ts';
import type { Call, Handler, Router } from '../../http/router.ts';
import type { UpgradeCall, UpgradeHandler } from '../../http/server.ts';
import { DaytonaFailure, NOT_RUNNING } from '../errors.ts';
import type { World } from '../world.ts';
import type { Box } from './box.ts';

export type BoxHandler = (box: Box, call: Call) => Reply | Promise<Reply>;
export type BoxUpgrade = (box: Box, call: UpgradeCall) => void | Promise<void>;

/** Registers routes of the toolbox, which need a sandbox that runs. */
export class BoxRoutes {
  readonly #world: World;
  readonly #router: Router;
  readonly #upgrades: Router<UpgradeHandler>;

  constructor(world: World, router: Router, upgrades: Router<UpgradeHandler>) {
    this.#world = world;
    this.#router = router;
    this.#upgrades = upgrades;
  }

  /** `name` is `METHOD /path`, the path as behind the sandbox's id. */
  on(name: string, handler: BoxHandler): this {
    const run: Handler = async (call) => {
      const box = this.#box(call);
      return this.#counted(box, call, () => whileOpen(box, async () => handler(box, call)));
    };
    this.#router.on(prefixed(name), run);
    return this;
  }

  ws(path: string, handler: BoxUpgrade): this {
    this.#upgrades.on(prefixed(`GET ${path}`), async (call) => {
      const box = this.#box(call);
      this.#world.sandboxes.holdUntil(box.record, call.signal);
      const forget = box.onClose(() => call.socket.destroy());
      call.signal.addEventListener('abort', forget, { once: true });
      await handler(box, call);
    });
    return this;
  }

  #box(call: Call): Box {
    const record = this.#world.sandboxes.find(call.params.id ?? '');
    if (record === undefined) {
      throw new DaytonaFailure(404, 'not found: sandbox container not found');
    }
    if (record.box === undefined || record.state === 'paused') {
      throw new DaytonaFailure(400, NOT_RUNNING);
    }
    return record.box;
  }

  /** While a call is open the sandbox is busy, and idle from its end. */
  async #counted(box: Box, call: Call, run: () => Promise<Reply>): Promise<Reply> {
    const end = this.#world.sandboxes.hold(box.record);
    try {
      const reply = await run();
      // A streamed body goes on after this; the signal fires when the connection is done with it.
      if (isStream(reply) && !call.signal.aborted) {
        call.signal.addEventListener('abort', end, { once: true });
      } else end();
      return reply;
    } catch (error) {
      end();
      throw error;
    }
  }
}

/**
 * The daemon ends with its sandbox, and with it the connections of calls that are under way: the
 * proxy before it answers them with a 502 and no word more (daytonaio/daytona#5140).
 */
async function whileOpen(box: Box, answer: () => Promise<Reply>): Promise<Reply> {
  let forget = (): void => undefined;
  const lost = new Promise<Reply>((resolve) => {
    forget = box.onClose(() => resolve(empty(502)));
  });
  try {
    return await Promise.race([answer(), lost]);
  } finally {
    forget();
  }
}

function isStream({ body }: Reply): boolean {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
}

function prefixed(name: string): string {
  const [method, path] = name.split(' ');
  return `${method} /toolbox/:id${path}`;
}
