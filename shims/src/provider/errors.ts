/**
 * What went wrong, the same word for every backend:
 *
 * - `invalid_argument`: the call can never work as it is.
 * - `unauthorized`: the backend does not know the key; `forbidden`: it knows it, and says no.
 * - `not_found`: the backend said that the thing does not exist. Never used for "could not tell".
 * - `conflict`: it exists, but in a state in which this cannot be done now.
 * - `timeout`: time ran out; the operation may still complete.
 * - `rate_limited`, `capacity`: later it may work.
 * - `unavailable`: the backend could not be reached, or failed.
 * - `unsupported`: this backend cannot do it, or not without losing something.
 * - `configuration`: no provider could be made: a missing package, key or setting.
 */
export type SandboxErrorCode =
  | 'invalid_argument'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'timeout'
  | 'rate_limited'
  | 'capacity'
  | 'unavailable'
  | 'unsupported'
  | 'configuration';

/**
 * Whether the same call may be made again. `true`: nothing has happened, and it may work later.
 * `false`: it would fail again. `'unknown'`: it may have happened, so only what is harmless twice may
 * be repeated.
 */
export type Retryable = boolean | 'unknown';

export interface SandboxErrorOptions {
  /** Defaults to what the code usually means, see {@link SandboxError.retryable}. */
  retryable?: Retryable;
  /** How long the backend asked to wait. */
  retryAfterMs?: number | undefined;
  /** Name of the provider. */
  provider?: string | undefined;
  /** Id of the sandbox, with its provider. */
  sandboxId?: string | undefined;
  /** The backend's own error. */
  cause?: unknown;
}

/** The only error that this package throws, besides the reason of an aborted `signal`. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: SandboxErrorCode;
  readonly retryable: Retryable;
  readonly retryAfterMs: number | undefined;
  readonly provider: string | undefined;
  readonly sandboxId: string | undefined;

  constructor(code: SandboxErrorCode, message: string, options: SandboxErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? RETRYABLE[code];
    this.retryAfterMs = options.retryAfterMs;
    this.provider = options.provider;
    this.sandboxId = options.sandboxId;
  }
}

const RETRYABLE: Readonly<Record<SandboxErrorCode, Retryable>> = {
  invalid_argument: false,
  unauthorized: false,
  forbidden: false,
  not_found: false,
  conflict: true,
  timeout: 'unknown',
  rate_limited: true,
  capacity: true,
  unavailable: 'unknown',
  unsupported: false,
  configuration: false,
};

/**
 * Whether something is a {@link SandboxError}, also one of another copy of this package.
 *
 * @example
 * if (isSandboxError(error) && error.code === 'not_found') …
 */
export function isSandboxError(error: unknown, code?: SandboxErrorCode): error is SandboxError {
  const isOurs =
    error instanceof SandboxError ||
    (error instanceof Error && error.name === 'SandboxError' && 'retryable' in error);
  return isOurs && (code === undefined || (error as SandboxError).code === code);
}

/** The error for what a backend cannot do; `instead` is what its user can do. */
export function unsupported(
  provider: string,
  what: string,
  instead: string,
  sandboxId?: string,
): SandboxError {
  const message = `${provider} does not support ${what}. ${instead}`;
  return new SandboxError('unsupported', message, { provider, sandboxId });
}
