import { existsSync, mkdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as api from '@cubeshift/sandbox';
import { type Child, startInGroup } from '../../../examples/provider/child.ts';
import type { Gate } from './gate.ts';
import { ScriptPty } from './script-pty.ts';
import { watchFolder } from './watch.ts';

export type Label = readonly [key: string, value: string];

/** Where files are, and what is mounted. */
export interface Disk {
  readonly home: string;
  readonly mounts: readonly { readonly path: string; readonly folder: string }[];
}

/** What the provider does for it. */
export interface Owner {
  /** Its name. */
  readonly provider: string;
  gone(): void;
  save(name: string | undefined): api.Snapshot;
  load(snapshotId: string): void;
  copy(): FullSandbox;
}

class WatchedFiles extends api.ShellFiles {
  override readonly watch = watchFolder;
}

/** A folder whose processes can be stopped and go on. */
export class FullSandbox extends api.Sandbox {
  readonly native: string;
  readonly spec: api.CreateSpec;
  readonly files = new WatchedFiles(this, { stdin: false });
  readonly git = new api.ShellGit(this);
  readonly pty: api.SandboxPty;
  labels: Readonly<Record<string, string>>;
  readonly #disk: Disk;
  readonly #gate: Gate;
  readonly #owner: Owner;
  readonly #children = new Set<Child>();
  #state: 'running' | 'paused' | 'stopped' | 'archived' | 'deleted' = 'running';
  #policy: api.IdlePolicy;
  #expiresAt: Date | undefined;

  constructor(spec: api.CreateSpec, disk: Disk, gate: Gate, owner: Owner) {
    const nativeId = basename(disk.home);
    const { provider } = owner;
    const id = api.joinId(provider, nativeId);
    const rest = { labels: {}, volumes: [], resources: {} };
    super(provider, { id, nativeId, provider, state: 'running', ...rest });
    this.native = disk.home;
    this.spec = spec;
    this.labels = spec.labels;
    this.#disk = disk;
    this.#gate = gate;
    this.#owner = owner;
    this.#policy = spec;
    if (spec.lifetimeMs !== undefined) this.#expiresAt = new Date(Date.now() + spec.lifetimeMs);
    for (const { path, folder } of disk.mounts) {
      mkdirSync(folder, { recursive: true });
      // Mounts of two sandboxes on one host are the same link.
      if (!existsSync(path)) symlinkSync(folder, path);
    }
    this.pty = new ScriptPty(this, (command, options) => this.startCommand(command, options));
    this.lastInfo = this.#info();
  }

  runCode = (code: string, options?: api.RunCodeOptions) => api.runCodeAsFile(this, code, options);
  protected fetchInfo = async () => this.#info();

  async portUrl(port: number): Promise<api.PortUrl> {
    api.checkPort(port);
    this.#must('running');
    if (this.spec.public === true) return { url: `http://127.0.0.1:${port}`, headers: {} };
    return this.#gate.url(port);
  }

  async start(): Promise<void> {
    if (this.#must() === 'paused') this.#signal('SIGCONT');
    this.#state = 'running';
  }

  override async stop(): Promise<void> {
    this.#must();
    this.#end();
    this.#state = 'stopped';
  }

  override async pause(): Promise<void> {
    if (this.#must() === 'running') this.#signal('SIGSTOP');
    this.#state = 'paused';
  }

  override async archive(): Promise<void> {
    await this.stop();
    this.#state = 'archived';
  }

  async delete(): Promise<void> {
    if (this.#state === 'deleted') return;
    this.#end();
    this.#state = 'deleted';
    this.#owner.gone();
    rmSync(this.native, { recursive: true, force: true, maxRetries: 5 });
    for (const { path } of this.#disk.mounts) if (existsSync(path)) unlinkSync(path);
  }

  override async snapshot({ name }: api.SnapshotOptions = {}): Promise<api.Snapshot> {
    this.#must('running');
    return this.#owner.save(name);
  }

  override async rollback(snapshotId: string): Promise<void> {
    this.#must();
    this.#end();
    this.#owner.load(snapshotId);
  }

  override async fork(): Promise<api.Sandbox> {
    this.#must('running');
    return this.#owner.copy();
  }

  override async keepAlive(): Promise<void> {
    this.#must('running');
  }

  override async setIdlePolicy(policy: api.IdlePolicy): Promise<void> {
    this.#must();
    this.#policy = policy;
  }

  override async setLifetime(lifetimeMs: number): Promise<void> {
    this.#must();
    this.#expiresAt = new Date(Date.now() + lifetimeMs);
  }

  override async setLabels(labels: Readonly<Record<string, string>>): Promise<void> {
    this.#must();
    const own = Object.entries(this.labels).filter(([key]) => key.startsWith(api.OWN_LABELS));
    this.labels = { ...labels, ...Object.fromEntries(own) };
  }

  protected async startCommand(command: string, options: api.SpawnOptions) {
    this.#must('running');
    const { cwd = '.', env, user } = options;
    if (user !== undefined) return this.cannot('other accounts', 'Leave user out.');
    const child = startInGroup(`exec 2>&1\n${command}`, options, {
      cwd: join(cwd.startsWith('/') ? '/' : this.native, cwd),
      env: { PATH: process.env.PATH, HOME: this.native, ...this.spec.env, ...env },
    });
    this.#children.add(child);
    const { handle } = child;
    const wait = handle.wait.bind(handle);
    handle.wait = async (call) => ({ ...(await wait(call)), streamsMerged: true });
    return handle;
  }

  #info(): api.SandboxInfo {
    const state = this.#must();
    const shown = Object.entries(this.labels).filter(([key]) => !key.startsWith(api.OWN_LABELS));
    const { name, template = 'base', volumes = [] } = this.spec;
    return {
      ...{
        id: this.id,
        nativeId: this.nativeId,
        provider: this.provider,
        state,
        template,
        volumes,
      },
      labels: Object.fromEntries(shown),
      resources: {},
      idleTimeoutMs: this.#policy.idleTimeoutMs,
      onIdle: this.#policy.onIdle,
      ...(name === undefined ? {} : { name }),
      ...(this.#expiresAt === undefined ? {} : { expiresAt: this.#expiresAt }),
    };
  }

  #must(wanted?: 'running'): api.SandboxState {
    const state = this.#state;
    if (state === 'deleted') throw new api.SandboxError('not_found', `${this.id} is gone`);
    if (wanted === undefined || state === wanted) return state;
    throw new api.SandboxError('conflict', `${this.id} is ${state}`, { retryable: false });
  }

  #end(): void {
    this.#signal('SIGKILL');
    this.#children.clear();
  }

  #signal(signal: NodeJS.Signals): void {
    for (const child of this.#children) child.kill(signal);
  }
}
