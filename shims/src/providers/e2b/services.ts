import type { CallOptions, CreateCallOptions, CreateOptions } from '../../provider/create.ts';
import { SandboxError } from '../../provider/errors.ts';
import { splitId } from '../../provider/id.ts';
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
import type { ControlPlane } from './control.ts';

/** Gives the control plane, once the SDK is loaded. */
export type Control = () => Promise<ControlPlane>;

/** Deletes a thing by its path; one that is gone already is fine. */
async function remove(
  control: ControlPlane,
  folder: 'volumes' | 'templates',
  id: string,
  what: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `/${folder}/${encodeURIComponent(id)}`;
  const answer = await control.rest.ask('DELETE', path, { signal });
  if (answer.status < 300 || control.isAbsent(answer)) return;
  throw control.rest.failure(answer, `Deleting ${what}`);
}

interface VolumeRecord {
  volumeID: string;
  name: string;
}

/** Volumes, which are asked for without the SDK: its errors do not tell what is absent. */
export class E2BVolumes implements VolumeService {
  protected readonly control: Control;

  constructor(control: Control) {
    this.control = control;
  }

  async list({ signal }: CallOptions = {}): Promise<Volume[]> {
    const { rest } = await this.control();
    const records = await rest.must<VolumeRecord[]>('GET', '/volumes', { signal });
    return records.map(({ volumeID, name }) => ({ id: volumeID, name }));
  }

  async get(
    name: string,
    { create = false, ...options }: CreateVolumeOptions & { create?: boolean } = {},
  ): Promise<Volume> {
    const found = await this.#find(name, options);
    if (found !== undefined) return found;
    if (!create) throw await this.#absent(name);
    try {
      return await this.create(name, options);
    } catch (error) {
      // Somebody else was faster.
      if (!(error instanceof SandboxError) || error.code !== 'conflict') throw error;
      const made = await this.#find(name, options);
      if (made === undefined) throw error;
      return made;
    }
  }

  async create(name: string, { signal, ...options }: CreateVolumeOptions = {}): Promise<Volume> {
    if ((await this.#find(name, { signal })) !== undefined) {
      const { provider } = await this.control();
      throw new SandboxError('conflict', `The volume ${name} exists`, {
        provider,
        retryable: false,
      });
    }
    const { rest } = await this.control();
    const body = { name, ...this.bodyOf(options) };
    const made = await rest.must<VolumeRecord>('POST', '/volumes', { body, signal });
    return { id: made.volumeID, name: made.name };
  }

  async delete(name: string, { signal }: CallOptions = {}): Promise<void> {
    const found = await this.#find(name, { signal });
    if (found === undefined) return;
    await remove(await this.control(), 'volumes', found.id, `the volume ${name}`, signal);
  }

  /** What else a server takes. */
  protected bodyOf(_options: Omit<CreateVolumeOptions, 'signal'>): Record<string, unknown> {
    return {};
  }

  async #find(name: string, options: CallOptions): Promise<Volume | undefined> {
    return (await this.list(options)).find((volume) => volume.name === name);
  }

  async #absent(name: string): Promise<SandboxError> {
    const { provider } = await this.control();
    const told = `The volume ${name} does not exist: create it, or get it with { create: true }`;
    return new SandboxError('not_found', told, { provider });
  }
}

interface SnapshotRecord {
  snapshotID: string;
  names?: string[];
  originSandboxID?: string;
  createdAt?: string;
}

type Create = (options: CreateOptions, call?: CreateCallOptions) => Promise<Sandbox>;

export class E2BSnapshots implements SnapshotService {
  readonly #control: Control;
  readonly #create: Create;

  constructor(control: Control, create: Create) {
    this.#control = control;
    this.#create = create;
  }

