import type { Capabilities } from './capabilities.ts';
import { checkCreate, checkTime } from './check.ts';
import {
  type CallOptions,
  type CreateCallOptions,
  type CreateOptions,
  DEFAULT_IDLE_TIMEOUT_MS,
  type IdlePolicy,
  type WaitOptions,
} from './create.ts';
import { randomId } from './crypto.ts';
import { isSandboxError, SandboxError, unsupported } from './errors.ts';
import { checkProviderName, joinId, nativeIdFor } from './id.ts';
import type { ListQuery } from './info.ts';
import { Reaper } from './reaper.ts';
import type { Sandbox } from './sandbox.ts';
import type { SnapshotService, TemplateService, VolumeService } from './services.ts';
import { anySignal, timeLimit } from './signals.ts';

/** The label by which a sandbox is found again whose creation was answered by nobody. */
export const TOKEN_LABEL = 'cubeshift-token';

/** What a backend is asked to create: options with their defaults, which it can do. */
export interface CreateSpec
  extends Omit<CreateOptions, 'idleTimeoutMs' | 'onIdle' | 'labels' | 'token'>,
    IdlePolicy {
  /** With those of this package, see {@link TOKEN_LABEL}. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * A backend that sandboxes live on. Business code calls this class and {@link Sandbox} only; which
 * backend is behind them is decided by configuration, see `createProvider`.
 *
 * Whoever writes one extends this class; the cases of `@cubeshift/sandbox/conformance` say whether it
 * behaves as the others do.
 */
export abstract class SandboxProvider {
  /** First part of the ids of its sandboxes. */
  readonly name: string;
  abstract readonly volumes: VolumeService;
  abstract readonly snapshots: SnapshotService;
  abstract readonly templates: TemplateService;
  readonly #reaper: Reaper;
  /** Creations under way that were given a token, by that. */
  readonly #creating = new Map<string, Promise<Sandbox>>();

  protected constructor(name: string) {
    checkProviderName(name);
    this.name = name;
    this.#reaper = new Reaper({
      find: (token) => this.list({ labels: { [TOKEN_LABEL]: token } }),
      remove: (sandbox) => sandbox.delete(),
    });
  }

  /** What it can do. May ask the backend, once. */
  abstract capabilities(options?: CallOptions): Promise<Capabilities>;

  /**
   * Creates a sandbox and answers when commands can run in it. An answer that is lost on the way is
   * made up for: the sandbox is found and given, or deleted once it shows up; there are never two.
   *
   * @throws {SandboxError} `not_found` when the template does not exist; `capacity` when there is no
   *   room; `timeout` when it did not start in time
   */
  async create(options: CreateOptions = {}, call: CreateCallOptions = {}): Promise<Sandbox> {
    const { signal, startTimeoutMs } = call;
    signal?.throwIfAborted();
    if (startTimeoutMs !== undefined) checkTime('startTimeoutMs', startTimeoutMs);
    const capabilities = await this.capabilities({ signal });
    checkCreate(this.name, options, capabilities);
    const { token, idleTimeoutMs, onIdle, ...rest } = options;
    const mark = token ?? randomId();
    const spec: CreateSpec = {
      ...rest,
      labels: { ...options.labels, [TOKEN_LABEL]: mark },
      idleTimeoutMs: idleTimeoutMs === undefined ? DEFAULT_IDLE_TIMEOUT_MS : idleTimeoutMs,
      onIdle: onIdle ?? capabilities.idlePolicy.defaultAction,
    };
    return token === undefined ? this.#created(mark, spec, call) : this.#once(mark, spec, call);
  }

  /**
   * The sandbox with an id, or with a name. It is not woken.
   *
   * @throws {SandboxError} `not_found` when the backend says that it does not exist
   */
  async get(id: string, options: CallOptions = {}): Promise<Sandbox> {
    const sandbox = await this.find(id, options);
    if (sandbox !== undefined) return sandbox;
    const sandboxId = joinId(this.name, nativeIdFor(this.name, id));
    throw new SandboxError('not_found', `The sandbox ${sandboxId} does not exist`, {
      provider: this.name,
      sandboxId,
    });
  }

  /** The same, with `undefined` for one that does not exist. Throws when that cannot be told. */
  async find(id: string, options: CallOptions = {}): Promise<Sandbox | undefined> {
    options.signal?.throwIfAborted();
    return this.findSandbox(nativeIdFor(this.name, id), options);
  }

  /** Sandboxes that exist, in any state, as the backend hands them out: page by page. */
  list(query: ListQuery = {}, options: CallOptions = {}): AsyncIterable<Sandbox> {
    return this.listSandboxes(query, options);
  }

  /** Deletes a sandbox; one that is gone already is fine. */
  async delete(id: string, options: WaitOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    await this.deleteSandbox(nativeIdFor(this.name, id), options);
  }

  /** Ends what it has open. Sandboxes stay. It waits for late ones that have to be deleted. */
  async close(): Promise<void> {
    await this.#reaper.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Creates, for backends. `signal` ends the wait, and is set also for `startTimeoutMs`. An error with
   * `retryable: 'unknown'` says that a sandbox may come of it.
   */
  protected abstract createSandbox(spec: CreateSpec, call: CallOptions): Promise<Sandbox>;

  /** Looks up, for backends. `undefined` only if the backend says that there is none. */
  protected abstract findSandbox(
    nativeId: string,
    options: CallOptions,
  ): Promise<Sandbox | undefined>;

  protected abstract listSandboxes(query: ListQuery, options: CallOptions): AsyncIterable<Sandbox>;

  /** Deletes, for backends, without waking it. One that is gone is fine. */
  protected abstract deleteSandbox(nativeId: string, options: WaitOptions): Promise<void>;

  /** The error for what it cannot do. */
  protected unsupported(what: string, instead: string): SandboxError {
    return unsupported(this.name, what, instead);
  }

  /** One sandbox for a token, also if it is asked for twice at a time. */
  #once(token: string, spec: CreateSpec, call: CreateCallOptions): Promise<Sandbox> {
    const current = this.#creating.get(token);
    if (current !== undefined) return current;
    const make = async (): Promise<Sandbox> => {
      const wasGivenUp = await this.#reaper.forget(token);
      try {
        const earlier = await this.#byToken(token, call);
        // It may have gone to sleep since.
        await earlier?.start({ signal: call.signal, timeoutMs: call.startTimeoutMs });
        const made = earlier ?? (await this.#created(token, spec, call));
        // That of an attempt before may come yet.
        if (wasGivenUp) this.#reaper.watch(token, made.id);
        return made;
      } catch (error) {
        if (wasGivenUp) this.#reaper.watch(token);
        throw error;
      }
    };
    const creating = make().finally(() => this.#creating.delete(token));
    this.#creating.set(token, creating);
    return creating;
  }

  async #created(
    token: string,
    spec: CreateSpec,
    { signal, startTimeoutMs }: CreateCallOptions,
  ): Promise<Sandbox> {
    const both = anySignal(signal, timeLimit(startTimeoutMs));
    try {
      return await this.createSandbox(spec, { signal: both });
    } catch (error) {
      if (both?.aborted) {
        this.#reaper.watch(token);
        signal?.throwIfAborted();
        const told = `The sandbox did not start in ${startTimeoutMs} ms; it is deleted when it comes`;
        throw new SandboxError('timeout', told, { provider: this.name, cause: error });
      }
      if (!isSandboxError(error) || error.retryable !== 'unknown') throw error;
      const adopted = await this.#adopted(token, both);
      if (adopted !== undefined) return adopted;
      this.#reaper.watch(token);
      throw error;
    }
  }

  /** The sandbox of a creation that went wrong on its way back, if it shows. */
  async #adopted(token: string, signal?: AbortSignal): Promise<Sandbox | undefined> {
    try {
      const sandbox = await this.#byToken(token, { signal });
      await sandbox?.start({ signal });
      return sandbox;
    } catch {
      return undefined;
    }
  }

  async #byToken(token: string, options: CallOptions = {}): Promise<Sandbox | undefined> {
    for await (const sandbox of this.list({ labels: { [TOKEN_LABEL]: token } }, options)) {
      return sandbox;
    }
    return undefined;
  }
}
