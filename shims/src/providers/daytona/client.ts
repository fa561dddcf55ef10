import type { Daytona, Sandbox as Native } from '@daytonaio/sdk';
import type { Capabilities } from '../../provider/capabilities.ts';
import type { WaitOptions } from '../../provider/create.ts';
import { isSandboxError, SandboxError } from '../../provider/errors.ts';
import type { ListQuery, SandboxInfo } from '../../provider/info.ts';
import { type CreateSpec, TOKEN_LABEL } from '../../provider/provider.ts';
import { abortable, wait } from '../../provider/signals.ts';
import { isAtLeast, type Version } from '../sdk-version.ts';
import { daytonaCapabilities } from './capabilities.ts';
import { fromSdk } from './errors.ts';
import { infoOf, OWN_NAMES, stateOf } from './info.ts';
import type { DaytonaProviderOptions } from './options.ts';
import { paramsOf } from './params.ts';
import { DaytonaSandbox } from './sandbox.ts';
import type { LoadedSdk } from './sdk.ts';

const DEFAULT_WAIT_MS = 60_000;
/** First release whose list is an iterator; before, it was pages of a hundred at most. */
const ITERATES: Version = [0, 180, 0];
const PAGE = 100;
/** A state that passes is over by then, or stays. */
const CONFLICT_TRIES = 20;
const CONFLICT_WAIT_MS = 250;

interface Page {
  items: Native[];
  totalPages: number;
}

/** Daytona's SDK, in the words of this package. */
export class DaytonaClient {
  readonly provider: string;
  readonly version: Version;
  readonly capabilities: Capabilities;
  readonly native: Daytona;
  readonly #options: DaytonaProviderOptions;
  readonly #where: string;
  /** Names of volumes by id. */
  readonly #volumes = new Map<string, string>();

  constructor(provider: string, { sdk, version }: LoadedSdk, options: DaytonaProviderOptions) {
    const { apiKey, apiUrl, target, virtualMachines = false } = options;
    this.provider = provider;
    this.version = version;
    this.capabilities = daytonaCapabilities(version, virtualMachines);
    this.#options = options;
    this.#where = apiUrl ?? process.env.DAYTONA_API_URL ?? 'https://app.daytona.io/api';
    try {
      this.native = new sdk.Daytona({
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(apiUrl === undefined ? {} : { apiUrl }),
        ...(target === undefined ? {} : { target }),
      });
    } catch (error) {
      throw this.failure(error);
    }
  }

  async create(spec: CreateSpec, signal?: AbortSignal): Promise<DaytonaSandbox> {
    // A name makes it sure that there is one only: the SDK itself sends a creation again whose answer was
    // lost, and the second is refused then.
    const name = spec.name ?? nameFor(spec);
    const params = paramsOf(this.provider, { ...spec, name }, this.#options.template);
    try {
      const native = await this.call(signal, () =>
        // Unlimited: who waits is the base class. It also deletes what comes too late, unless that was
        // asked for again meanwhile.
        this.native.create(params, { timeout: 0 }),
      );
      return await this.made(native, signal);
    } catch (error) {
      const own = isSandboxError(error, 'conflict')
        ? await this.#own(name, spec, signal)
        : undefined;
      if (own === undefined) throw ofCreation(error);
      await own.start({ signal });
      return own;
    }
  }

  /** The sandbox with a name, if it is the one that this creation made. */
  async #own(
    name: string,
    { labels }: CreateSpec,
    signal?: AbortSignal,
  ): Promise<DaytonaSandbox | undefined> {
    const found = await this.find(name, signal);
    const isOwn = found?.native.labels[TOKEN_LABEL] === labels[TOKEN_LABEL];
    return isOwn ? found : undefined;
  }

  /** `undefined` only if Daytona says that there is none. */
  async find(idOrName: string, signal?: AbortSignal): Promise<DaytonaSandbox | undefined> {
    const native = await this.orAbsent(signal, () => this.native.get(idOrName));
    if (native === undefined || native.state === 'destroyed') return undefined;
    return this.made(native, signal);
  }

  async *list({ labels, states }: ListQuery, signal?: AbortSignal): AsyncIterable<DaytonaSandbox> {
    const wanted = Object.entries(labels ?? {});
    for await (const native of this.#natives({ ...labels }, signal)) {
      if (wanted.some(([key, value]) => native.labels[key] !== value)) continue;
      if (native.state === 'destroyed') continue;
      if (states !== undefined && !states.includes(stateOf(native.state))) continue;
      yield await this.made(native, signal);
    }
  }

  /**
   * A state that is about to change is waited out: it is to be deleted in any case. `known` saves the
   * question for it.
   */
  async delete(id: string, options: WaitOptions, known?: Native): Promise<void> {
    const { signal } = options;
    for (let tries = 1; ; tries++) {
      try {
        await this.orAbsent(signal, async () => {
          const native = known ?? (await this.native.get(id));
          await native.delete(this.seconds(options));
        });
        return;
      } catch (error) {
        const isPassing = isSandboxError(error, 'conflict') && tries < CONFLICT_TRIES;
        if (!isPassing) throw error;
        await wait(CONFLICT_WAIT_MS, signal);
      }
    }
  }

