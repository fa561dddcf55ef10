import type { Capabilities } from '../../provider/capabilities.ts';
import type { CallOptions } from '../../provider/create.ts';
import type { CreateVolumeOptions } from '../../provider/services.ts';
import type { ControlPlane } from '../e2b/control.ts';
import { E2BProvider } from '../e2b/provider.ts';
import type { E2BSdk } from '../e2b/sdk.ts';
import { E2BVolumes } from '../e2b/services.ts';
import { Rest } from '../http/rest.ts';
import { cubeCapabilities } from './capabilities.ts';
import { CubeControl } from './control.ts';
import { Gateway } from './gateway.ts';
import { type CubeConnection, type CubeProviderOptions, cubeConnectionOf } from './options.ts';
import { type CubeServer, probe } from './server.ts';
import { CubeTemplates } from './templates.ts';

/**
 * Sandboxes on a CubeSandbox of one's own, 0.5.1 to 0.7, through the package `e2b` of any version from
 * 2.26. It needs neither a wildcard name nor a certificate: see {@link Gateway}. What the server can do
 * is found out once, with the first call.
 *
 * @example
 * const provider = new CubeProvider({ apiUrl: 'http://10.0.0.5:3000', template: 'my-agent' });
 */
export class CubeProvider extends E2BProvider {
  override readonly volumes: CubeVolumes;
  override readonly templates: CubeTemplates;
  readonly #cube: CubeConnection;
  #server: Promise<CubeServer> | undefined;
  #gateway: Gateway | undefined;

  constructor(options: CubeProviderOptions = {}) {
    const connection = cubeConnectionOf(options);
    super(options, connection);
    this.#cube = connection;
    const control = (): Promise<ControlPlane> => this.control();
    this.volumes = new CubeVolumes(async () => {
      const { volumes } = await this.capabilities();
      if (volumes.support !== 'unsupported') return control();
      throw this.unsupported('volumes', volumes.note ?? '');
    });
    this.templates = new CubeTemplates(control);
  }

  override async capabilities(options: CallOptions = {}): Promise<Capabilities> {
    return cubeCapabilities(await this.server(options));
  }

  /** What the server was found to be. */
  server({ signal }: CallOptions = {}): Promise<CubeServer> {
    this.#server ??= this.#probe().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    signal?.throwIfAborted();
    return this.#server;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#gateway?.close();
    this.#gateway = undefined;
  }

  protected override async makeControl(sdk: E2BSdk): Promise<ControlPlane> {
    const server = await this.server();
    const { apiUrl, proxyUrl } = this.#cube;
    const gateway = new Gateway({ apiUrl, proxyUrl, hasV2Create: server.hasV2Create });
    await gateway.open();
    gateway.unref();
    this.#gateway = gateway;
    return new CubeControl(sdk, this.#cube, server, gateway, (...call) => this.create(...call));
  }

  #probe(): Promise<CubeServer> {
    const { provider, apiUrl, apiKey, requestTimeoutMs } = this.#cube;
    const headers = { 'x-api-key': apiKey };
    const rest = new Rest({ provider, baseUrl: apiUrl, headers, timeoutMs: requestTimeoutMs });
    return probe(rest, provider, apiUrl, {});
  }
}

class CubeVolumes extends E2BVolumes {
  protected override bodyOf({ driver }: CreateVolumeOptions): Record<string, unknown> {
    return driver === undefined ? {} : { driver };
  }
}
