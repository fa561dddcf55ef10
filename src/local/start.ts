import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type Control, withAdmin } from './admin.ts';
import { createDaytonaFront } from './daytona/index.ts';
import { type CubeVersion, createE2bFront } from './e2b/index.ts';
import { JumpClock, type MovableClock } from './engine/clock.ts';
import { createEngine, type EngineOptions } from './engine/engine.ts';
import { EngineError } from './engine/errors.ts';
import type { IsolationReport } from './engine/isolation/types.ts';
import { daytonaEnvironment, e2bEnvironment } from './environment.ts';
import { type FaultPlan, Faults, type FrontName } from './faults/faults.ts';
import { checkRoutes } from './faults/plan.ts';
import type { FrontContext, ProtocolFront } from './front.ts';
import { Guard, hostname } from './http/guard.ts';
import { type Listening, listen, type Site } from './http/server.ts';
import { VolumeFolders } from './volumes.ts';

export interface LocalOptions {
  /** Which service the E2B side is: `cube` (the default) or `e2b`. */
  flavor?: 'cube' | 'e2b';
  /** Which CubeSandbox release it imitates. Defaults to the newest one known. */
  cubeVersion?: CubeVersion;
  /** Address to listen on. Defaults to 127.0.0.1; anything else lets others run commands here. */
  host?: string;
  /** Further names the server answers to, each with what is below it. */
  allowedHosts?: readonly string[];
  /**
   * What ports of E2B and Cube sandboxes are below: `<port>-<id>.<domain>`, with a port if it is not
   * the usual one. Defaults to `localhost:<e2bPort>`.
   */
  domain?: string;
  /** 0, the default, is any free one. */
  e2bPort?: number;
  daytonaPort?: number;
  /** The secret that clients must show. Defaults to a random one. */
  key?: string;
  /** How sandboxes are kept apart. Defaults to the best this machine can. */
  isolation?: EngineOptions['isolation'];
  network?: EngineOptions['network'];
  /** Where sandboxes and volumes are kept while the server runs. */
  dir?: string;
  faults?: FaultPlan;
  clock?: MovableClock;
  /** Hears of failures that no client could be told. */
  onError?: (error: unknown) => void;
}

/** One protocol of a running server. */
export interface LocalEndpoint {
  url: string;
  apiKey: string;
  /** What the SDKs of this protocol read, by name. */
  env: Readonly<Record<string, string>>;
}

/** A running server. */
export interface LocalServer {
  readonly e2b: LocalEndpoint & {
    /** Which service it is, as targets are called: `e2b`, `cube@0.7.2`. */
    preset: string;
    /** A template that is there. */
    templateId: string;
  };
  readonly daytona: LocalEndpoint;
  /** How sandboxes are kept apart here, why so, and what that cannot do. */
  readonly isolation: IsolationReport;
  readonly faults: Faults;
  /** Makes time pass: lifetimes end and intervals fall due at once. In milliseconds. */
  advanceClock(ms: number): void;
  /** Loses what a restart of the imitated host loses, and breaks all connections. */
  restart(): Promise<void>;
  /** Leaves no process, mount or folder. */
  close(): Promise<void>;
}

/** One for whoever creates now, one for the next; each idle one takes some 6 MB. */
const SPARES = 2;

/**
 * Starts a server for both protocols on this machine.
 * @throws EngineError when a way of isolation that was asked for is not there, and on Windows
 * @throws the system's error when a port cannot be listened on
 */