  async made(native: Native, signal?: AbortSignal): Promise<DaytonaSandbox> {
    await this.learnVolumes(native, signal);
    return new DaytonaSandbox(this, native);
  }

  /** What is known of a sandbox. */
  infoOf(native: Native): SandboxInfo {
    return infoOf(this.provider, native, (id) => this.#volumes.get(id) ?? id);
  }

  /** Finds out the names of the volumes of a sandbox, which it has by their ids. */
  async learnVolumes({ volumes = [] }: Native, signal?: AbortSignal): Promise<void> {
    if (volumes.every(({ volumeId }) => this.#volumes.has(volumeId))) return;
    const all = await this.call(signal, () => this.native.volume.list());
    for (const { id, name } of all) this.#volumes.set(id, name);
    // One that has gone since keeps its id.
    for (const { volumeId } of volumes) {
      if (!this.#volumes.has(volumeId)) this.#volumes.set(volumeId, volumeId);
    }
  }

  /** How long the SDK is to wait. */
  seconds({ timeoutMs }: Pick<WaitOptions, 'timeoutMs'>): number {
    const ms = timeoutMs ?? this.#options.waitTimeoutMs ?? DEFAULT_WAIT_MS;
    return Math.max(1, Math.ceil(ms / 1000));
  }

  failure(error: unknown, sandboxId?: string, signal?: AbortSignal): unknown {
    return fromSdk(error, { provider: this.provider, sandboxId, where: this.#where, signal });
  }

  async call<T>(
    signal: AbortSignal | undefined,
    call: () => Promise<T>,
    sandboxId?: string,
  ): Promise<T> {
    try {
      signal?.throwIfAborted();
      return await abortable(call(), signal);
    } catch (error) {
      throw this.failure(error, sandboxId, signal);
    }
  }

  /** The same for a call about a sandbox: `undefined` only if Daytona says that there is none. */
  async orAbsent<T>(
    signal: AbortSignal | undefined,
    call: () => Promise<T>,
    sandboxId?: string,
  ): Promise<T | undefined> {
    try {
      return await this.call(signal, call, sandboxId);
    } catch (error) {
      if (!isSandboxError(error, 'not_found')) throw error;
      await this.#confirm(signal);
      return undefined;
    }
  }

  async close(): Promise<void> {
    // Since 0.113; older ones have nothing open.
    await this.native[Symbol.asyncDispose]?.();
  }

  /**
   * Makes sure that it is Daytona that says that something does not exist: to another server, and to a
   * proxy that has lost its way, every address is one that does not.
   */
  async #confirm(signal?: AbortSignal): Promise<void> {
    for await (const _ of this.#natives({}, signal, 1)) return;
  }

  async *#natives(
    labels: Record<string, string>,
    signal?: AbortSignal,
    limit = PAGE,
  ): AsyncIterable<Native> {
    if (!isAtLeast(this.version, ITERATES)) return yield* this.#pages(labels, signal, limit);
    const all = this.native.list({ labels, limit })[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#listed(signal, () => all.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  async *#pages(
    labels: Record<string, string>,
    signal: AbortSignal | undefined,
    limit: number,
  ): AsyncIterable<Native> {
    const list = this.native.list as unknown as (
      labels: Record<string, string>,
      page: number,
      limit: number,
    ) => Promise<Page>;
    for (let page = 1; ; page++) {
      const { items, totalPages } = await this.#listed(signal, () =>
        list.call(this.native, labels, page, limit),
      );
      yield* items;
      if (page >= totalPages || items.length === 0) return;
    }
  }

  /** A list may be empty, but never missing. */
  async #listed<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    try {
      return await this.call(signal, call);
    } catch (error) {
      if (!isSandboxError(error, 'not_found')) throw error;
      const told = `${this.#where} does not answer like Daytona: is it the address of its API?`;
      throw new SandboxError('unavailable', told, {
        provider: this.provider,
        retryable: false,
        cause: error,
      });
    }
  }
}

/** A name for a sandbox that is given none, from what no other creation has. */
function nameFor({ labels }: CreateSpec): string {
  return `${OWN_NAMES}${labels[TOKEN_LABEL]}`;
}

/** Daytona has one status for everything that is wrong with a wish. */
function ofCreation(error: unknown): unknown {
  if (!isSandboxError(error)) return error;
  const { message, code, provider, cause } = error;
  if (/^Snapshot .* not found/i.test(message)) {
    return new SandboxError('not_found', message, { provider, cause });
  }
  // A name that is taken stays so.
  if (code === 'conflict') {
    return new SandboxError('conflict', message, { provider, cause, retryable: false });
  }
  return error;
}

/** What is thrown for a wait that took too long. */
export function tooLong(provider: string, what: string, ms: number): SandboxError {
  return new SandboxError('timeout', `${what} took longer than ${ms} ms`, { provider });
}
