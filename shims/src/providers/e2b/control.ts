import type { Sandbox as Native, SandboxLifecycle, SandboxNetworkOpts } from 'e2b';
import type { NetworkOptions } from '../../provider/create.ts';
import { isSandboxError, SandboxError, unsupported } from '../../provider/errors.ts';
import type { ListQuery } from '../../provider/info.ts';
import type { CreateSpec } from '../../provider/provider.ts';
import type { Snapshot } from '../../provider/services.ts';
import { wait } from '../../provider/signals.ts';
import { Rest, type RestAnswer } from '../http/rest.ts';
import { retryAfterMs } from '../http/status.ts';
import { fromSdk } from './errors.ts';
import { infoOf, type SandboxRecord } from './info.ts';
import { type Marks, marksOf, metadataOf } from './marks.ts';
import { type Connection, sdkOptions } from './options.ts';
import { E2BSandbox, type Known } from './sandbox.ts';
import { canFork, type E2BSdk } from './sdk.ts';

/** Longest page of a list. */
const PAGE = 100;
const ALL_ADDRESSES = '0.0.0.0/0';
/** A state that passes is over by then, or stays. */
const CONFLICT_MS = 5_000;
const CONFLICT_LOOK_MS = 250;

/**
 * The control plane of E2B. The SDK creates and connects; what has to tell "does not exist" from
 * "cannot tell" is asked here, because the SDK takes any answer with the status 404 for the former.
 */
export class ControlPlane {
  readonly provider: string;
  readonly sdk: E2BSdk;
  readonly rest: Rest;
  protected readonly connection: Connection;

  constructor(sdk: E2BSdk, connection: Connection) {
    this.sdk = sdk;
    this.connection = connection;
    this.provider = connection.provider;
    this.rest = new Rest({
      provider: this.provider,
      baseUrl: connection.apiUrl,
      headers: { 'x-api-key': connection.apiKey },
      timeoutMs: connection.requestTimeoutMs,
    });
  }

  /** How ports are reached: as the rest is. */
  get scheme(): 'http' | 'https' {
    return this.connection.sandboxUrl?.startsWith('http:') === true ? 'http' : 'https';
  }

  /** What the SDK is told with every call. */
  sdkOptions(signal?: AbortSignal): ReturnType<typeof sdkOptions> {
    return sdkOptions(this.connection, signal);
  }

  async create(spec: CreateSpec, signal?: AbortSignal): Promise<E2BSandbox> {
    const metadata = metadataOf(spec);
    const template = spec.template ?? this.connection.template;
    const native = await this.callToCreate(signal, () =>
      this.sdk.Sandbox.create(template, {
        ...this.sdkOptions(signal),
        metadata,
        timeoutMs: this.timeoutOf(spec),
        lifecycle: this.lifecycleOf(spec),
        allowInternetAccess: spec.network?.internet !== false,
        network: this.networkOf(spec.network, spec.public === true),
        ...(spec.env === undefined ? {} : { envs: { ...spec.env } }),
        ...(spec.volumes === undefined ? {} : { volumeMounts: mountsOf(spec) }),
      }),
    );
    return this.made(this.known(native, template, metadata, spec));
  }

  /** The SDK's object. It wakes a sandbox that is paused, and begins its window. */
  async connect(id: string, { idleTimeoutMs }: Marks, signal?: AbortSignal): Promise<Native> {
    return this.call(signal, () =>
      this.sdk.Sandbox.connect(id, {
        ...this.sdkOptions(signal),
        ...(idleTimeoutMs === undefined || idleTimeoutMs === null
          ? {}
          : { timeoutMs: idleTimeoutMs }),
      }),
    );
  }

  /** What is known of a sandbox; `undefined` only if the server says that it does not exist. */
  async lookUp(id: string, signal?: AbortSignal): Promise<Known | undefined> {
    const answer = await this.rest.ask('GET', `/sandboxes/${encodeURIComponent(id)}`, { signal });
    if (this.isAbsent(answer)) return undefined;
    return this.#knownBy(this.must(answer, `The sandbox ${id}`) as SandboxRecord);
  }

  async *list({ labels = {}, states }: ListQuery, signal?: AbortSignal): AsyncIterable<Known> {
    const wanted = Object.entries(labels);
    for await (const record of this.records(labels, signal)) {
      const metadata = record.metadata ?? {};
      if (wanted.some(([key, value]) => metadata[key] !== value)) continue;
      const known = this.#knownBy(record);
      if (states === undefined || states.includes(known.info.state)) yield known;
    }
  }

