import { randomUUID } from 'node:crypto';
import type { Capabilities } from '../provider/capabilities.ts';
import type { CreateOptions } from '../provider/create.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import type { Sandbox } from '../provider/sandbox.ts';
import type { ConformanceOptions } from './options.ts';

/** So many sandboxes of the kit may live at a time: small accounts allow few. */
const MOST = 2;
/** The label that all of them have. */
const RUN = 'conformance-run';

/** The sandboxes of one run of the kit. */
export class Stage {
  readonly provider: SandboxProvider;
  readonly capabilities: Capabilities;
  /** Names this run, in labels and names of things. */
  readonly run = randomUUID().slice(0, 8);
  readonly #template: string | undefined;
  readonly #live = new Map<string, Sandbox>();
  #shared: Sandbox | undefined;

  static async open(options: ConformanceOptions): Promise<Stage> {
    const provider = await options.provider();
    return new Stage(provider, await provider.capabilities(), options.template);
  }

  private constructor(
    provider: SandboxProvider,
    capabilities: Capabilities,
    template: string | undefined,
  ) {
    this.provider = provider;
    this.capabilities = capabilities;
    this.#template = template;
  }

  /** With what every sandbox of the kit has. */
  options(wanted: CreateOptions = {}): CreateOptions {
    const hasLabels = this.capabilities.labels.support !== 'unsupported';
    return {
      ...(this.#template === undefined ? {} : { template: this.#template }),
      ...wanted,
      ...(hasLabels ? { labels: { ...wanted.labels, [RUN]: this.run } } : {}),
    };
  }

  /** One that is made by the first case that needs any, and goes when there is no room or a case failed. */
  async shared(): Promise<Sandbox> {
    this.#shared ??= await this.add(() => this.provider.create(this.options()));
    return this.#shared;
  }

  async dropShared(): Promise<void> {
    const shared = this.#shared;
    this.#shared = undefined;
    if (shared !== undefined) await this.remove(shared);
  }

  /** Makes one, or several at once, when there is room. */
  async add(make: () => Promise<Sandbox>, count = 1): Promise<Sandbox> {
    if (this.#live.size + count > MOST) await this.dropShared();
    if (this.#live.size + count > MOST) throw new Error(`A case needs more than ${MOST} sandboxes`);
    const sandbox = await make();
    this.#live.set(sandbox.id, sandbox);
    return sandbox;
  }

  async remove(sandbox: Sandbox): Promise<void> {
    await sandbox.delete();
    this.#live.delete(sandbox.id);
  }

  /** Deletes all that is known of, and what the backend says there is beside. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (deed: Promise<unknown>): Promise<unknown> =>
      deed.catch((error: unknown) => failures.push(error));
    for (const sandbox of this.#live.values()) await attempt(sandbox.delete());
    if (this.capabilities.labels.support !== 'unsupported') await attempt(this.#sweep());
    await attempt(this.provider.close());
    if (failures.length > 0) throw new AggregateError(failures, 'Sandboxes may be left over');
  }

  async #sweep(): Promise<void> {
    for await (const sandbox of this.provider.list({ labels: { [RUN]: this.run } })) {
      await sandbox.delete();
    }
  }
}
