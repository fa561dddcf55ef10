import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as api from '@cubeshift/sandbox';
import { type Disk, FullSandbox, type Label } from './full-sandbox.ts';
import { Gate } from './gate.ts';

const native: api.Capability = { support: 'native' };
const missing: api.Capability = { support: 'unsupported', note: 'Leave it out.' };

/** All that the kit can look at, but rules for the network and accounts. */
const CAPABILITIES: api.Capabilities = {
  ...{ stop: native, pause: native, archive: native, fork: native, rollback: native },
  ...{ stdin: native, git: native, pty: native, watch: native, templates: native, names: native },
  ...{ separateStreams: missing, users: missing, network: missing },
  snapshots: { ...native, includes: { memory: false, volumes: false } },
  volumes: { ...native, sharedWrite: true, readOnly: false, subpath: true },
  idlePolicy: {
    ...native,
    actions: ['stop', 'pause', 'delete'],
    defaultAction: 'stop',
    minMs: 1_000,
    maxMs: null,
  },
  lifetime: { ...native, maxMs: null },
  labels: { ...native, mutable: true },
  runCode: { ...native, languages: ['python', 'javascript', 'typescript', 'bash'] },
  ports: { ...native, private: true },
};

const TEMPLATE: api.Template = { name: 'base', id: 'template-1', status: 'ready' };

/** A backend of folders that can do nearly everything, and gives both streams as one: for the kit itself. */
export class FullProvider extends api.SandboxProvider {
  readonly #root = mkdtempSync(join(tmpdir(), 'cubeshift-full-'));
  readonly #sandboxes = new Map<string, FullSandbox>();
  readonly #volumes = new Map<string, api.Volume>();
  readonly #snapshots = new Map<string, api.Snapshot & { folder: string }>();
  readonly #gate = new Gate();
  #count = 0;

  constructor(name = 'full') {
    super(name);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#gate.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  capabilities = async (): Promise<api.Capabilities> => CAPABILITIES;

  readonly templates: api.TemplateService = {
    list: async () => [TEMPLATE],
    get: async (name) => {
      if (name !== TEMPLATE.name) throw new api.SandboxError('not_found', `No template ${name}`);
      return TEMPLATE;
    },
    build: () => Promise.reject(this.unsupported('building templates', 'Use "base".')),
    delete: async () => undefined,
  };

  readonly volumes: api.VolumeService = {
    list: async () => [...this.#volumes.values()],
    get: async (name, { create = false } = {}) => {
      const volume = this.#volumes.get(name);
      if (volume !== undefined) return volume;
      if (create) return this.volumes.create(name);
      throw new api.SandboxError('not_found', `No volume ${name}`);
    },
    create: async (name) => {
      if (this.#volumes.has(name)) throw new api.SandboxError('conflict', `${name} exists`);
      const volume = { name, id: this.#folder('volume') };
      this.#volumes.set(name, volume);
      return volume;
    },
    delete: async (name) => {
      const volume = this.#volumes.get(name);
      this.#volumes.delete(name);
      if (volume !== undefined) rmSync(volume.id, { recursive: true });
    },
  };

  readonly snapshots: api.SnapshotService = {
    list: async ({ sandboxId } = {}) =>
      [...this.#snapshots.values()].filter(
        (one) => sandboxId === undefined || one.sandboxId === sandboxId,
      ),
    delete: async (id) => {
      const snapshot = this.#snapshots.get(id);
      this.#snapshots.delete(id);
      if (snapshot !== undefined) rmSync(snapshot.folder, { recursive: true });
    },
    restore: async (id, options) => this.create({ ...options, template: this.#saved(id).id }),
  };

  protected async createSandbox(spec: api.CreateSpec): Promise<api.Sandbox> {
    const { template = TEMPLATE.name, name } = spec;
    const saved = this.#snapshots.get(template)?.folder;
    if (template !== TEMPLATE.name && saved === undefined) {
      throw new api.SandboxError('not_found', `No template ${template}`);
    }
    if (name !== undefined && (await this.findSandbox(name)) !== undefined) {
      throw new api.SandboxError('conflict', `${name} exists`);
    }
    const mounts = (spec.volumes ?? []).map(({ volume, path, subpath = '' }) => {
      const found = this.#volumes.get(volume);
      if (found === undefined) throw new api.SandboxError('not_found', `No volume ${volume}`);
      return { path, folder: join(found.id, subpath) };
    });
    return this.#add(spec, { saved, mounts });
  }

  protected async findSandbox(nativeId: string): Promise<FullSandbox | undefined> {
    const named = [...this.#sandboxes.values()].find(({ spec }) => spec.name === nativeId);
    const sandbox = this.#sandboxes.get(nativeId) ?? named;
    await sandbox?.info();
    return sandbox;
  }

  protected async *listSandboxes({ labels = {}, states }: api.ListQuery) {
    for (const sandbox of this.#sandboxes.values()) {
      const { state } = await sandbox.info();
      const has = ([key, value]: Label): boolean => sandbox.labels[key] === value;
      if (!Object.entries(labels).every(has)) continue;
      if (states === undefined || states.includes(state)) yield sandbox;
    }
  }

  protected async deleteSandbox(nativeId: string): Promise<void> {
    await this.#sandboxes.get(nativeId)?.delete();
  }

  #add(
    spec: api.CreateSpec,
    { saved, mounts = [] }: { saved?: string | undefined; mounts?: Disk['mounts'] },
  ): FullSandbox {
    const home = this.#folder('sandbox');
    if (saved !== undefined) cpSync(saved, home, { recursive: true });
    const sandbox: FullSandbox = new FullSandbox(spec, { home, mounts }, this.#gate, {
      provider: this.name,
      gone: () => this.#sandboxes.delete(sandbox.nativeId),
      save: (name) => {
        const folder = this.#folder('snapshot');
        cpSync(home, folder, { recursive: true });
        const snapshot: api.Snapshot & { folder: string } = {
          id: folder,
          folder,
          sandboxId: sandbox.id,
          ...(name === undefined ? {} : { name }),
        };
        this.#snapshots.set(folder, snapshot);
        return snapshot;
      },
      load: (id) => {
        const { folder } = this.#saved(id);
        rmSync(home, { recursive: true });
        cpSync(folder, home, { recursive: true });
      },
      copy: () => this.#add(spec, { saved: home, mounts }),
    });
    this.#sandboxes.set(sandbox.nativeId, sandbox);
    return sandbox;
  }

  #saved(id: string): { id: string; folder: string } {
    const snapshot = this.#snapshots.get(id);
    if (snapshot !== undefined && existsSync(snapshot.folder)) return snapshot;
    throw new api.SandboxError('not_found', `No snapshot ${id}`);
  }

  #folder(kind: string): string {
    this.#count += 1;
    const path = join(this.#root, `${kind}-${this.#count}`);
    mkdirSync(path);
    return path;
  }
}
