import type { Capabilities } from '../../provider/capabilities.ts';
import type { CallOptions, WaitOptions } from '../../provider/create.ts';
import { SandboxError } from '../../provider/errors.ts';
import type { ListQuery } from '../../provider/info.ts';
import { type CreateSpec, SandboxProvider } from '../../provider/provider.ts';
import { E2B_CAPABILITIES, OLD_SDK_CAPABILITIES } from './capabilities.ts';
import { ControlPlane } from './control.ts';
import { nameLabel } from './marks.ts';
import { type Connection, connectionOf, type E2BProviderOptions } from './options.ts';
import type { E2BSandbox } from './sandbox.ts';
import { canFork, type E2BSdk, loadSdk } from './sdk.ts';
import { E2BSnapshots, E2BTemplates, E2BVolumes } from './services.ts';

/**
 * Sandboxes on E2B, through the package `e2b` that the program has installed, 2.26 to 2.51.
 *
 * @example
 * const provider = new E2BProvider({ template: 'my-agent' });
 * const sandbox = await provider.create();
 */
export class E2BProvider extends SandboxProvider {
  readonly volumes: E2BVolumes;
  readonly snapshots: E2BSnapshots;
  readonly templates: E2BTemplates;
  protected readonly connection: Connection;
  readonly #sdk: E2BSdk | undefined;
  #control: Promise<ControlPlane> | undefined;

  constructor(options: E2BProviderOptions = {}, connection: Connection = connectionOf(options)) {
    super(connection.provider);
    this.connection = connection;
    this.#sdk = options.sdk;
    const control = (): Promise<ControlPlane> => this.control();
    this.volumes = new E2BVolumes(control);
    this.snapshots = new E2BSnapshots(control, (...call) => this.create(...call));
    this.templates = new E2BTemplates(control);
  }

  async capabilities(_options?: CallOptions): Promise<Capabilities> {
    return canFork((await this.control()).sdk) ? E2B_CAPABILITIES : OLD_SDK_CAPABILITIES;
  }

  protected async createSandbox(spec: CreateSpec, { signal }: CallOptions): Promise<E2BSandbox> {
    const control = await this.control();
    if (spec.name !== undefined) await this.#checkName(spec.name, signal);
    return control.create(spec, signal);
  }

  protected async findSandbox(
    nativeId: string,
    { signal }: CallOptions,
  ): Promise<E2BSandbox | undefined> {
    const control = await this.control();
    const known = (await control.lookUp(nativeId, signal)) ?? (await this.#named(nativeId, signal));
    return known === undefined ? undefined : control.made(known);
  }

  protected async *listSandboxes(
    query: ListQuery,
    { signal }: CallOptions,
  ): AsyncIterable<E2BSandbox> {
    const control = await this.control();
    for await (const known of control.list(query, signal)) yield control.made(known);
  }

  protected async deleteSandbox(nativeId: string, { signal }: WaitOptions): Promise<void> {
    const control = await this.control();
    await control.delete(nativeId, signal);
  }

  /** Loads the SDK when it is first needed. */
  protected control(): Promise<ControlPlane> {
    this.#control ??= this.#open();
    return this.#control;
  }

  protected makeControl(sdk: E2BSdk): Promise<ControlPlane> {
    return Promise.resolve(new ControlPlane(sdk, this.connection));
  }

  async #open(): Promise<ControlPlane> {
    try {
      if (this.connection.apiKey === '') {
        const told = 'There is no API key: set E2B_API_KEY, or give apiKey to the provider';
        throw new SandboxError('configuration', told, { provider: this.name });
      }
      return await this.makeControl(this.#sdk ?? (await loadSdk(this.name)));
    } catch (error) {
      this.#control = undefined;
      throw error;
    }
  }

  async #named(name: string, signal: AbortSignal | undefined) {
    const control = await this.control();
    for await (const known of control.list({ labels: nameLabel(name) }, signal)) return known;
    return undefined;
  }

  async #checkName(name: string, signal: AbortSignal | undefined): Promise<void> {
    const taken = await this.#named(name, signal);
    if (taken === undefined) return;
    const told = `The name ${name} is taken by the sandbox ${taken.info.id}`;
    throw new SandboxError('conflict', told, { provider: this.name, retryable: false });
  }
}
