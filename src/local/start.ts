import { randomBytes } from 'node:crypto';
import { createDaytonaFront } from './daytona/index.ts';
import {
  type CubeVersion,
  createE2bFront,
  type E2bFront,
  type E2bFrontOptions,
} from './e2b/index.ts';
import { JumpClock, type MovableClock } from './engine/clock.ts';
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts';
import { EngineError } from './engine/errors.ts';
import type { IsolationReport } from './engine/isolation/types.ts';
import { daytonaEnvironment, e2bEnvironment } from './environment.ts';
import { type FaultPlan, Faults } from './faults/faults.ts';
import { checkRoutes } from './faults/plan.ts';
import { Fronts } from './fronts.ts';
import { Guard, hostname } from './http/guard.ts';
import { Undo } from './undo.ts';

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
  const onError = options.onError ?? (() => undefined);
  const undo = new Undo();
  try {
    return await start({ ...options, onError }, undo);
  } catch (error) {
    await undo.run().catch(onError);
    throw error;
  }
}

async function start(
  options: LocalOptions & { onError: (error: unknown) => void },
  undo: Undo,
): Promise<LocalServer> {
  const { host = '127.0.0.1', clock = new JumpClock(), onError } = options;
  const engine = await openEngine(options, clock);
  undo.add(() => engine.close());

  const faults = new Faults(options.faults);
  const guard = guardOf(host, options);
  const fronts = new Fronts({ engine, clock, faults, host, guard, onError }, undo);
  const secret = randomBytes(20).toString('hex');
  const e2b = await fronts.open({
    name: 'e2b',
    port: options.e2bPort ?? 0,
    key: options.key ?? `e2b_${secret}`,
    make: (context) => createE2bFront(context, e2bOptions(options)),
  });
  const daytona = await fronts.open({
    name: 'daytona',
    port: options.daytonaPort ?? 0,
    key: options.key ?? `dtn_${secret}`,
    make: (context) => createDaytonaFront(context),
  });
  const { preset, defaultTemplate: templateId } = e2b.front;
  fronts.facts = { e2b: { preset, templateId } };
  checkRoutes(options.faults ?? {}, fronts.routes());
  fronts.schedule(options.faults?.events ?? []);

  return {
    e2b: e2bEndpoint(e2b),
    daytona: daytonaEndpoint(daytona),
    isolation: engine.isolation,
    faults,
    advanceClock: (ms) => fronts.advanceClock(ms),
    restart: () => fronts.restart(),
    close: () => undo.run(),
  };
}

function openEngine(
  { isolation, network, dir }: LocalOptions,
  clock: MovableClock,
): Promise<Engine> {
  return createEngine({
    clock,
    spares: SPARES,
    ...(isolation === undefined ? {} : { isolation }),
    ...(network === undefined ? {} : { network }),
    ...(dir === undefined ? {} : { dir }),
  });
}

/** Lets in who asks for a name that is this server's. */
function guardOf(host: string, { domain, allowedHosts = [] }: LocalOptions): Guard {
  const domains = domain === undefined ? [] : [hostname(domain)];
  return new Guard([host, ...domains, ...allowedHosts]);
}

function e2bOptions({ flavor = 'cube', cubeVersion, domain }: LocalOptions): E2bFrontOptions {
  return {
    ...(flavor === 'e2b' || cubeVersion === undefined ? { flavor } : { flavor, cubeVersion }),
    ...(domain === undefined ? {} : { domain }),
  };
}

/** How clients reach a front that listens. */
interface Reached {
  url: string;
  apiKey: string;
}

function e2bEndpoint({ front, url, apiKey }: Reached & { front: E2bFront }): LocalServer['e2b'] {
  const { flavor, preset, defaultTemplate: templateId } = front;
  return {
    url,
    apiKey,
    preset,
    templateId,
    env: e2bEnvironment({ url, apiKey, templateId, flavor }),
  };
}

function daytonaEndpoint({ url: origin, apiKey }: Reached): LocalEndpoint {
  const url = `${origin}/api`;
  return { url, apiKey, env: daytonaEnvironment({ url, apiKey }) };
}
