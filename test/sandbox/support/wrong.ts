import { createProvider, isSandboxError, type SandboxProvider } from '@cubeshift/sandbox';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { CubeProvider } from '../../../shims/src/providers/cube/index.ts';
import { DaytonaProvider } from '../../../shims/src/providers/daytona/index.ts';
import { E2BProvider } from '../../../shims/src/providers/e2b/index.ts';
import { type LocalServer, startLocal } from '../../../src/local/index.ts';
import type { Front } from './secure.ts';

export let e2b: LocalServer;
export let cube: LocalServer;

/** Starts the servers of all backends for the tests of a file. */
export function useServers(): void {
  beforeAll(async () => {
    [e2b, cube] = await Promise.all([
      startLocal({ flavor: 'e2b' }),
      startLocal({ cubeVersion: '0.6.0' }),
    ]);
  });
  afterAll(() => Promise.all([e2b.close(), cube.close()]));
}

export type Backend = 'e2b' | 'cube' | 'daytona';
export const BACKENDS: readonly Backend[] = ['e2b', 'cube', 'daytona'];
export const WRONG_KEY = 'e2b_00000000000000000000';

/** What is wrong, other than that all is well. */
export interface Wrong {
  apiUrl?: string;
  /** Where calls to sandboxes go. Daytona's control plane tells it. */
  dataUrl?: string;
  apiKey?: string;
}

/** Options that only data can be in, as in a file. */
export function optionsOf(backend: Backend, { apiUrl, dataUrl, apiKey }: Wrong = {}) {
  if (backend === 'daytona') {
    const { daytona } = e2b;
    return { apiUrl: apiUrl ?? daytona.url, apiKey: apiKey ?? daytona.apiKey };
  }
  const server = (backend === 'e2b' ? e2b : cube).e2b;
  return {
    apiUrl: apiUrl ?? server.url,
    apiKey: apiKey ?? server.apiKey,
    template: server.templateId,
    [backend === 'e2b' ? 'sandboxUrl' : 'proxyUrl']: dataUrl ?? server.url,
  };
}

export function make(backend: Backend, wrong?: Wrong): SandboxProvider {
  const options = optionsOf(backend, wrong);
  if (backend === 'daytona') return new DaytonaProvider(options);
  return backend === 'e2b' ? new E2BProvider(options) : new CubeProvider(options);
}

export const WAYS: readonly (readonly [string, Backend, typeof make])[] = BACKENDS.flatMap(
  (backend) => [
    [backend, backend, make],
    [
      `${backend}, through createProvider()`,
      backend,
      (provider, wrong) => createProvider({ provider, ...optionsOf(provider, wrong) }),
    ],
  ],
);

export function addressOf(backend: Backend): string {
  if (backend === 'daytona') return e2b.daytona.url;
  return (backend === 'e2b' ? e2b : cube).e2b.url;
}

/** An address of a front before a server, as its clients write it. */
export function through({ host }: Front, backend: Backend, scheme = 'https'): string {
  return `${scheme}://${host}${backend === 'daytona' ? '/api' : ''}`;
}

/** Closes it after the test. */
export async function used(front: Promise<Front>): Promise<Front> {
  const opened = await front;
  onTestFinished(() => opened.close());
  return opened;
}

export async function problem(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isSandboxError(error)) throw new Error(`Not an error of ours: ${error}`);
  // Whatever else it tells, and whatever it was caused by.
  const keys = [e2b.e2b.apiKey, e2b.daytona.apiKey, cube.e2b.apiKey, WRONG_KEY];
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    for (const key of keys) expect(one.message).not.toContain(key);
  }
  return { code: error.code, retryable: error.retryable, message: error.message };
}

/** Words that a message has to have, in this order. */
export function telling(...words: readonly string[]): unknown {
  const parts = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return expect.stringMatching(new RegExp(parts.join('.*'), 's'));
}
