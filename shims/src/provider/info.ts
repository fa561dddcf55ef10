import type { IdleAction } from './capabilities.ts';
import type { VolumeMount } from './create.ts';

/**
 * Where a sandbox is in its life. `starting`, `stopping` and `archiving` pass by themselves;
 * `unknown` is a state that this package has no word for.
 */
export type SandboxState =
  | 'starting'
  | 'running'
  | 'pausing'
  | 'paused'
  | 'stopping'
  | 'stopped'
  | 'archiving'
  | 'archived'
  | 'deleting'
  | 'failed'
  | 'unknown';

/** Size of a sandbox; what a backend does not tell is left out. */
export interface Resources {
  readonly cpu?: number;
  readonly memoryMb?: number;
  readonly diskMb?: number;
}

/** What a backend says about a sandbox at one moment. */
export interface SandboxInfo {
  /** With the name of its provider: `cube:9f…`. */
  readonly id: string;
  /** The backend's own id. */
  readonly nativeId: string;
  /** Name of the provider. */
  readonly provider: string;
  readonly state: SandboxState;
  readonly name?: string;
  readonly template?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt?: Date;
  /** When it will be stopped, paused or deleted if nothing happens; unset when never or not told. */
  readonly expiresAt?: Date;
  readonly idleTimeoutMs?: number | null;
  readonly onIdle?: IdleAction;
  readonly volumes: readonly VolumeMount[];
  readonly resources: Resources;
  /** What went wrong, of one that failed. */
  readonly error?: string;
}

/** Which sandboxes a list should hold. All conditions have to be met. */
export interface ListQuery {
  labels?: Readonly<Record<string, string>>;
  states?: readonly SandboxState[];
}
