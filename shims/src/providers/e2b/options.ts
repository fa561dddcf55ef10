import type { ConnectionOpts } from 'e2b';
import type { E2BSdk } from './sdk.ts';

/** How E2B, or what speaks its protocol, is reached. What is left out comes from the SDK's variables. */
export interface E2BProviderOptions {
  /** First part of the ids of its sandboxes. Defaults to `e2b`. */
  name?: string;
  /** Defaults to `E2B_API_KEY`. */
  apiKey?: string;
  /** Defaults to `E2B_API_URL`, then to that of the domain. */
  apiUrl?: string;
  /** Defaults to `E2B_DOMAIN`, then to `e2b.app`. */
  domain?: string;
  /** One address for all commands and files, instead of one for each sandbox. Defaults to `E2B_SANDBOX_URL`. */
  sandboxUrl?: string;
  /** What sandboxes start from when `create` does not say. Defaults to `base`. */
  template?: string;
  /** How long an answer of the control plane may take. Defaults to 60 seconds. */
  requestTimeoutMs?: number;
  /** The module `e2b`, for programs that are bundled. Defaults to the installed one, loaded when needed. */
  sdk?: E2BSdk;
}

/** Options with their defaults. */
export interface Connection {
  readonly provider: string;
  readonly apiKey: string;
  readonly apiUrl: string;
  readonly domain: string;
  readonly sandboxUrl: string | undefined;
  readonly template: string;
  readonly requestTimeoutMs: number;
}

export function connectionOf(
  options: E2BProviderOptions,
  env: NodeJS.ProcessEnv = process.env,
): Connection {
  const domain = options.domain ?? env.E2B_DOMAIN ?? 'e2b.app';
  const apiUrl = options.apiUrl ?? env.E2B_API_URL ?? `https://api.${domain}`;
  return {
    provider: options.name ?? 'e2b',
    apiKey: options.apiKey ?? env.E2B_API_KEY ?? '',
    apiUrl: apiUrl.replace(/\/+$/, ''),
    domain,
    sandboxUrl: options.sandboxUrl ?? env.E2B_SANDBOX_URL,
    template: options.template ?? 'base',
    requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
  };
}

/** What the SDK is told with every call. */
export function sdkOptions(connection: Connection, signal?: AbortSignal): ConnectionOpts {
  const { apiKey, apiUrl, domain, sandboxUrl, requestTimeoutMs } = connection;
  return {
    apiKey,
    apiUrl,
    domain,
    requestTimeoutMs,
    // Servers of other makers have keys of other forms.
    validateApiKey: false,
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
    ...(signal === undefined ? {} : { signal }),
  };
}