  async list({ sandboxId, signal }: SnapshotQuery = {}): Promise<Snapshot[]> {
    const { rest, provider } = await this.#control();
    const query = new URLSearchParams({ limit: '100' });
    if (sandboxId !== undefined) query.set('sandboxID', splitId(sandboxId).nativeId);
    const snapshots: Snapshot[] = [];
    for (;;) {
      const answer = await rest.ask('GET', `/snapshots?${query}`, { signal });
      if (answer.status >= 300) throw rest.failure(answer, 'The list of snapshots');
      for (const record of answer.body as SnapshotRecord[]) {
        snapshots.push(snapshotOf(provider, record, sandboxId));
      }
      const next = answer.headers.get('x-next-token');
      if (next === null || next === '') return snapshots;
      query.set('nextToken', next);
    }
  }

  async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
    await remove(await this.#control(), 'templates', id, `the snapshot ${id}`, signal);
  }

  restore(
    id: string,
    options: Omit<CreateOptions, 'template'> = {},
    call?: CreateCallOptions,
  ): Promise<Sandbox> {
    return this.#create({ ...options, template: id }, call);
  }
}

function snapshotOf(
  provider: string,
  { snapshotID, names = [], originSandboxID, createdAt }: SnapshotRecord,
  asked: string | undefined,
): Snapshot {
  const [name] = names;
  const origin = originSandboxID === undefined ? asked : `${provider}:${originSandboxID}`;
  return {
    id: snapshotID,
    ...(name === undefined ? {} : { name }),
    ...(origin === undefined ? {} : { sandboxId: origin }),
    ...(createdAt === undefined ? {} : { createdAt: new Date(createdAt) }),
  };
}

/** A template as E2B and as CubeSandbox tell it. */
export interface TemplateRecord {
  templateID: string;
  aliases?: string[] | null;
  names?: string[] | null;
  alias?: string | null;
  status?: string;
  buildStatus?: string;
  lastError?: string;
}

export class E2BTemplates implements TemplateService {
  protected readonly control: Control;

  constructor(control: Control) {
    this.control = control;
  }

  async list({ signal }: CallOptions = {}): Promise<Template[]> {
    const { rest } = await this.control();
    const records = await rest.must<TemplateRecord[]>('GET', '/templates', { signal });
    return records.map(templateOf);
  }

  async get(name: string, options: CallOptions = {}): Promise<Template> {
    const found = await this.#find(name, options);
    if (found !== undefined) return found;
    const { provider } = await this.control();
    throw new SandboxError('not_found', `The template ${name} does not exist`, { provider });
  }

  async build(build: TemplateBuild): Promise<Template> {
    const control = await this.control();
    const { sdk } = control;
    const { name, image, cpu, memoryMb, startCommand, env, onLogs, signal } = build;
    try {
      const base = sdk.Template().fromImage(image);
      const started = startCommand === undefined ? base : base.setStartCmd(startCommand, 'true');
      if (env !== undefined) base.setEnvs({ ...env });
      await sdk.Template.build(started, name, {
        ...control.sdkOptions(),
        ...(cpu === undefined ? {} : { cpuCount: cpu }),
        ...(memoryMb === undefined ? {} : { memoryMB: memoryMb }),
        ...(onLogs === undefined ? {} : { onBuildLogs: (entry) => onLogs(`${entry}\n`) }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw control.failure(error);
    }
    return this.get(name, { signal });
  }

  async delete(name: string, { signal }: CallOptions = {}): Promise<void> {
    const found = await this.#find(name, { signal });
    if (found === undefined) return;
    await remove(await this.control(), 'templates', found.id, `the template ${name}`, signal);
  }

  async #find(name: string, options: CallOptions): Promise<Template | undefined> {
    return (await this.list(options)).find((one) => one.name === name || one.id === name);
  }
}

const STATUS: Readonly<Record<string, TemplateStatus>> = {
  ready: 'ready',
  uploaded: 'ready',
  error: 'failed',
  failed: 'failed',
};

export function templateOf(record: TemplateRecord): Template {
  const { templateID, aliases, names, alias, lastError } = record;
  const [name = alias ?? templateID] = names ?? aliases ?? [];
  const status = (record.buildStatus ?? record.status ?? 'ready').toLowerCase();
  return {
    id: templateID,
    name,
    status: STATUS[status] ?? 'building',
    ...(lastError === undefined ? {} : { error: lastError }),
  };
}
