import type { Sandbox as Native } from 'e2b';
import type { CreateCallOptions, CreateOptions, IdlePolicy } from '../../provider/create.ts';
import { SandboxError } from '../../provider/errors.ts';
import type { CreateSpec } from '../../provider/provider.ts';
import type { Sandbox } from '../../provider/sandbox.ts';
import { ControlPlane } from '../e2b/control.ts';
import type { SandboxRecord } from '../e2b/info.ts';
import { type Marks, metadataOf } from '../e2b/marks.ts';
import { sdkOptions } from '../e2b/options.ts';
import type { E2BSandbox, Known } from '../e2b/sandbox.ts';
import type { E2BSdk } from '../e2b/sdk.ts';
import type { RestAnswer } from '../http/rest.ts';
import { failureOf } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { CubeConnection } from './options.ts';
import { CubeSandbox } from './sandbox.ts';
import type { CubeServer } from './server.ts';
import { checkVariables } from './variables.ts';

/** Everything: filters are applied to one page, cut before (CubeSandbox #1792), so all are asked for. */
const ALL = 100_000;
const NEVER = -1;
/** Of the service in a sandbox that commands and files go to. */
const ENVD_PORT = 49983;
/** What a pause and a resume may take on the server since 0.7.0. */
const SLOW_MS = 150_000;

/** How the provider creates: as for everybody, so that nothing is lost on the way. */
export type Create = (options: CreateOptions, call: CreateCallOptions) => Promise<Sandbox>;

interface Created {
  sandboxID: string;
  envdVersion?: string;
  domain?: string;
  trafficAccessToken?: string;
}

/** The control plane of a CubeSandbox, spoken to in its own form where that differs from E2B's. */
export class CubeControl extends ControlPlane {
  readonly server: CubeServer;
  readonly gateway: Gateway;
  readonly cube: CubeConnection;
  readonly createAsUsual: Create;

  constructor(
    sdk: E2BSdk,
    connection: CubeConnection,
    server: CubeServer,
    gateway: Gateway,
    create: Create,
  ) {
    super(sdk, connection);
    this.cube = connection;
    this.server = server;
    this.gateway = gateway;
    this.createAsUsual = create;
  }

  /** The SDK reaches the control plane, and sandboxes that are guarded, through the gateway. */
  override sdkOptions(signal?: AbortSignal): ReturnType<typeof sdkOptions> {
    const { apiUrl, sandboxUrl } = this.gateway;
    return { ...sdkOptions(this.connection, signal), apiUrl, sandboxUrl };
  }

