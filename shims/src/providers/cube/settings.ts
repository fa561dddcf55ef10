import type { E2BSettings } from '../e2b/settings.ts';

/** How a CubeSandbox is reached. What is left out comes from the variables of its own SDKs and of E2B's. */
export interface CubeSettings extends Omit<E2BSettings, 'domain' | 'sandboxUrl'> {
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
