import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import type { ConformanceOptions } from '@cubeshift/sandbox/conformance';

/** What the local server's sandboxes have, which are this machine's programs. */
export const SKIPS: Readonly<Record<string, string>> = {
  ...(Number(process.versions.node.split('.')[0]) >= 22
    ? {}
    : { 'runCode: typescript': 'programs in a sandbox are those of this machine: Node 20' }),
};

/** What Daytona does otherwise, and what it needs that a sandbox here may not have. */
export const DAYTONA_SKIPS: Readonly<Record<string, string>> = {
  'exec: letters that come in pieces': 'Daytona ends every last line of a command that is followed',
  ...(existsSync('/usr/bin/sudo')
    ? {}
    : { 'exec: another account': 'programs in a sandbox are those of this machine: no sudo' }),
};

/** Short waits: the server is on this machine. */
export const NEAR: Pick<ConformanceOptions, 'paceMs'> = { paceMs: 1_000 };

/**
 * Like `fetch`, but also for names below `localhost`, which lead to this machine everywhere but in the
 * resolvers that Node asks.
 */
export const fetchHere: typeof fetch = (input, init = {}) => {
  const url = new URL(String(input));
  const headers = Object.fromEntries(new Headers(init.headers));
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: url.port,
        path: `${url.pathname}${url.search}`,
        method: init.method ?? 'GET',
        headers: { ...headers, host: url.host },
        ...(init.signal ? { signal: init.signal } : {}),
      },
      (answer) => {
        const body = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
        const { statusCode: status = 500 } = answer;
        const given = Object.entries(answer.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] as [string, string]],
        );
        const hasBody = ![101, 204, 304].includes(status);
        resolve(new Response(hasBody ? body : null, { status, headers: given }));
      },
    );
    asked.on('error', reject);
    asked.end(init.body ?? undefined);
  });
};
