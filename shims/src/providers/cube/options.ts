import { SandboxError } from '../../provider/errors.ts';
import { type Connection, connectionOf, type E2BProviderOptions } from '../e2b/options.ts';
import { withoutSecrets } from '../http/status.ts';
import type { CubeSettings } from './settings.ts';

/** Options of the class: settings, and what no file can hold. */
export interface CubeProviderOptions extends CubeSettings, Pick<E2BProviderOptions, 'sdk'> {}

/** Options with their defaults. */
export interface CubeConnection extends Connection {
  /** Without a slash at the end. */
  readonly proxyUrl: string;
  readonly pauseWithVolumes: boolean;
}

/** Any key passes a server without authentication; this form also passes every version of the SDK. */
export const ANY_KEY = 'e2b_000000';

export function cubeConnectionOf(
  options: CubeProviderOptions,
  env: NodeJS.ProcessEnv = process.env,
): CubeConnection {
  const apiUrl = options.apiUrl ?? env.CUBE_API_URL ?? env.E2B_API_URL ?? 'http://127.0.0.1:3000';
  const base = connectionOf(
    {
      ...options,
      name: options.name ?? 'cube',
      apiUrl,
      apiKey: options.apiKey || env.CUBE_API_KEY || env.E2B_API_KEY || ANY_KEY,
      domain: 'cube.app',
      // The E2B default is a name that servers have only by chance.
      template: options.template ?? env.CUBE_TEMPLATE_ID ?? '',
    },
    {},
  );
  return {
    ...base,
    sandboxUrl: undefined,
    proxyUrl: (options.proxyUrl ?? proxyOf(base, env)).replace(/\/+$/, ''),
    pauseWithVolumes: options.pauseWithVolumes ?? false,
  };
}

function proxyOf({ provider, apiUrl }: Connection, env: NodeJS.ProcessEnv): string {
  if (!URL.canParse(apiUrl)) {
    const told = `"${withoutSecrets(apiUrl)}" is no address for the provider "${provider}"`;
    const fix = 'write it as http://host:port or https://host';
    throw new SandboxError('configuration', `${told}: ${fix}`, { provider });
  }
  const host = env.CUBE_PROXY_NODE_IP ?? new URL(apiUrl).hostname;
  const scheme = env.CUBE_PROXY_SCHEME ?? 'http';
  const port = env.CUBE_PROXY_PORT_HTTP ?? (scheme === 'https' ? '443' : '80');
  return `${scheme}://${host}:${port}`;
}
