import { randomUUID } from 'node:crypto';
import type { SandboxProvider } from '@cubeshift/sandbox';
import { CubeProvider } from '@cubeshift/sandbox/cube';
import { DaytonaProvider } from '@cubeshift/sandbox/daytona';
import { E2BProvider } from '@cubeshift/sandbox/e2b';
import { Daytona } from '@daytonaio/sdk';
import { Sandbox, type SandboxOpts } from 'e2b';
import type { RunningServer } from '../local/server.ts';

/** What is measured of a sandbox, besides its creation. */
export interface Box {
  exec(command: string): Promise<unknown>;
  read(path: string): Promise<unknown>;
  write(path: string, text: string): Promise<unknown>;
  delete(): Promise<unknown>;
}

/** Creates a sandbox. */
export type Create = () => Promise<Box>;

/** One backend, through its SDK alone and through the provider. */
export interface Pair {
  readonly name: string;
  readonly sdk: Create;
  readonly provider: Create;
  /** How many requests the server has seen so far, of this protocol. */
  requests(): Promise<number>;
  close(): Promise<void>;
}

/** The provider's default. */
const WINDOW_MS = 15 * 60_000;

export function e2bPair(server: RunningServer): Pair {
  const { url: apiUrl, apiKey, templateId: template } = server.e2b;
  const provider = new E2BProvider({ apiUrl, sandboxUrl: apiUrl, apiKey, template });
  return {
    name: 'E2B',
    sdk: rawE2b(server, {
      lifecycle: { onTimeout: 'pause' },
      network: { allowPublicTraffic: false },
    }),
    provider: through(provider),
    requests: () => requests(server, 'e2b'),
    close: () => provider.close(),
  };
}

export function cubePair(server: RunningServer): Pair {
  const { url: apiUrl, apiKey, templateId: template } = server.e2b;
  const provider = new CubeProvider({ apiUrl, proxyUrl: apiUrl, apiKey, template });
  return {
    name: 'Cube 0.7.2',
    // Only of the local server: a CubeSandbox leads by names and paths, not by the SDK's headers.
    sdk: rawE2b(server, {
      lifecycle: { onTimeout: 'pause' },
      network: { allowPublicTraffic: true },
    }),
    provider: through(provider),
    requests: () => requests(server, 'e2b'),
    close: () => provider.close(),
  };
}

export function daytonaPair(server: RunningServer): Pair {
  const { url: apiUrl, apiKey } = server.daytona;
  const client = new Daytona({ apiUrl, apiKey });
  const provider = new DaytonaProvider({ apiUrl, apiKey });
  return {
    name: 'Daytona',
    async sdk() {
      const sandbox = await client.create({
        // Like that of the provider, which no other may have.
        name: `benchmark-${randomUUID()}`,
        labels: LABELS,
        autoStopInterval: WINDOW_MS / 60_000,
        public: false,
      });
      return {
        exec: (command) => sandbox.process.executeCommand(command),
        read: (path) => sandbox.fs.downloadFile(path),
        write: (path, text) => sandbox.fs.uploadFile(Buffer.from(text), path),
        delete: () => sandbox.delete(),
      };
    },
    provider: through(provider),
    requests: () => requests(server, 'daytona'),
    async close() {
      await provider.close();
      await client[Symbol.asyncDispose]();
    },
  };
}

/** As many as the provider adds, of the same length. */
const LABELS = { 'cubeshift-token': '00000000-0000-0000-0000-000000000000' };

/** The SDK of E2B with the options that the provider gives it. */
function rawE2b({ e2b: { url, apiKey, templateId } }: RunningServer, more: SandboxOpts): Create {
  const metadata = { ...LABELS, 'cubeshift-idle-ms': `${WINDOW_MS}`, 'cubeshift-on-idle': 'pause' };
  const at = { apiUrl: url, sandboxUrl: url, apiKey };
  return async () => {
    const sandbox = await Sandbox.create(templateId, {
      ...at,
      ...more,
      metadata,
      timeoutMs: WINDOW_MS,
      allowInternetAccess: true,
    });
    return {
      exec: (command) => sandbox.commands.run(command),
      read: (path) => sandbox.files.read(path, { format: 'bytes' }),
      write: (path, text) => sandbox.files.write(path, text),
      delete: () => sandbox.kill(),
    };
  };
}

function through(provider: SandboxProvider): Create {
  return async () => {
    const sandbox = await provider.create();
    return {
      exec: (command) => sandbox.exec(command),
      read: (path) => sandbox.files.read(path),
      write: (path, text) => sandbox.files.write(path, text),
      delete: () => sandbox.delete(),
    };
  };
}

type Front = 'e2b' | 'daytona';

/** Makes a server count. Rules without anything that goes wrong do nothing else. */
export async function countRequests(server: RunningServer): Promise<void> {
  const rules: { front: Front }[] = [{ front: 'e2b' }, { front: 'daytona' }];
  await faults(server, 'e2b', { method: 'PUT', body: JSON.stringify({ rules }) });
}

async function requests(server: RunningServer, front: Front): Promise<number> {
  // Asked of the other protocol, so that asking is not counted.
  const { rules } = await faults(server, front === 'e2b' ? 'daytona' : 'e2b');
  return rules.find(({ rule }) => rule.front === front)?.matched ?? 0;
}

async function faults(
  server: RunningServer,
  front: Front,
  init: RequestInit = {},
): Promise<{ rules: { rule: { front?: Front }; matched: number }[] }> {
  const { url, apiKey } = server[front];
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const response = await fetch(new URL('/_cubeshift/faults', url), { ...init, headers });
  if (!response.ok) throw new Error(`the server's counters: ${await response.text()}`);
  return (await response.json()) as Awaited<ReturnType<typeof faults>>;
}
