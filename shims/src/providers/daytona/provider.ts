import type { Capabilities } from '../../provider/capabilities.ts';
import type { CallOptions, WaitOptions } from '../../provider/create.ts';
import type { ListQuery } from '../../provider/info.ts';
import { type CreateSpec, SandboxProvider } from '../../provider/provider.ts';
import { parseVersion } from '../sdk-version.ts';
import { DaytonaClient } from './client.ts';
import type { DaytonaProviderOptions } from './options.ts';
import type { DaytonaSandbox } from './sandbox.ts';
import { type LoadedSdk, loadSdk, NEW } from './sdk.ts';
import { DaytonaSnapshots, DaytonaTemplates, DaytonaVolumes } from './services.ts';

/**
 * Sandboxes on Daytona, through the SDK that the program has installed: `@daytona/sdk` or
 * `@daytonaio/sdk`, 0.150 or newer.
 *
 * @example
 * const provider = new DaytonaProvider({ template: 'daytona-small' });
 */
export class DaytonaProvider extends SandboxProvider {
  readonly volumes: DaytonaVolumes;
  readonly snapshots: DaytonaSnapshots;
  readonly templates: DaytonaTemplates;
  readonly #options: DaytonaProviderOptions;
  #client: Promise<DaytonaClient> | undefined;

  constructor(options: DaytonaProviderOptions = {}) {
    super(options.name ?? 'daytona');
    this.#options = options;
    const client = (): Promise<DaytonaClient> => this.#open();
    this.volumes = new DaytonaVolumes(client);
    this.snapshots = new DaytonaSnapshots(client, (...call) => this.create(...call));
    this.templates = new DaytonaTemplates(client);
  }

  async capabilities(_options?: CallOptions): Promise<Capabilities> {
    return (await this.#open()).capabilities;
  }

  override async close(): Promise<void> {
    await super.close();
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.close();
  }

  protected async createSandbox(
    spec: CreateSpec,
    { signal }: CallOptions,
  ): Promise<DaytonaSandbox> {
    return (await this.#open()).create(spec, signal);
  }

  protected async findSandbox(
    nativeId: string,
    { signal }: CallOptions,
  ): Promise<DaytonaSandbox | undefined> {
    return (await this.#open()).find(nativeId, signal);
  }

  protected async *listSandboxes(
    query: ListQuery,
    { signal }: CallOptions,
  ): AsyncIterable<DaytonaSandbox> {
    yield* (await this.#open()).list(query, signal);
  }

  protected async deleteSandbox(nativeId: string, options: WaitOptions): Promise<void> {
    await (await this.#open()).delete(nativeId, options);
  }

  /** Loads the SDK when it is first needed. */
  #open(): Promise<DaytonaClient> {
    this.#client ??= this.#load().then(
      (loaded) => new DaytonaClient(this.name, loaded, this.#options),
    );
    this.#client.catch(() => {
      this.#client = undefined;
    });
    return this.#client;
  }

  async #load(): Promise<LoadedSdk> {
    const { sdk, sdkVersion } = this.#options;
    if (sdk === undefined) return loadSdk(this.name);
    return { sdk, version: sdkVersion === undefined ? NEW : parseVersion(sdkVersion) };
  }
}
