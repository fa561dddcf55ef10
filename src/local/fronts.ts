import type { Duplex } from 'node:stream';
import { type Control, withAdmin } from './admin.ts';
import type { MovableClock } from './engine/clock.ts';
import type { Engine } from './engine/engine.ts';
import type { FaultEvent, Faults, FrontName } from './faults/faults.ts';
import type { FrontContext, ProtocolFront } from './front.ts';
import type { Guard } from './http/guard.ts';
import { type Listening, listen, type Site } from './http/server.ts';
import type { Undo } from './undo.ts';
import { VolumeFolders } from './volumes.ts';

/** What all fronts of a server are given. */
export interface Common {
  engine: Engine;
  clock: MovableClock;
  faults: Faults;
  host: string;
  guard: Guard;
  onError: (error: unknown) => void;
}

/** A front to open. */
export interface FrontPlan<F extends ProtocolFront> {
  name: FrontName;
  /** 0 is any free one. */
  port: number;
  /** The secret that clients must show. */
  key: string;
  make: (context: FrontContext) => F;
}

/** The fronts of a server and everything they listen on, and what can be done to all of it. */
export class Fronts implements Control {
  readonly faults: Faults;
  readonly #common: Common;
  readonly #undo: Undo;
  readonly #fronts: ProtocolFront[] = [];
  /** What else the status tells. */
  facts: { readonly e2b?: { readonly preset: string; readonly templateId: string } } = {};
  readonly #listening = new Set<Listening>();

  /** `undo` is told how to close what is opened. */
  constructor(common: Common, undo: Undo) {
    this.faults = common.faults;
    this.#common = common;
    this.#undo = undo;
  }

  /** Makes a front and listens for it. @throws the system's error when the port cannot be had */
  async open<F extends ProtocolFront>(
    plan: FrontPlan<F>,
  ): Promise<{ front: F; url: string; apiKey: string }> {
    const { name, port, key } = plan;
    const { engine, host, onError } = this.#common;
    let url = '';
    const front = plan.make({
      engine,
      key,
      volumes: new VolumeFolders(await engine.folder(`volumes-${name}`)),
      origin: () => url,
      listen: (site) => this.#listen(name, site, 0),
      onError,
    });
    this.#undo.add(() => front.close());
    const server = await this.#listen(name, withAdmin(front, this, key), port);
    this.#undo.add(() => server.close());
    url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
    this.#fronts.push(front);
    return { front, url, apiKey: key };
  }

  /** Sees to it that these happen, each so long after now. */
  schedule(events: readonly FaultEvent[]): void {
    for (const event of events) {
      const timer = setTimeout(() => {
        if ('restart' in event) this.restart().catch(this.#common.onError);
        else this.advanceClock(event.advanceClockMs);
      }, event.afterMs);
      timer.unref();
      this.#undo.add(() => clearTimeout(timer));
    }
  }

  async restart(except?: Duplex): Promise<void> {
    await Promise.all(this.#fronts.map((front) => front.restart()));
    for (const server of this.#listening) server.dropConnections(except);
  }

  advanceClock(ms: number): void {
    this.#common.clock.advance(ms);
  }

  routes(): readonly string[] {
    return this.#fronts.flatMap((front) => front.routes);
  }

  status(): unknown {
    const { engine, clock } = this.#common;
    const now = new Date(clock.now()).toISOString();
    return { isolation: engine.isolation, now, ...this.facts, routes: this.routes() };
  }

  async #listen(name: FrontName, site: Site, port: number): Promise<Listening> {
    const { host, guard, faults, onError } = this.#common;
    const server = await listen({ name, host, port, site, guard, faults, onError });
    this.#listening.add(server);
    return {
      ...server,
      close: () => {
        this.#listening.delete(server);
        return server.close();
      },
    };
  }
}