  /** A state that is about to change is waited out: it is to be deleted in any case. */
  async delete(id: string, signal?: AbortSignal): Promise<void> {
    const until = Date.now() + CONFLICT_MS;
    for (;;) {
      const answer = await this.askToDelete(id, signal);
      if (this.isAbsent(answer)) return;
      const isPassing = Date.now() < until && (await this.isPassing(id, answer, signal));
      if (!isPassing) return void this.must(answer, `Deleting the sandbox ${id}`);
      const ms = retryAfterMs(answer.headers.get('retry-after')) ?? CONFLICT_LOOK_MS;
      await wait(Math.min(ms, CONFLICT_MS), signal);
    }
  }

  async setTimeout(id: string, ms: number, signal?: AbortSignal): Promise<void> {
    await this.call(signal, () => this.sdk.Sandbox.setTimeout(id, ms, this.sdkOptions(signal)));
  }

  async pause(
    id: string,
    { keepMemory, signal }: { keepMemory: boolean; signal?: AbortSignal | undefined },
  ): Promise<void> {
    if (!keepMemory) this.needsDiskOnly('stop');
    await this.call(signal, () =>
      this.sdk.Sandbox.pause(id, {
        ...this.sdkOptions(signal),
        ...(keepMemory ? {} : { keepMemory }),
      }),
    );
  }

  async snapshot(id: string, name?: string, signal?: AbortSignal): Promise<Snapshot> {
    const { snapshotId, names } = await this.call(signal, () =>
      this.sdk.Sandbox.createSnapshot(id, {
        ...this.sdkOptions(signal),
        ...(name === undefined ? {} : { name }),
      }),
    );
    const [given = name] = names;
    return {
      id: snapshotId,
      sandboxId: `${this.provider}:${id}`,
      createdAt: new Date(),
      ...(given === undefined ? {} : { name: given }),
    };
  }

  async fork(source: E2BSandbox, native: Native, signal?: AbortSignal): Promise<E2BSandbox> {
    if (!canFork(this.sdk)) {
      throw unsupported(this.provider, 'fork with this version of e2b', 'Use e2b 2.35 or newer.');
    }
    const [copy] = await this.call(signal, () =>
      native.fork({
        ...this.sdkOptions(signal),
        ...(source.marks.idleTimeoutMs ? { timeoutMs: source.marks.idleTimeoutMs } : {}),
      }),
    );
    if (copy instanceof Error) throw this.failure(copy, source.id, signal);
    if (copy !== undefined) {
      const known = await this.lookUp(copy.sandboxId, signal);
      if (known !== undefined) return this.made({ ...known, native: copy });
    }
    throw new SandboxError('unavailable', `No sandbox came of the fork of ${source.id}`, {
      provider: this.provider,
      sandboxId: source.id,
      retryable: 'unknown',
    });
  }

  /** The error for one of the SDK. */
  failure(error: unknown, sandboxId?: string, signal?: AbortSignal): unknown {
    const { sdk, provider, connection } = this;
    return fromSdk(error, { sdk, provider, sandboxId, where: connection.apiUrl, signal });
  }

  /** A sandbox that is known. */
  made(known: Known): E2BSandbox {
    return new E2BSandbox(this, known);
  }

  /** Whether an answer says that the thing asked for does not exist, rather than the route. */
  isAbsent({ status, body }: RestAnswer): boolean {
    // Other servers, which know nothing of sandboxes, answer in other forms.
    const code =
      typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
    return (status === 404 || status === 410) && code === status;
  }

  protected askToDelete(id: string, signal?: AbortSignal): Promise<RestAnswer> {
    return this.rest.ask('DELETE', `/sandboxes/${encodeURIComponent(id)}`, { signal });
  }

  /** Whether an answer says that the sandbox cannot be deleted at this moment. */
  protected async isPassing(
    _id: string,
    { status }: RestAnswer,
    _signal?: AbortSignal,
  ): Promise<boolean> {
    return status === 409;
  }

  /** All sandboxes, which the server may have narrowed down. */
  protected async *records(
    labels: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): AsyncIterable<SandboxRecord> {
    const query = new URLSearchParams({ limit: `${PAGE}`, state: 'running,paused' });
    if (Object.keys(labels).length > 0) query.set('metadata', `${new URLSearchParams(labels)}`);
    for (;;) {
      const answer = await this.rest.ask('GET', `/v2/sandboxes?${query}`, { signal });
      yield* this.must(answer, 'The list of sandboxes') as SandboxRecord[];
      const next = answer.headers.get('x-next-token');
      if (next === null || next === '') return;
      query.set('nextToken', next);
    }
  }

