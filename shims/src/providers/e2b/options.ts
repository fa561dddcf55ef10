import type { ConnectionOpts } from 'e2b';
import type { E2BSdk } from './sdk.ts';
import type { E2BSettings } from './settings.ts';

/** Options of the class: settings, and what no file can hold. */
export interface E2BProviderOptions extends E2BSettings {
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
