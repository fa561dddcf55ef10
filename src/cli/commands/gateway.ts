import { isSandboxError } from '../../../shims/src/provider/errors.ts';
import { Gateway } from '../../../shims/src/providers/cube/gateway.ts';
import {
  ANY_KEY,
  type CubeConnection,
  cubeConnectionOf,
} from '../../../shims/src/providers/cube/options.ts';
import { type CubeServer, probe } from '../../../shims/src/providers/cube/server.ts';
import { Rest } from '../../../shims/src/providers/http/rest.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { writeStderr, writeStdout } from '../output.ts';
import { asExports, cannotListen, runCommand, StopSignal } from '../serve.ts';

export interface GatewayFlags {
  apiUrl?: string;
  proxyUrl?: string;
  port: number;
  json?: boolean;
  quiet?: boolean;
  debug?: boolean;
}

/** The word in the address, so that a restart does not change it. An argument would show in `ps`. */
const SECRET_VARIABLE = 'CUBESHIFT_GATEWAY_SECRET';
/** Keys that every version of E2B's SDKs sends. */
const PLAIN_KEY = /^e2b_[0-9a-f]+$/;
const PROBE_TIMEOUT_MS = 10_000;

/**
 * Runs `cubeshift gateway`: until a signal, or around a command, whose exit code becomes its own.
 * @throws {UsageError}
 */
export async function runGateway(command: readonly string[], flags: GatewayFlags): Promise<number> {
  const connection = connectionFrom(flags);
  const secret = secretFrom(process.env);
  const stop = new StopSignal();
  try {
    const server = await lookAt(connection);
    const gateway = await open(connection, server, flags.port, secret);
    try {
      if (!flags.quiet) describe(connection, server);
      const env = variables(gateway, connection);
      if (command.length > 0) {
        return await runCommand(command, { ...env, E2B_API_KEY: connection.apiKey }, stop);
      }
      const key = keyFrom(process.env);
      await writeStdout(
        flags.json
          ? asJson(connection, { server, env: { ...env, ...anyKey(key) }, apiKeyFrom: key ?? null })
          : asExports({ ...env, ...anyKey(key), ...keyLine(key) }),
      );
      if (!flags.quiet) writeStderr('Ready. Ctrl-C stops it; sandboxes stay.');
      await stop.received;
      return EXIT.ok;
    } finally {
      await gateway.close();
    }
  } finally {
    stop.forget();
  }
}

function connectionFrom({ apiUrl, proxyUrl }: GatewayFlags): CubeConnection {
  for (const [what, url] of [
    ['--api-url', apiUrl],
    ['--proxy-url', proxyUrl],
    ['CUBE_API_URL', process.env.CUBE_API_URL],
    ['E2B_API_URL', process.env.E2B_API_URL],
  ] as const) {
    if (url === undefined || isWebAddress(url)) continue;
    throw new UsageError(`${what} takes an address such as http://10.0.0.5:3000, not "${url}".`);
  }
  return cubeConnectionOf({
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    requestTimeoutMs: PROBE_TIMEOUT_MS,
  });
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function secretFrom(env: NodeJS.ProcessEnv): string | undefined {
  const secret = env[SECRET_VARIABLE];
  if (secret === undefined || /^[\w-]{16,}$/.test(secret)) return secret;
  throw new UsageError(`${SECRET_VARIABLE} must be 16 or more letters, digits, "-" and "_".`);
}

/** Refuses what is no CubeSandbox before anything is started. */
async function lookAt({ apiUrl, apiKey, requestTimeoutMs }: CubeConnection): Promise<CubeServer> {
  const provider = 'CubeSandbox';
  const headers = { 'x-api-key': apiKey };
  const rest = new Rest({ provider, baseUrl: apiUrl, headers, timeoutMs: requestTimeoutMs });
  try {
    return await probe(rest, provider, apiUrl, {});
  } catch (error) {
    if (!isSandboxError(error)) throw error;
    const fix = error.code === 'unauthorized' ? ' Set CUBE_API_KEY to a key that it accepts.' : '';
    const message = error.message.replace(/[.]?$/, fix === '' ? '' : '.');
    throw new UsageError(`${message}${fix}`, { cause: error });
  }
}

async function open(
  { apiUrl, proxyUrl }: CubeConnection,
  { hasV2Create }: CubeServer,
  port: number,
  secret: string | undefined,
): Promise<Gateway> {
  const gateway = new Gateway({
    ...{ apiUrl, proxyUrl, hasV2Create, port },
    ...(secret === undefined ? {} : { secret }),
  });
  try {
    await gateway.open();
    return gateway;
  } catch (error) {
    throw cannotListen(error, '127.0.0.1', '--port') ?? error;
  }
}

/** What E2B's SDKs read, besides the key. */
function variables(gateway: Gateway, { apiKey }: CubeConnection): Record<string, string> {
  return {
    E2B_API_URL: gateway.apiUrl,
    E2B_SANDBOX_URL: gateway.sandboxUrl,
    // Some versions send no key of another form.
    ...(PLAIN_KEY.test(apiKey) ? {} : { E2B_VALIDATE_API_KEY: 'false' }),
  };
}

type KeyVariable = 'CUBE_API_KEY' | 'E2B_API_KEY';

/** The variable that the key is in. */
function keyFrom(env: NodeJS.ProcessEnv): KeyVariable | undefined {
  if (env.CUBE_API_KEY !== undefined) return 'CUBE_API_KEY';
  return env.E2B_API_KEY === undefined ? undefined : 'E2B_API_KEY';
}

/** Where the SDKs get their key from: never what it is. */
function keyLine(from: KeyVariable | undefined): Record<string, string> {
  return from === 'CUBE_API_KEY' ? { E2B_API_KEY: `"$${from}"` } : {};
}

/** The SDKs want a key, also for a server that asks for none. */
function anyKey(from: KeyVariable | undefined): Record<string, string> {
  return from === undefined ? { E2B_API_KEY: ANY_KEY } : {};
}

function describe({ apiUrl, proxyUrl }: CubeConnection, { atLeast }: CubeServer): void {
  writeStderr(`CubeSandbox ${atLeast} or newer at ${apiUrl}, sandboxes through ${proxyUrl}`);
  writeStderr('It has no template named "base": name one of its own in create().');
}

function asJson(
  { apiUrl, proxyUrl }: CubeConnection,
  more: { server: CubeServer; env: Record<string, string>; apiKeyFrom: KeyVariable | null },
): string {
  return `${JSON.stringify({ apiUrl, proxyUrl, ...more }, null, 2)}\n`;
}
