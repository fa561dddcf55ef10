import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createE2bFront,
  type E2bFront,
  type E2bFrontOptions,
} from '../../../src/local/e2b/index.ts';
import { ManualClock } from '../../../src/local/engine/clock.ts';
import { createEngine } from '../../../src/local/engine/engine.ts';
import { listen } from '../../../src/local/http/server.ts';
import { VolumeFolders } from '../../../src/local/volumes.ts';

/** For hooks and for tests that run real programs. */
export const PATIENCE = 60_000;

export const KEY = 'e2b_0000';

/** A front over an engine of its own, reached by HTTP. */
export interface Served {
  readonly url: string;
  readonly port: number;
  readonly front: E2bFront;
  readonly clock: ManualClock;
  /** What clients are told in order to reach it. */
  readonly connection: { apiKey: string; apiUrl: string; sandboxUrl: string };
  /** Failures that no client was told. */
  readonly failures: unknown[];
  close(): Promise<void>;
}

/** Why this machine cannot run these tests; undefined when it can. */
export async function reasonToSkip(): Promise<string | undefined> {
  const dir = folder();
  try {
    const engine = await createEngine({ dir });
    await engine.close();
    return engine.isolation.mode === 'namespaces' ? undefined : engine.isolation.reason;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Time stands still in it unless a test advances the clock. */
export async function serve(options: E2bFrontOptions): Promise<Served> {
  const dir = folder();
  const clock = new ManualClock(Date.now());
  const engine = await createEngine({ dir, isolation: 'namespaces', clock });
  const failures: unknown[] = [];
  const onError = (error: unknown): void => void failures.push(error);
  let url = '';
  const context = {
    engine,
    key: KEY,
    volumes: new VolumeFolders(join(dir, 'volumes')),
    origin: () => url,
    onError,
  };
  const front = createE2bFront(context, options);
  const server = await listen({ host: '127.0.0.1', port: 0, site: front, onError });
  url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    port: server.port,
    front,
    clock,
    connection: { apiKey: KEY, apiUrl: url, sandboxUrl: url },
    failures,
    async close() {
      await server.close();
      await front.close();
      await engine.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'cubeshift-e2b-test-'));
}

/** A request with the key. */
export function api(
  { url }: Served,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The JSON of an answer that has to be of this status. */
export async function answer<T>(response: Promise<Response>, status: number): Promise<T> {
  const given = await response;
  const text = await given.text();
  if (given.status !== status) throw new Error(`${given.status} instead of ${status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Waits for a state of the world; the test's own timeout is the limit. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await delay(10);
  }
}

/** The error an operation fails with. */
export async function failure(
  operation: Promise<unknown>,
): Promise<Error & { statusCode?: number }> {
  const outcome = await operation.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error('it did not fail');
}
