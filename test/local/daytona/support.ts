import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daytona } from '@daytonaio/sdk';
import { afterAll, beforeAll, describe } from 'vitest';
import { createDaytonaFront } from '../../../src/local/daytona/index.ts';
import type { Lookup } from '../../../src/local/daytona/names.ts';
import { type Clock, systemClock } from '../../../src/local/engine/clock.ts';
import { createEngine, type Engine } from '../../../src/local/engine/engine.ts';
import type { ProtocolFront } from '../../../src/local/front.ts';
import { type Listening, listen, type Site } from '../../../src/local/http/server.ts';
import { VolumeFolders } from '../../../src/local/volumes.ts';

/** For what starts kernels or builds images on a busy machine. */
export const PATIENCE = 60_000;

export const KEY = 'key-of-the-tests';

/** A front that listens, with what tests need of it. */
export interface Server {
  readonly engine: Engine;
  readonly front: ProtocolFront;
  readonly listening: Listening;
  readonly origin: string;
  readonly apiUrl: string;
  /** What went wrong with nobody to tell; tests expect none. */
  readonly failures: unknown[];
  client(): Daytona;
  /** A request of the control plane, past the SDK. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  close(): Promise<void>;
}

interface ServerOptions {
  clock?: Clock;
  isolation?: 'namespaces' | 'directory';
  /** Unless given, the machine leads all names below localhost here. */
  lookup?: Lookup;
}

async function startServer({
  clock = systemClock,
  isolation = 'namespaces',
  lookup = async () => ['127.0.0.1'],
}: ServerOptions): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'daytona-test-'));
  const engine = await createEngine({ dir: join(dir, 'engine'), isolation, clock });
  let origin = '';
  const failures: unknown[] = [];
  const onError = (error: unknown): void => {
    failures.push(error);
  };
  const volumes = new VolumeFolders(join(dir, 'volumes'));
  const serve = (site: Site): Promise<Listening> =>
    listen({ host: '127.0.0.1', port: 0, site, onError });
  const context = { engine, key: KEY, volumes, origin: () => origin, listen: serve, onError };
  const front = createDaytonaFront(context, { lookup });
  const listening = await serve(front);
  origin = `http://127.0.0.1:${listening.port}`;
  const apiUrl = `${origin}/api`;
  return {
    engine,
    front,
    listening,
    origin,
    apiUrl,
    failures,
    // Everything is given, so that no variable or file of the machine has a say.
    client: () => new Daytona({ apiKey: KEY, apiUrl, target: 'us' }),
    call: (method, path, body, headers = {}) =>
      fetch(`${apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async close() {
      await listening.close();
      await front.close();
      await engine.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Why the tests of this folder cannot run here, if so. */
async function obstacle(): Promise<string | undefined> {
  const dir = mkdtempSync(join(tmpdir(), 'daytona-test-'));
  try {
    const engine = await createEngine({ dir, isolation: 'namespaces' });
    await engine.close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const why = await obstacle();

/** Tests that share one server; skipped, with the reason, where sandboxes cannot be kept apart. */
export function withServer(
  title: string,
  tests: (server: () => Server) => void,
  options: ServerOptions = {},
): void {
  const isSkipped = why !== undefined && options.isolation !== 'directory';
  describe.skipIf(isSkipped)(isSkipped ? `${title} (skipped: ${why})` : title, () => {
    let server: Server | undefined;
    // The SDK would listen to these before its arguments in part.
    const variables = Object.keys(process.env).filter((key) => key.startsWith('DAYTONA_'));
    const kept = variables.map((key) => [key, process.env[key]] as const);

    beforeAll(async () => {
      for (const key of variables) delete process.env[key];
      server = await startServer(options);
    }, PATIENCE);

    afterAll(async () => {
      await server?.close();
      for (const [key, value] of kept) process.env[key] = value;
    }, PATIENCE);

    tests(() => {
      if (server === undefined) throw new Error('the server was not started');
      return server;
    });
  });
}

/** The error that something fails with. */
export async function failureOf<T extends Error = Error>(work: Promise<unknown>): Promise<T> {
  try {
    await work;
  } catch (error) {
    return error as T;
  }
  throw new Error('it did not fail');
}
