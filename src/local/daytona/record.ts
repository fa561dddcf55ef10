import type { Box } from './toolbox/box.ts';

/** States a client may see (api-client `SandboxState`); those that never occur here are left out. */
export type SandboxState =
  | 'pending_build'
  | 'building_snapshot'
  | 'build_failed'
  | 'creating'
  | 'starting'
  | 'started'
  | 'stopping'
  | 'stopped'
  | 'pausing'
  | 'paused'
  | 'resuming'
  | 'archiving'
  | 'archived'
  | 'restoring'
  | 'snapshotting'
  | 'forking'
  | 'resizing'
  | 'destroying'
  | 'destroyed'
  | 'error';

export type DesiredState = 'started' | 'stopped' | 'archived' | 'paused' | 'destroyed' | 'resized';

export type SandboxClass = 'container' | 'linux-vm' | 'windows' | 'android';

export interface VolumeMount {
  volumeId: string;
  mountPath: string;
  subpath?: string;
}

export interface BuildInfo {
  dockerfileContent: string;
  contextHashes: readonly string[];
  createdAt: number;
  snapshotRef: string;
}

/** What an image says about the processes started from it. */
export interface ImageConfig {
  env: Readonly<Record<string, string>>;
  workDir?: string;
  user?: string;
  /** ENTRYPOINT and CMD in one. */
  entrypoint?: readonly string[];
}

/** One sandbox as the control plane keeps it. Times are milliseconds, intervals minutes. */
export interface SandboxRecord {
  readonly id: string;
  name: string;
  snapshot?: string;
  /** As the client named it; shown, and told to processes. */
  user: string;
  /** The account that processes run as: the image's, unless the client named one. */
  account: string;
  /** As given by the client, without what the service adds. */
  env: Record<string, string>;
  image: ImageConfig;
  labels: Record<string, string>;
  /** Variable to name of the secret. */
  secrets: Record<string, string>;
  isPublic: boolean;
  networkBlockAll: boolean;
  networkAllowList?: string;
  domainAllowList?: string;
  outboundProxyUrl?: string;
  otelEndpointOverride?: string;
  target: string;
  sandboxClass: SandboxClass;
  cpu: number;
  gpu: number;
  memory: number;
  disk: number;
  state: SandboxState;
  desiredState: DesiredState;
  errorReason?: string;
  recoverable?: boolean;
  backupState: 'None' | 'Completed';
  backupAt?: number;
  autoStopMin: number;
  autoPauseMin: number;
  autoArchiveMin: number;
  autoDeleteMin: number;
  /** From `ttlMinutes`. */
  destroyAt?: number;
  volumes: readonly VolumeMount[];
  buildInfo?: BuildInfo;
  linkedSandboxId?: string;
  parentId?: string;
  createdAt: number;
  updatedAt: number;
  lastActivityAt: number;
  /** When it last stopped; archiving does not change that. */
  stoppedAt?: number;
  /** Opens previews; new after every start, kept by pause and resume. */
  authToken: string;
  signingKey: string;
  /** Whether a change of its state is under way. */
  isChanging: boolean;
  /** Calls and connections that are open: as long as there are any, it is not idle. */
  openCalls: number;
  /** Processes and what belongs to them, while it runs. */
  box?: Box;
  /** Cancels the timer for the next thing due. */
  cancelTimer?: () => void;
}

export function isEphemeral(record: SandboxRecord): boolean {
  return record.autoDeleteMin === 0;
}

/** Only virtual machines keep their memory. */
export function keepsMemory({ sandboxClass }: SandboxRecord): boolean {
  return sandboxClass === 'linux-vm' || sandboxClass === 'windows';
}
