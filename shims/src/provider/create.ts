import type { IdleAction } from './capabilities.ts';

/** Options of every call. An aborted call rejects with the signal's reason. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Options of calls that wait for a state. */
export interface WaitOptions extends CallOptions {
  /** How long to wait for it. After that the call throws `timeout`, and the change may still happen. */
  timeoutMs?: number | undefined;
}

/** When an unused sandbox stops costing, and what is kept of it. */
export interface IdlePolicy {
  /** Time without a call; `null` means never. */
  idleTimeoutMs: number | null;
  /** What happens then. Which ones there are is in `capabilities().idlePolicy.actions`. */
  onIdle: IdleAction;
}

/** What a sandbox may reach. Without rules everything that the backend lets through. */
export interface NetworkOptions {
  /** `false` closes the way to the internet, but for what `allow` names. */
  internet?: boolean;
  /** Addresses, CIDR blocks or host names that may be reached; all others may not. */
  allow?: readonly string[];
  /** Addresses or CIDR blocks that may not be reached. */
  deny?: readonly string[];
}

/** A volume in a sandbox. */
export interface VolumeMount {
  /** Name of the volume. */
  volume: string;
  /** Absolute path in the sandbox. */
  path: string;
  /** A folder of the volume to mount instead of all of it. */
  subpath?: string;
  readOnly?: boolean;
}

/** What is asked of a new sandbox. What is left out has the same default on every backend. */
export interface CreateOptions {
  /** What it starts from, by the backend's name for it. Defaults to the provider's `template`. */
  template?: string;
  /** A name that `get` and `find` take as well as its id; one that is taken is `conflict`. */
  name?: string;
  /** Small texts to find it by. */
  labels?: Readonly<Record<string, string>>;
  /** Variables of every process in it. */
  env?: Readonly<Record<string, string>>;
  /** The account that commands and file calls use unless they name another. */
  user?: string;
  /** Defaults to 15 minutes; `null` means never. */
  idleTimeoutMs?: number | null;
  /** Defaults to `capabilities().idlePolicy.defaultAction`, which keeps the files. */
  onIdle?: IdleAction;
  /** It is deleted so long after its creation, used or not. Defaults to never. */
  lifetimeMs?: number;
  volumes?: readonly VolumeMount[];
  network?: NetworkOptions;
  /**
   * Whether ports can be reached without the headers that `portUrl` gives. Defaults to `false`, but see
   * `capabilities().ports` of CubeSandbox.
   */
  public?: boolean;
  /**
   * Makes the call repeatable: a later create with the same token gives the sandbox of the first, also
   * when the first answer was lost, and so does one at the same time through the same provider object.
   * Defaults to a new one for each call.
   */
  token?: string;
}

/** Options of the call that creates. */
export interface CreateCallOptions extends CallOptions {
  /** How long to wait until commands can run. A sandbox that comes later is deleted. */
  startTimeoutMs?: number | undefined;
}

/** Default of `idleTimeoutMs`: that of Daytona, which most callers come from. */
export const DEFAULT_IDLE_TIMEOUT_MS = 15 * 60_000;
