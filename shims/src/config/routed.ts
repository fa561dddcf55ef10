import type { Capabilities } from '../provider/capabilities.ts';
import type {
  CallOptions,
  CreateCallOptions,
  CreateOptions,
  WaitOptions,
} from '../provider/create.ts';
import { SandboxError } from '../provider/errors.ts';
import { splitId } from '../provider/id.ts';
import type { ListQuery } from '../provider/info.ts';
import { SandboxProvider } from '../provider/provider.ts';
import type { Sandbox } from '../provider/sandbox.ts';
import type { SnapshotService, TemplateService, VolumeService } from '../provider/services.ts';
import { makeProvider } from './make.ts';
import { rolledOutTo } from './rollout.ts';
import type { SandboxConfig } from './settings.ts';

/** Creation through configuration. */
export interface RoutedCreateOptions extends CreateCallOptions {
  /** Name of another provider than the configuration would take. */
  provider?: string | undefined;
}

/** A configuration that may still be read, and what overrules it. */
export interface RoutedOptions {
  config: () => Promise<SandboxConfig>;
  /** Takes the place of `default` and of all rules. */
  pinned?: string | undefined;
}

/**
 * The providers of a configuration as one. New sandboxes go where the configuration says, whatever
 * has an id goes to the provider that the id names; volumes, snapshots and templates are those of the
 * default provider, see {@link use} for the others.
 */
export class RoutedProvider extends SandboxProvider {
  readonly volumes: VolumeService;
  readonly snapshots: SnapshotService;
  readonly templates: TemplateService;
  readonly #options: RoutedOptions;
  readonly #made = new Map<string, Promise<SandboxProvider>>();
  #config: Promise<SandboxConfig> | undefined;

  constructor(options: RoutedOptions) {
    super('routed');
    this.#options = options;
    const first = (): Promise<SandboxProvider> => this.use();
    this.volumes = {
      list: async (...call) => (await first()).volumes.list(...call),
      get: async (...call) => (await first()).volumes.get(...call),
      create: async (...call) => (await first()).volumes.create(...call),
      delete: async (...call) => (await first()).volumes.delete(...call),
    };
    this.snapshots = {
      list: async (...call) => (await first()).snapshots.list(...call),
      delete: async (...call) => (await first()).snapshots.delete(...call),
      restore: async (...call) => (await first()).snapshots.restore(...call),
    };
    this.templates = {
      list: async (...call) => (await first()).templates.list(...call),
      get: async (...call) => (await first()).templates.get(...call),
      build: async (...call) => (await first()).templates.build(...call),
      delete: async (...call) => (await first()).templates.delete(...call),
    };
  }

  /**
   * The provider with a name, or the default one.
   *
   * @throws {SandboxError} `configuration` for a name that is not there
   */
  async use(name?: string): Promise<SandboxProvider> {
    const config = await this.#loaded();
    const wanted = name ?? this.#options.pinned ?? config.default;
    let made = this.#made.get(wanted);
    if (made === undefined) {
      made = makeProvider(wanted, config);
      this.#made.set(wanted, made);
      made.catch(() => this.#made.delete(wanted));
    }
    return made;
  }

  /** Of the default provider. */
  async capabilities(options?: CallOptions): Promise<Capabilities> {
    return (await this.use()).capabilities(options);
  }

  override async create(
    options: CreateOptions = {},
    { provider, ...call }: RoutedCreateOptions = {},
  ): Promise<Sandbox> {
    const { pinned } = this.#options;
    const { rollout = [] } = await this.#loaded();
    const name = provider ?? pinned ?? rolledOutTo(rollout, options.labels ?? {});
    return (await this.use(name)).create(options, call);
  }

  override async find(id: string, options: CallOptions = {}): Promise<Sandbox | undefined> {
    return (await this.#of(id)).find(id, options);
  }

  override async delete(id: string, options: WaitOptions = {}): Promise<void> {
    await (await this.#of(id)).delete(id, options);
  }

  /** Ends what any of them has open. */
  override async close(): Promise<void> {
    const made = [...this.#made.values()];
    this.#made.clear();
    await Promise.all([super.close(), ...made.map(async (one) => (await one).close())]);
  }

  /** Of all providers that are configured, one after the other. */
  protected async *listSandboxes(query: ListQuery, options: CallOptions): AsyncIterable<Sandbox> {
    const { providers = {}, rollout = [], default: first } = await this.#loaded();
    const names = new Set([
      this.#options.pinned ?? first,
      first,
      ...Object.keys(providers),
      ...rollout.map(({ provider }) => provider),
    ]);
    for (const name of names) yield* (await this.use(name)).list(query, options);
  }

  protected createSandbox(): Promise<Sandbox> {
    return this.#never();
  }

  protected findSandbox(): Promise<Sandbox | undefined> {
    return this.#never();
  }

  protected deleteSandbox(): Promise<void> {
    return this.#never();
  }

  async #of(id: string): Promise<SandboxProvider> {
    const { default: first, unnamedIds, providers = {} } = await this.#loaded();
    const { provider } = splitId(id);
    if (provider === undefined) return this.use(unnamedIds ?? this.#options.pinned ?? first);
    try {
      return await this.use(provider);
    } catch (cause) {
      const told = `The sandbox ${id} lives on the provider "${provider}", which could not be made`;
      const names = Object.keys(providers).join(', ');
      const fix = `${(cause as Error).message}${names === '' ? '' : ` (configured: ${names})`}`;
      throw new SandboxError('configuration', `${told}: ${fix}`, { cause, sandboxId: id });
    }
  }

  #loaded(): Promise<SandboxConfig> {
    this.#config ??= this.#options.config();
    this.#config.catch(() => {
      this.#config = undefined;
    });
    return this.#config;
  }

  /** The public calls are handed on whole, so these are never reached. */
  #never(): never {
    throw new Error('A routed provider has no sandboxes of its own');
  }
}
