import { isSandboxError, SandboxError } from '../../provider/errors.ts';
import { fromStatus } from '../http/status.ts';
import { fromTransport } from '../http/transport.ts';
import type { E2BSdk } from './sdk.ts';

export interface ErrorContext {
  sdk: E2BSdk;
  provider: string;
  /** Id of the sandbox with its provider, when there is one. */
  sandboxId?: string | undefined;
  /** Where requests go, for what could not be reached. */
  where: string;
  signal?: AbortSignal | undefined;
}

const STATUS = /^(?:\[?(\d{3})\]?|(\d{1,2})): /;

/** Numbers of Connect's codes, which the SDK puts before messages. Source: connectrpc.com/docs/protocol */
const CONNECT: Readonly<Record<number, number>> = {
  1: 408, // canceled
  3: 400,
  4: 408, // deadline exceeded
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 409,
  10: 409,
  12: 501,
  14: 502,
  16: 401,
};

/** The error for one of the SDK. What is none of its own goes through. */
export function fromSdk(error: unknown, context: ErrorContext): unknown {
  const { sdk, provider, sandboxId, where, signal } = context;
  if (signal?.aborted === true) return signal.reason;
  if (isSandboxError(error) || !(error instanceof Error)) return error;
  const told = { provider, sandboxId, cause: error };
  const say = error.message;
  const status = statusOf(error);
  if (error instanceof sdk.AuthenticationError) {
    // Also thrown without asking anybody, for a key that is missing or has another form.
    const needsKey = /key is required|key format/i.test(say);
    return needsKey
      ? new SandboxError('configuration', keyProblem(say), told)
      : fromStatus(401, say, { ...told, where });
  }
  const unreached = unreachedSandbox(error, context);
  if (unreached !== undefined) return unreached;
  if (error instanceof sdk.NotFoundError) return new SandboxError('not_found', say, told);
  if (error instanceof sdk.InvalidArgumentError) {
    return new SandboxError('invalid_argument', say, told);
  }
  if (error instanceof sdk.NotEnoughSpaceError) return fromStatus(507, say, told);
  if (error instanceof sdk.RateLimitError) return fromStatus(429, say, told);
  if (error.name === 'ServiceBusyError') return fromStatus(503, say, told);
  if (status !== undefined) return fromStatus(status, say, { ...told, where });
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return new SandboxError('timeout', `${provider} did not answer in time (${where})`, told);
  }
  const lost = fromTransport(error, provider, wayTo(context));
  if (lost !== undefined) return lost;
  // Streams that break off: what ran may have run.
  return new SandboxError('unavailable', `${provider} failed: ${say}`, told);
}

/** A call to a sandbox does not go where those to the control plane go. */
function wayTo({ sandboxId, where }: ErrorContext): string {
  return sandboxId === undefined ? where : `the address of ${sandboxId} (${SETTINGS})`;
}

const SETTINGS = 'sandboxUrl of E2B, proxyUrl of CubeSandbox';

/** The error for a call that did not get to a sandbox, of which the SDK tells little. */
function unreachedSandbox(error: Error, context: ErrorContext): SandboxError | undefined {
  const { provider, sandboxId } = context;
  // The gateway of the Cube provider tells in its answer what went wrong behind it.
  const [, url] = /gateway: (\S+) could not be reached: /.exec(error.message) ?? [];
  if (url !== undefined) return fromTransport(error, provider, url);
  if (sandboxId === undefined || !/^\d: \[unknown\] fetch failed$/.test(error.message)) return;
  const told = `${provider} could not be reached at ${wayTo(context)}, and the SDK does not say why`;
  const fix =
    'If it never answers, look for https:// where http:// is spoken or the other way round, for a wrong name or port, and for a certificate whose authority NODE_EXTRA_CA_CERTS does not name';
  return new SandboxError('unavailable', `${told}. ${fix}`, {
    provider,
    sandboxId,
    retryable: 'unknown',
    cause: error,
  });
}

function statusOf(error: Error): number | undefined {
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  const [, http, connect] = STATUS.exec(error.message) ?? [];
  if (http !== undefined) return Number(http);
  return connect === undefined ? undefined : (CONNECT[Number(connect)] ?? 500);
}

function keyProblem(say: string): string {
  return /required/i.test(say)
    ? 'There is no API key for E2B: set E2B_API_KEY, or give apiKey to the provider'
    : `The API key has a form that this version of e2b refuses: ${say}`;
}
