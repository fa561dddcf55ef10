import { isSandboxError, SandboxError } from '../../provider/errors.ts';
import { fromStatus, retryAfterMs } from '../http/status.ts';
import { fromTransport } from '../http/transport.ts';

export interface ErrorContext {
  provider: string;
  sandboxId?: string | undefined;
  where: string;
  signal?: AbortSignal | undefined;
}

/** What errors of the SDK have, since which version whatever. */
interface NativeError extends Error {
  statusCode?: number | undefined;
  code?: string;
  headers?: Record<string, unknown>;
}

/** What it says without a key, by version. */
const NO_KEY =
  /API key or JWT token is required|credentials not found|Organization ID is required when using JWT/i;

/**
 * The error for one of the SDK. Matched by name and status: the classes differ by version and by the
 * name of the package, and a program may have both.
 */
export function fromSdk(thrown: unknown, context: ErrorContext): unknown {
  const { provider, sandboxId, where, signal } = context;
  if (signal?.aborted === true) return signal.reason;
  const error = inside(thrown);
  if (isSandboxError(error) || !(error instanceof Error)) return error;
  const native = error as NativeError;
  const told = { provider, sandboxId, cause: error };
  const { name } = error;
  const { message, statusCode } = unwrapped(native);
  if (statusCode === undefined && NO_KEY.test(message)) {
    const fix = 'set DAYTONA_API_KEY, or give apiKey to the provider';
    return new SandboxError('configuration', `There is no key for Daytona: ${fix}`, told);
  }
  // Whatever status such an answer began with.
  if (/stream has been aborted/i.test(message)) {
    const say = `The connection to ${provider} at ${where} was lost before it had answered`;
    return new SandboxError('unavailable', say, { ...told, retryable: 'unknown' });
  }
  if (statusCode === 404 && !isJson(native)) {
    const say = `${where} does not know this kind of request: is it the address of Daytona's API?`;
    return new SandboxError('unavailable', say, { ...told, retryable: false });
  }
  if (statusCode !== undefined) {
    const retryAfter = native.headers?.['retry-after'];
    return fromStatus(statusCode, message, {
      ...told,
      where,
      retryAfterMs: retryAfterMs(retryAfter === undefined ? null : `${retryAfter}`),
    });
  }
  // The address of the toolbox, which calls to a sandbox go to, is told by the control plane.
  const place = sandboxId === undefined ? where : `${where}, or the toolbox of ${sandboxId}`;
  const lost = fromTransport(error, provider, place);
  if (lost !== undefined) return lost;
  if (/Timeout/.test(name) || /timed? ?out/i.test(message)) {
    return new SandboxError('timeout', message, told);
  }
  if (/InvalidArgument|Validation/.test(name)) {
    return new SandboxError('invalid_argument', message, told);
  }
  if (/NotFound/.test(name)) return new SandboxError('not_found', message, told);
  if (/Connection/.test(name) || /ECONNREFUSED|ENOTFOUND/.test(message)) {
    const retryable = /ECONNREFUSED|ENOTFOUND/.test(message) ? true : 'unknown';
    const say = `${provider} could not be reached at ${place}: ${message}`;
    return new SandboxError('unavailable', say, { ...told, retryable });
  }
  return new SandboxError('unavailable', `${provider} failed: ${message}`, told);
}

/** What a WebSocket throws is an event, which has the error. */
function inside(thrown: unknown): unknown {
  const isEvent = typeof thrown === 'object' && thrown !== null && !(thrown instanceof Error);
  return isEvent && 'error' in thrown ? thrown.error : thrown;
}

/** Older versions give some answers of the server as they came, as the text of the error. */
function unwrapped({
  message,
  statusCode,
}: NativeError): Pick<NativeError, 'message' | 'statusCode'> {
  if (statusCode !== undefined || !message.startsWith('{')) return { message, statusCode };
  try {
    const answer = JSON.parse(message) as { statusCode?: unknown; message?: unknown };
    if (typeof answer.statusCode !== 'number') return { message, statusCode };
    return { message: `${answer.message}`, statusCode: answer.statusCode };
  } catch {
    return { message, statusCode };
  }
}

/** Whether an answer came from Daytona rather than from a server that happens to be there. */
function isJson({ headers, code }: NativeError): boolean {
  if (headers === undefined) return true;
  return code !== undefined || /json/i.test(`${headers['content-type'] ?? 'json'}`);
}
