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

/**
 * The error for one of the SDK. Matched by name and status: the classes differ by version and by the
 * name of the package, and a program may have both.
 */
export function fromSdk(error: unknown, context: ErrorContext): unknown {
  const { provider, sandboxId, where, signal } = context;
  if (signal?.aborted === true) return signal.reason;
  if (isSandboxError(error) || !(error instanceof Error)) return error;
  const native = error as NativeError;
  const told = { provider, sandboxId, cause: error };
  const { name } = error;
  const { message, statusCode } = unwrapped(native);
  if (statusCode === undefined && /API key or JWT token is required/i.test(message)) {
    const fix = 'set DAYTONA_API_KEY, or give apiKey to the provider';
    return new SandboxError('configuration', `There is no key for Daytona: ${fix}`, told);
  }
  // Whatever status such an answer began with.
  if (/stream has been aborted|socket hang up/i.test(message)) {
    const say = `The connection to ${provider} was lost before it had answered (${where})`;
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
      retryAfterMs: retryAfterMs(retryAfter === undefined ? null : `${retryAfter}`),
    });
  }
  const lost = fromTransport(error, provider, where);
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
    const say = `${provider} could not be reached at ${where}: ${message}`;
    return new SandboxError('unavailable', say, { ...told, retryable });
  }
  return new SandboxError('unavailable', `${provider} failed: ${message}`, told);
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