export async function startLocal(options: LocalOptions = {}): Promise<LocalServer> {
  if (process.platform === 'win32') {
    throw new EngineError(
      'unsupported',
      'the local server needs Linux or macOS; on Windows, use WSL',
    );
  }
  const { host = '127.0.0.1', clock = new JumpClock(), onError = () => undefined } = options;
  const { isolation, network, dir } = options;
  const undo: (() => Promise<unknown> | unknown)[] = [];
  const close = async (): Promise<void> => {
    // In reverse, and all of them, whatever one of them says.
    const failures: unknown[] = [];
    for (const step of undo.splice(0).reverse()) {
      await Promise.resolve(step()).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    const engine = await createEngine({
      clock,
      spares: SPARES,
      ...(isolation === undefined ? {} : { isolation }),
      ...(network === undefined ? {} : { network }),
      ...(dir === undefined ? {} : { dir }),
    });
    undo.push(() => engine.close());

    const faults = new Faults(options.faults);
    const domains = options.domain === undefined ? [] : [hostname(options.domain)];
    const guard = new Guard([host, ...domains, ...(options.allowedHosts ?? [])]);
    const secret = randomBytes(20).toString('hex');
    const control: Control = {
      faults,
      routes,
      restart,
      advanceClock: (ms) => clock.advance(ms),
      status,
    };
    const listening = new Set<Listening>();
    const fronts: ProtocolFront[] = [];

    const open = async <F extends ProtocolFront>(
      name: FrontName,
      port: number,
      key: string,
      make: (context: FrontContext) => F,
    ): Promise<{ front: F; url: string; apiKey: string }> => {
      let url = '';
      const volumes = new VolumeFolders(await engine.folder(`volumes-${name}`));
      const serve = async (site: Site, at = 0): Promise<Listening> => {
        const server = await listen({ name, host, port: at, site, guard, faults, onError });
        listening.add(server);
        return {
          ...server,
          close() {
            listening.delete(server);
            return server.close();
          },
        };
      };
      const front = make({ engine, key, volumes, origin: () => url, listen: serve, onError });
      undo.push(() => front.close());
      const server = await serve(withAdmin(front, control, key), port);
      undo.push(() => server.close());
      url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
      fronts.push(front);
      return { front, url, apiKey: key };
    };
    const { flavor = 'cube', cubeVersion, domain } = options;
    const e2b = await open('e2b', options.e2bPort ?? 0, options.key ?? `e2b_${secret}`, (context) =>
      createE2bFront(context, {
        ...(flavor === 'e2b' || cubeVersion === undefined ? { flavor } : { flavor, cubeVersion }),
        ...(domain === undefined ? {} : { domain }),
      }),
    );
    const daytona = await open(
      'daytona',
      options.daytonaPort ?? 0,
      options.key ?? `dtn_${secret}`,
      (context) => createDaytonaFront(context),
    );
    checkRoutes(options.faults ?? {}, routes());
    for (const event of options.faults?.events ?? []) {
      const timer = setTimeout(() => {
        if ('restart' in event) restart().catch(onError);
        else clock.advance(event.advanceClockMs);
      }, event.afterMs);
      timer.unref();
      undo.push(() => clearTimeout(timer));
    }

    async function restart(except?: Duplex): Promise<void> {
      await Promise.all(fronts.map((front) => front.restart()));
      for (const server of listening) server.dropConnections(except);
    }
    function routes(): readonly string[] {
      return fronts.flatMap((front) => front.routes);
    }
    function status(): unknown {
      const now = new Date(clock.now()).toISOString();
      return { isolation: engine.isolation, now, routes: routes() };
    }
    const { preset, defaultTemplate: templateId } = e2b.front;
    const api = `${daytona.url}/api`;
    return {
      e2b: {
        url: e2b.url,
        apiKey: e2b.apiKey,
        preset,
        templateId,
        env: e2bEnvironment({ url: e2b.url, apiKey: e2b.apiKey, templateId, flavor }),
      },
      daytona: {
        url: api,
        apiKey: daytona.apiKey,
        env: daytonaEnvironment({ url: api, apiKey: daytona.apiKey }),
      },
      isolation: engine.isolation,
      faults,
      advanceClock: control.advanceClock,
      restart: () => restart(),
      close,
    };
  } catch (error) {
    await close().catch(onError);
    throw error;
  }
}
