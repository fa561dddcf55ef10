import { type Connection, connectionOf, type E2BProviderOptions } from '../e2b/options.ts';

/** How a CubeSandbox is reached. What is left out comes from the variables of its own SDKs and of E2B's. */
export interface CubeProviderOptions extends Omit<E2BProviderOptions, 'domain' | 'sandboxUrl'> {
  /** Defaults to `CUBE_API_KEY`, then `E2B_API_KEY`; servers without authentication take any. */
  apiKey?: string;
  /** The control plane, port 3000 of its host. Defaults to `CUBE_API_URL`, then `E2B_API_URL`. */
  apiUrl?: string;
  /**
   * CubeProxy, which leads into sandboxes. Defaults to `CUBE_PROXY_SCHEME`, `CUBE_PROXY_NODE_IP` and
   * `CUBE_PROXY_PORT_HTTP`, then to port 80 of the control plane's host.
   */
  proxyUrl?: string;
  /** What sandboxes start from when `create` does not say. Defaults to `CUBE_TEMPLATE_ID`. */
  template?: string;
  /**
   * Says that a sandbox may be paused while it has a volume for writing. Before 0.7.0 that can lose what
   * other sandboxes write there meanwhile; before 0.6.0 it is refused in any case.
   */
  pauseWithVolumes?: boolean;
}

/** Options with their defaults. */
export interface CubeConnection extends Connection {
  /** Without a slash at the end. */
  readonly proxyUrl: string;
  readonly pauseWithVolumes: boolean;
}

/** Any key passes a server without authentication; this form also passes every version of the SDK. */
const ANY_KEY = 'e2b_000000';

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
      apiKey: options.apiKey ?? env.CUBE_API_KEY ?? env.E2B_API_KEY ?? ANY_KEY,
      domain: 'cube.app',
      // The E2B default is a name that servers have only by chance.
      template: options.template ?? env.CUBE_TEMPLATE_ID ?? '',
    },
    {},
  );
  return {
    ...base,
    sandboxUrl: undefined,
    proxyUrl: (options.proxyUrl ?? proxyOf(apiUrl, env)).replace(/\/+$/, ''),
    pauseWithVolumes: options.pauseWithVolumes ?? false,
  };
}

function proxyOf(apiUrl: string, env: NodeJS.ProcessEnv): string {
  const host = env.CUBE_PROXY_NODE_IP ?? new URL(apiUrl).hostname;
  const scheme = env.CUBE_PROXY_SCHEME ?? 'http';
  const port = env.CUBE_PROXY_PORT_HTTP ?? (scheme === 'https' ? '443' : '80');
  return `${scheme}://${host}:${port}`;
}
