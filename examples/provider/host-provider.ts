/**
 * A provider of your own in two short files: sandboxes are folders of this host, with processes in
 * them. It shows what a backend has to say and do. It isolates nothing: commands run as you, here.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import * as api from '@cubeshift/sandbox';
import { type Child, startInGroup } from './child.ts';

const native: api.Capability = { support: 'native' };
const emulated: api.Capability = { support: 'emulated', note: 'Through commands.' };
const missing: api.Capability = { support: 'unsupported', note: 'Use a real backend for it.' };
const CAPABILITIES: api.Capabilities = {
  ...{ separateStreams: native, stdin: native, git: emulated, pty: missing, watch: missing },
  ...{ stop: missing, pause: missing, archive: missing, fork: missing, rollback: missing },
  ...{ templates: missing, names: missing, users: missing, network: missing },
  snapshots: { ...missing, includes: { memory: false, volumes: false } },
  volumes: { ...missing, sharedWrite: false, readOnly: false, subpath: false },
  idlePolicy: { ...missing, actions: [], defaultAction: 'stop', minMs: 0, maxMs: null },
  lifetime: { ...missing, maxMs: null },
  labels: { ...native, mutable: false },
  runCode: { ...emulated, languages: ['python', 'javascript', 'bash'] },
  ports: { ...native, private: false },
};

export class HostProvider extends api.SandboxProvider {
  readonly volumes = api.noVolumes('host');
  readonly snapshots = api.noSnapshots('host');
  readonly templates = api.noTemplates('host');
  readonly #sandboxes = new Map<string, HostSandbox>();

  constructor() {
    super('host');
  }

  capabilities = async () => CAPABILITIES;

  protected async createSandbox({ template, ...spec }: api.CreateSpec) {
    if (template !== undefined) throw new api.SandboxError('not_found', `No template ${template}`);
    const home = await mkdtemp(join(tmpdir(), 'host-sandbox-'));
    const sandbox = new HostSandbox(home, spec, () => this.#sandboxes.delete(sandbox.nativeId));
    this.#sandboxes.set(sandbox.nativeId, sandbox);
    return sandbox;
  }

  protected findSandbox = async (nativeId: string) => this.#sandboxes.get(nativeId);
  protected deleteSandbox = async (nativeId: string) => this.#sandboxes.get(nativeId)?.delete();

  protected async *listSandboxes({ labels = {}, states = ['running'] }: api.ListQuery) {
    if (!states.includes('running')) return;
    for (const sandbox of this.#sandboxes.values()) {
      const isIt = Object.entries(labels).every(([key, v]) => sandbox.spec.labels[key] === v);
      if (isIt) yield sandbox;
    }
  }
}

type Spec = Pick<api.CreateSpec, 'env' | 'labels'>;

class HostSandbox extends api.Sandbox {
  /** The folder. */
  readonly native: string;
  readonly spec: Spec;
  readonly files = new api.ShellFiles(this);
  readonly git = new api.ShellGit(this);
  readonly pty = api.noPty('host');
  readonly #onDelete: () => void;
  readonly #children = new Set<Child>();
  #isDeleted = false;

  constructor(home: string, spec: Spec, onDelete: () => void) {
    const nativeId = basename(home);
    const shown = Object.entries(spec.labels).filter(([key]) => !key.startsWith(api.OWN_LABELS));
    const id = api.joinId('host', nativeId);
    const rest = { labels: Object.fromEntries(shown), volumes: [], resources: {} };
    super('host', { id, nativeId, provider: 'host', state: 'running', ...rest });
    this.native = home;
    this.spec = spec;
    this.#onDelete = onDelete;
  }

  runCode = (code: string, options?: api.RunCodeOptions) => api.runCodeAsFile(this, code, options);
  start = async () => this.#mustExist();
  protected fetchInfo = async () => this.#mustExist() ?? this.lastInfo;

  async portUrl(port: number) {
    api.checkPort(port);
    this.#mustExist();
    return { url: `http://127.0.0.1:${port}`, headers: {} };
  }

  async delete() {
    if (this.#isDeleted) return;
    this.#isDeleted = true;
    for (const child of this.#children) child.kill();
    this.#onDelete();
    await rm(this.native, { recursive: true, force: true, maxRetries: 5 });
  }

  protected async startCommand(command: string, options: api.SpawnOptions) {
    this.#mustExist();
    const { cwd = '.', env, user } = options;
    if (user !== undefined) return this.cannot('other accounts', 'Leave user out.');
    const child = startInGroup(command, options, {
      cwd: resolve(this.native, cwd),
      env: { PATH: process.env.PATH, HOME: this.native, ...this.spec.env, ...env },
    });
    this.#children.add(child);
    return child.handle;
  }

  #mustExist(): undefined {
    if (!this.#isDeleted) return;
    throw new api.SandboxError('not_found', `${this.id} is gone`, { sandboxId: this.id });
  }
}
