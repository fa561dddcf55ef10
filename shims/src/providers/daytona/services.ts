import type { CallOptions, CreateCallOptions, CreateOptions } from '../../provider/create.ts';
import { isSandboxError, SandboxError } from '../../provider/errors.ts';
import { joinId, splitId } from '../../provider/id.ts';
import type { Sandbox } from '../../provider/sandbox.ts';
import type {
  CreateVolumeOptions,
  Snapshot,
  SnapshotQuery,
  SnapshotService,
  Template,
  TemplateBuild,
  TemplateService,
  TemplateStatus,
  Volume,
  VolumeService,
} from '../../provider/services.ts';
import { wait } from '../../provider/signals.ts';
import { type DaytonaClient, tooLong } from './client.ts';

/** Gives the client, once the SDK is loaded. */
export type Client = () => Promise<DaytonaClient>;

type NativeVolume = Awaited<ReturnType<DaytonaClient['native']['volume']['get']>>;
type NativeSnapshot = Awaited<ReturnType<DaytonaClient['native']['snapshot']['get']>>;

const LOOK_MS = 200;
const READY_MS = 60_000;

export class DaytonaVolumes implements VolumeService {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async list({ signal }: CallOptions = {}): Promise<Volume[]> {
    const client = await this.#client();
    const all = await client.call(signal, () => client.native.volume.list());
    return all.filter(isThere).map(volumeOf);
  }

  async get(
    name: string,
    { create = false, ...options }: CreateVolumeOptions & { create?: boolean } = {},
  ): Promise<Volume> {
    const found = await this.#find(name, options.signal);
    if (found !== undefined) return volumeOf(await this.#ready(found, options));
    const { provider } = await this.#client();
    if (!create) {
      const told = `The volume ${name} does not exist: create it, or get it with { create: true }`;
      throw new SandboxError('not_found', told, { provider });
    }
    try {
      return await this.create(name, options);
    } catch (error) {
      // Somebody else was faster.
      if (!isSandboxError(error, 'conflict')) throw error;
      return this.get(name, options);
    }
  }

  async create(name: string, options: CreateVolumeOptions = {}): Promise<Volume> {
    const client = await this.#client();
    const { signal } = options;
    const made = await client
      .call(signal, () => client.native.volume.create(name))
      .catch((error: unknown) => {
        if (!isSandboxError(error) || !/already exists/i.test(error.message)) throw error;
        throw new SandboxError('conflict', error.message, {
          provider: client.provider,
          retryable: false,
          cause: error,
        });
      });
    return volumeOf(await this.#ready(made, options));
  }

  async delete(name: string, { signal }: CallOptions = {}): Promise<void> {
    const client = await this.#client();
    const found = await this.#find(name, signal);
    if (found === undefined) return;
    try {
      await client.call(signal, () => client.native.volume.delete(found));
    } catch (error) {
      if (!isSandboxError(error, 'not_found')) throw error;
    }
  }

  /** It cannot be mounted before. */
  async #ready(
    volume: NativeVolume,
    { signal, timeoutMs = READY_MS }: CreateVolumeOptions,
  ): Promise<NativeVolume> {
    const client = await this.#client();
    const until = Date.now() + timeoutMs;
    let now = volume;
    while (now.state !== 'ready') {
      if (now.state === 'error') {
        const told = `The volume ${volume.name} could not be made: ${now.errorReason ?? ''}`.trim();
        throw new SandboxError('conflict', told, { provider: client.provider, retryable: false });
      }
      if (Date.now() > until)
        throw tooLong(client.provider, `The volume ${volume.name}`, timeoutMs);
      await wait(LOOK_MS, signal);
      now = (await this.#find(volume.name, signal)) ?? now;
    }
    return now;
  }

  async #find(name: string, signal?: AbortSignal): Promise<NativeVolume | undefined> {
    const client = await this.#client();
    const all = await client.call(signal, () => client.native.volume.list());
    return all.filter(isThere).find((volume) => volume.name === name);
  }
}

function isThere({ state }: NativeVolume): boolean {
  return !['pending_delete', 'deleting', 'deleted'].includes(state);
}

function volumeOf({ id, name, createdAt }: NativeVolume): Volume {
  const created = new Date(createdAt);
  return { id, name, ...(Number.isNaN(created.getTime()) ? {} : { createdAt: created }) };
}

type Create = (options: CreateOptions, call?: CreateCallOptions) => Promise<Sandbox>;

/** Daytona has one word for templates and for what was saved of a sandbox: those name their source. */
export class DaytonaSnapshots implements SnapshotService {
  readonly #client: Client;
  readonly #create: Create;

