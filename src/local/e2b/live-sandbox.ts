import type { Sandbox } from '../engine/sandbox.ts';
import { KernelPool } from '../kernels/index.ts';
import { kernelSpawn } from '../sandbox-kernels.ts';
import type { FileMetadata } from './envd/metadata.ts';
import type { Processes } from './envd/processes.ts';
import type { Watchers } from './envd/watchers.ts';
import type { Lifetime } from './lifetime.ts';
import type { NetworkConfig } from './network.ts';
import type { StartPoint } from './templates.ts';

export interface VolumeMount {
  name: string;
  path: string;
  readOnly?: boolean;
}

/** What a sandbox was asked to be. */
export interface SandboxSpec {
  template: StartPoint;
  metadata: Readonly<Record<string, string>>;
  envs: Readonly<Record<string, string>>;
  timeoutS: number;
  onTimeout: 'kill' | 'pause';
  /** When its lifetime ends in a pause. */
  keepsMemory: boolean;
  autoResume: boolean;
  network: NetworkConfig;
  allowInternet: boolean | undefined;
  mounts: readonly VolumeMount[];
  isSecure: boolean;
}

/** A line of a sandbox's log. */
export interface LogLine {
  timestamp: number;
  level: 'info' | 'error';
  message: string;
}

const MAX_LOG_LINES = 1000;

/** What belongs to one sandbox besides its files and processes. */
export interface Parts {
  processes: Processes;
  watchers: Watchers;
  metadata: FileMetadata;
}

/** One sandbox, as clients see it. */
export class LiveSandbox {
  readonly id: string;
  readonly spec: SandboxSpec;
  readonly engine: Sandbox;
  readonly lifetime: Lifetime;
  readonly envdToken: string | undefined;
  readonly trafficToken: string | undefined;
  /** Variables of every process. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: Processes;
  readonly watchers: Watchers;
  readonly metadata: FileMetadata;
  network: NetworkConfig;
  allowInternet: boolean | undefined;
  startedAt: number;
  state: 'running' | 'paused' = 'running';
  /** Paused without its memory: it starts from its disk, and traffic does not wake it. */
  isCold = false;
  /** Whatever goes wrong with it from then on, that is why. */
  isEnded = false;
  /** A change of state on its way. */
  transition: { to: 'running' | 'paused'; done: Promise<void> } | undefined;
  readonly log: LogLine[] = [];
  #connections = new AbortController();
  #kernels: KernelPool | undefined;
  readonly #kernelEnv: Readonly<Record<string, string>>;

  constructor(
    facts: {
      id: string;
      spec: SandboxSpec;
      engine: Sandbox;
      lifetime: Lifetime;
      envdToken: string | undefined;
      trafficToken: string | undefined;
      env: Readonly<Record<string, string>>;
      kernelEnv: Readonly<Record<string, string>>;
      startedAt: number;
    },
    parts: (sandbox: LiveSandbox) => Parts,
  ) {
    this.id = facts.id;
    this.spec = facts.spec;
    this.engine = facts.engine;
    this.lifetime = facts.lifetime;
    this.envdToken = facts.envdToken;
    this.trafficToken = facts.trafficToken;
    this.env = facts.env;
    this.#kernelEnv = facts.kernelEnv;
    this.network = facts.spec.network;
    this.allowInternet = facts.spec.allowInternet;
    this.startedAt = facts.startedAt;
    const { processes, watchers, metadata } = parts(this);
    this.processes = processes;
    this.watchers = watchers;
    this.metadata = metadata;
  }

  /** Aborted when connections into the sandbox break: at a pause and at its end. */
  get connections(): AbortSignal {
    return this.#connections.signal;
  }

  /** Code kernels; made when first wanted. */
  get kernels(): KernelPool {
    // E2B's kernels belong to a service that runs as root, in the user's home.
    this.#kernels ??= new KernelPool({
      spawn: kernelSpawn(this.engine),
      cwd: '/home/user',
      user: 'root',
      env: this.#kernelEnv,
    });
    return this.#kernels;
  }

  /** Breaks all connections into the sandbox; new ones may come. */
  cut(): void {
    this.#connections.abort();
    this.#connections = new AbortController();
  }

  /** Forgets what ends with the processes. */
  async forgetProcesses(): Promise<void> {
    const kernels = this.#kernels;
    this.#kernels = undefined;
    this.watchers.close();
    await kernels?.close();
  }

  note(level: LogLine['level'], message: string, timestamp: number): void {
    this.log.push({ level, message, timestamp });
    if (this.log.length > MAX_LOG_LINES) this.log.shift();
  }
}