  override async create(spec: CreateSpec, signal?: AbortSignal): Promise<E2BSandbox> {
    checkVariables(this.provider, spec.env);
    this.checkPause(spec, spec.onIdle === 'pause' && spec.idleTimeoutMs !== null);
    const template = spec.template ?? this.connection.template;
    if (template === '') {
      const told =
        'No template is named: give template to create() or the provider, or set CUBE_TEMPLATE_ID';
      throw new SandboxError('configuration', told, { provider: this.provider });
    }
    const metadata = metadataOf(spec);
    const body = this.#bodyOf(spec, template, metadata);
    const made = await this.callToCreate(signal, async () => {
      const answer = await this.rest.ask('POST', '/sandboxes', { body, signal });
      return this.must(answer, 'Creating a sandbox') as Created;
    });
    if (made.trafficAccessToken !== undefined) {
      this.gateway.guard(made.sandboxID, made.trafficAccessToken);
    }
    return this.made(this.known(this.#nativeOf(made), template, metadata, spec));
  }

  /** Wakes it. The window stays as it was, other than by the SDK, which would set 5 minutes. */
  override async connect(id: string, _marks?: Marks, signal?: AbortSignal): Promise<Native> {
    const answer = await this.rest.ask('POST', `/sandboxes/${encodeURIComponent(id)}/connect`, {
      body: {},
      signal,
      timeoutMs: SLOW_MS,
    });
    return this.#nativeOf(this.must(answer, `The sandbox ${id}`) as Created);
  }

  override async setTimeout(id: string, ms: number, signal?: AbortSignal): Promise<void> {
    await this.setWindow(id, ms, signal);
  }

  /** Sets the idle window, which begins anew; `null` is never. */
  async setWindow(id: string, ms: number | null, signal?: AbortSignal): Promise<void> {
    const body = { timeout: secondsOf(ms) };
    const path = `/sandboxes/${encodeURIComponent(id)}/timeout`;
    const answer = await this.rest.ask('POST', path, { body, signal });
    this.must(answer, `The window of the sandbox ${id}`);
  }

  override async pause(
    id: string,
    { signal }: { keepMemory: boolean; signal?: AbortSignal | undefined },
  ): Promise<void> {
    const path = `/sandboxes/${encodeURIComponent(id)}/pause`;
    const answer = await this.rest.ask('POST', path, { signal, timeoutMs: SLOW_MS });
    if (answer.status !== 409) return void this.must(answer, `Pausing the sandbox ${id}`);
    // Also the answer when it is paused already, or about to be.
    const known = await this.lookUp(id, signal);
    if (known?.info.state !== 'paused') this.must(answer, `Pausing the sandbox ${id}`);
  }

  override async delete(id: string, signal?: AbortSignal): Promise<void> {
    await super.delete(id, signal);
    this.gateway.forget(id);
  }

  /** The same sandbox goes back to one of its snapshots. */
  async rollback(id: string, snapshotID: string, signal?: AbortSignal): Promise<void> {
    const path = `/sandboxes/${encodeURIComponent(id)}/rollback`;
    const answer = await this.rest.ask('POST', path, {
      body: { snapshotID },
      signal,
      timeoutMs: SLOW_MS,
    });
    this.must(answer, `Going back to ${snapshotID}`);
  }

  override made(known: Known): E2BSandbox {
    return new CubeSandbox(this, known);
  }

  /**
   * Refuses to pause what would lose data: what others write to a mounted folder meanwhile is not what
   * the saved memory knows of it.
   */
  checkPause({ volumes = [] }: Pick<CreateSpec, 'volumes'>, isPaused: boolean): void {
    const writable = volumes.find(({ readOnly }) => readOnly !== true);
    if (!isPaused || writable === undefined || this.server.detachesVolumes) return;
    const told = `A sandbox that writes to the volume ${writable.volume} must not be paused on this CubeSandbox (before 0.7.0): what other sandboxes write there meanwhile can be lost`;
    const instead =
      'Use onIdle: "delete" or readOnly: true, upgrade the server, or say pauseWithVolumes: true';
    if (this.server.hasVolumes && this.cube.pauseWithVolumes) return;
    throw new SandboxError('unsupported', `${told}. ${instead}`, { provider: this.provider });
  }

  protected override async *records(
    _labels: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): AsyncIterable<SandboxRecord> {
    const answer = await this.rest.ask('GET', `/v2/sandboxes?limit=${ALL}`, { signal });
    yield* this.must(answer, 'The list of sandboxes') as SandboxRecord[];
  }

  protected override must(answer: RestAnswer, what: string): unknown {
    if (answer.status < 300) return answer.body;
    throw failureOf(answer, this.provider, what) ?? super.must(answer, what);
  }

  protected override async askToDelete(id: string, signal?: AbortSignal): Promise<RestAnswer> {
    if (!this.server.deletesPaused) {
      const known = await this.lookUp(id, signal);
      if (known?.info.state === 'paused') await this.connect(id, undefined, signal);
    }
    return super.askToDelete(id, signal);
  }

  /** It is told to come back while it pauses, with the status of a server that has too much to do. */
  protected override async isPassing(
    id: string,
    answer: RestAnswer,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (answer.status !== 503) return super.isPassing(id, answer, signal);
    const known = await this.lookUp(id, signal);
    return known?.info.state === 'pausing' || known?.info.state === 'paused';
  }

  #bodyOf(
    spec: CreateSpec,
    templateID: string,
    metadata: Readonly<Record<string, string>>,
  ): Record<string, unknown> {
    const onTimeout = spec.onIdle === 'delete' ? 'kill' : 'pause';
    return {
      templateID,
      timeout: secondsOf(spec.idleTimeoutMs),
      metadata,
      // Its own form is known since 0.5.0, that of E2B since 0.7.0.
      lifecycle: { onTimeout, autoResume: false },
      allow_internet_access: spec.network?.internet !== false,
      // Ports are open unless the caller says otherwise: what guards them is told at creation only, and it
      // guards commands and files too, so that no other program could ever reach the sandbox.
      network: this.networkOf(spec.network, spec.public !== false),
      ...(spec.env === undefined ? {} : { envVars: spec.env }),
      ...(spec.volumes === undefined
        ? {}
        : {
            volumeMounts: spec.volumes.map(({ volume, path, readOnly }) => ({
              name: volume,
              path,
              ...(readOnly === true ? { readOnly } : {}),
            })),
          }),
    };
  }

  #nativeOf({ sandboxID, envdVersion = '0.2.0', domain, trafficAccessToken }: Created): Native {
    const token = trafficAccessToken ?? this.gateway.tokenOf(sandboxID);
    // What needs no token needs no gateway either: the path is the same for all calls to one sandbox.
    const way =
      token === undefined
        ? { sandboxUrl: `${this.cube.proxyUrl}/sandbox/${sandboxID}/${ENVD_PORT}` }
        : { trafficAccessToken: token };
    return new this.sdk.Sandbox({
      ...this.sdkOptions(),
      sandboxId: sandboxID,
      envdVersion,
      ...(domain === undefined ? {} : { sandboxDomain: domain }),
      ...way,
    });
  }
}

/** Whole seconds, as the server counts; `null` is never. */
function secondsOf(ms: IdlePolicy['idleTimeoutMs']): number {
  return ms === null ? NEVER : Math.max(1, Math.ceil(ms / 1000));
}