  constructor(client: Client, create: Create) {
    this.#client = client;
    this.#create = create;
  }

  async list({ sandboxId, signal }: SnapshotQuery = {}): Promise<Snapshot[]> {
    const { provider } = await this.#client();
    const wanted = sandboxId === undefined ? undefined : splitId(sandboxId).nativeId;
    const found: Snapshot[] = [];
    for (const one of await allSnapshots(this.#client, signal)) {
      const source = one.sourceSandboxId;
      if (source === undefined || source === '' || source === null) continue;
      if (wanted !== undefined && source !== wanted) continue;
      found.push({
        id: one.name,
        name: one.name,
        sandboxId: joinId(provider, source),
        createdAt: new Date(one.createdAt),
      });
    }
    return found;
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return deleteSnapshot(this.#client, id, options);
  }

  restore(
    id: string,
    options: Omit<CreateOptions, 'template'> = {},
    call?: CreateCallOptions,
  ): Promise<Sandbox> {
    return this.#create({ ...options, template: id }, call);
  }
}

export class DaytonaTemplates implements TemplateService {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async list({ signal }: CallOptions = {}): Promise<Template[]> {
    return (await allSnapshots(this.#client, signal)).map(templateOf);
  }

  async get(name: string, { signal }: CallOptions = {}): Promise<Template> {
    const client = await this.#client();
    return templateOf(await client.call(signal, () => client.native.snapshot.get(name)));
  }

  async build(build: TemplateBuild): Promise<Template> {
    const { name, image, cpu, memoryMb, diskMb, startCommand, env, onLogs, timeoutMs } = build;
    const client = await this.#client();
    if (env !== undefined) {
      const told = `${client.provider} takes no variables for a template: set them in the image`;
      throw new SandboxError('unsupported', told, { provider: client.provider });
    }
    const made = await client.call(build.signal, () =>
      client.native.snapshot.create(
        {
          name,
          image,
          resources: {
            ...(cpu === undefined ? {} : { cpu }),
            ...(memoryMb === undefined ? {} : { memory: Math.ceil(memoryMb / 1024) }),
            ...(diskMb === undefined ? {} : { disk: Math.ceil(diskMb / 1024) }),
          },
          ...(startCommand === undefined ? {} : { entrypoint: ['/bin/sh', '-c', startCommand] }),
        },
        {
          timeout: timeoutMs === undefined ? 0 : Math.ceil(timeoutMs / 1000),
          ...(onLogs === undefined ? {} : { onLogs: (line: string) => onLogs(`${line}\n`) }),
        },
      ),
    );
    return templateOf(made);
  }

  delete(name: string, options: CallOptions = {}): Promise<void> {
    return deleteSnapshot(this.#client, name, options);
  }
}

async function allSnapshots(get: Client, signal?: AbortSignal): Promise<NativeSnapshot[]> {
  const client = await get();
  const all: NativeSnapshot[] = [];
  for (let page = 1; ; page++) {
    const { items, totalPages } = await client.call(signal, () =>
      client.native.snapshot.list(page, 100),
    );
    all.push(...items);
    if (page >= totalPages || items.length === 0) return all;
  }
}

async function deleteSnapshot(get: Client, name: string, { signal }: CallOptions): Promise<void> {
  const client = await get();
  try {
    const found = await client.call(signal, () => client.native.snapshot.get(name));
    await client.call(signal, () => client.native.snapshot.delete(found));
  } catch (error) {
    if (!isSandboxError(error, 'not_found')) throw error;
  }
}

const STATUS: Readonly<Record<string, TemplateStatus>> = {
  active: 'ready',
  inactive: 'ready',
  error: 'failed',
  build_failed: 'failed',
};

function templateOf({ id, name, state, errorReason }: NativeSnapshot): Template {
  return {
    id,
    name,
    status: STATUS[state] ?? 'building',
    ...(errorReason ? { error: errorReason } : {}),
  };
}