  /** Until when it lives at first, in milliseconds from now. */
  protected timeoutOf({ idleTimeoutMs, lifetimeMs }: CreateSpec): number {
    return Math.min(
      idleTimeoutMs ?? Number.POSITIVE_INFINITY,
      lifetimeMs ?? Number.POSITIVE_INFINITY,
    );
  }

  protected lifecycleOf({ onIdle, idleTimeoutMs }: CreateSpec): SandboxLifecycle {
    // Without a window there is only the end of its life.
    if (onIdle === 'delete' || idleTimeoutMs === null) return { onTimeout: 'kill' };
    if (onIdle === 'pause') return { onTimeout: 'pause' };
    this.needsDiskOnly('onIdle: "stop"');
    return { onTimeout: { action: 'pause', keepMemory: false } };
  }

  protected networkOf(network: NetworkOptions = {}, isPublic: boolean): SandboxNetworkOpts {
    const { allow, deny } = network;
    // An allow list alone would allow what is let through anyway.
    const denyOut = allow === undefined ? deny : [ALL_ADDRESSES, ...(deny ?? [])];
    return {
      allowPublicTraffic: isPublic,
      ...(allow === undefined ? {} : { allowOut: [...allow] }),
      ...(denyOut === undefined ? {} : { denyOut: [...denyOut] }),
    };
  }

  /** Older versions drop the wish silently, and memory would be kept. */
  protected needsDiskOnly(what: string): void {
    if (canFork(this.sdk)) return;
    throw unsupported(
      this.provider,
      `${what} with this version of e2b`,
      'Use e2b 2.35 or newer, or pause.',
    );
  }

  protected must(answer: RestAnswer, what: string): unknown {
    if (answer.status < 300) return answer.body;
    if (answer.status === 404 && !this.isAbsent(answer)) throw this.#foreign(what);
    throw this.rest.failure(answer, what);
  }

  /** The same for a creation, whose wishes may name what does not exist. */
  protected async callToCreate<T>(
    signal: AbortSignal | undefined,
    make: () => Promise<T>,
  ): Promise<T> {
    try {
      return await make();
    } catch (error) {
      throw ofCreation(this.failure(error, undefined, signal));
    }
  }

  /** A call about a sandbox. The SDK has a class for its absence; any other 404 is of somebody else. */
  protected async call<T>(signal: AbortSignal | undefined, make: () => Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (error) {
      const told = this.failure(error, undefined, signal);
      const isTold = error instanceof this.sdk.NotFoundError || isSandboxError(error);
      if (isTold || !isSandboxError(told, 'not_found')) throw told;
      throw this.#foreign(told.message, error);
    }
  }

  /** One that was just created. */
  protected known(
    native: Native,
    template: string,
    metadata: Readonly<Record<string, string>>,
    { volumes = [] }: CreateSpec,
  ): Known {
    const marks = marksOf(metadata);
    const record = { sandboxID: native.sandboxId, templateID: template, state: 'running' };
    const info = infoOf(this.provider, record, marks);
    return { native, marks, info: { ...info, createdAt: new Date(), volumes } };
  }

  /** The error for a 404 of a server that knows nothing of sandboxes. */
  #foreign(what: string, cause?: unknown): SandboxError {
    const { apiUrl } = this.connection;
    const told = `${apiUrl} does not know this kind of request: is it the address of the API?`;
    return new SandboxError('unavailable', `${what}: ${told}`, {
      provider: this.provider,
      retryable: false,
      cause,
    });
  }

  #knownBy(record: SandboxRecord): Known {
    const marks = marksOf(record.metadata ?? {});
    return { info: infoOf(this.provider, record, marks), marks };
  }
}

/** A volume that does not exist is a bad request to the server, as is everything else. */
export function ofCreation(error: unknown): unknown {
  if (!isSandboxError(error, 'invalid_argument')) return error;
  if (!/volume .*not found/i.test(error.message)) return error;
  const { message, provider, cause } = error;
  return new SandboxError('not_found', message, { provider, cause });
}

function mountsOf({ volumes = [] }: CreateSpec): Record<string, string> {
  return Object.fromEntries(volumes.map(({ path, volume }) => [path, volume]));
}
