import { STATUS_CODES } from 'node:http';
import { EngineError, type EngineErrorCode } from '../engine/errors.ts';
import { HttpFailure } from '../http/failure.ts';
import { json, type Reply } from '../http/reply.ts';
import { iso } from './dto.ts';

/** Who speaks: clients choose an error class by `source` and `code`. */
export type Source = 'DAYTONA_API' | 'DAYTONA_DAEMON' | 'DAYTONA_PROXY';

/** A failure with the machine-readable code that newer clients know. */
export class DaytonaFailure extends HttpFailure {
  override name = 'DaytonaFailure';
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(status, message);
    this.code = code;
  }
}

/** Codes of the daemon for statuses that have no more telling one. */
const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  410: 'GONE',
  422: 'UNPROCESSABLE_ENTITY',
  500: 'INTERNAL_SERVER_ERROR',
};

/** The daemon puts the kind before the text of everything but bad requests. */
export const notFound = (text: string): DaytonaFailure =>
  new DaytonaFailure(404, `not found: ${text}`);
export const conflict = (text: string): DaytonaFailure =>
  new DaytonaFailure(409, `conflict: ${text}`);
export const gone = (text: string, code: string): DaytonaFailure =>
  new DaytonaFailure(410, `gone: ${text}`, code);
export const badRequest = (text: string): DaytonaFailure => new DaytonaFailure(400, text);

/** What the toolbox of a sandbox that does not run answers; programs look for these words. */
export const NOT_RUNNING = 'no IP address found. Is the Sandbox started?';

const STATUS_BY_ENGINE: Partial<Record<EngineErrorCode, readonly [number, string?]>> = {
  'not-found': [404, 'FILE_NOT_FOUND'],
  denied: [403, 'FILE_ACCESS_DENIED'],
  exists: [409],
  'not-running': [400],
  'no-space': [500],
  'spawn-failed': [500],
  refused: [502],
  closed: [503],
};

/** Words of the operating system, as the daemon passes them on. */
const ERRNO: Partial<Record<EngineErrorCode, string>> = {
  'not-found': 'no such file or directory',
  'not-directory': 'not a directory',
  'is-directory': 'is a directory',
  'not-empty': 'directory not empty',
  exists: 'file exists',
  denied: 'permission denied',
  'no-space': 'no space left on device',
  'link-loop': 'too many levels of symbolic links',
};

/** A failure of the engine about a file, in the daemon's words: `<verb> <path>: <reason>`. */
export function fileFailure(error: unknown, verb: string, path: string): unknown {
  if (!(error instanceof EngineError) || error.code === 'not-running') return error;
  const [status, code] = STATUS_BY_ENGINE[error.code] ?? [400];
  return new DaytonaFailure(status, `${verb} ${path}: ${ERRNO[error.code] ?? error.message}`, code);
}

/** Whether a failure says all there is to say about it, so that only whoever asked need hear of it. */
export function isExpected(error: unknown): boolean {
  return error instanceof HttpFailure || error instanceof EngineError;
}

interface Told {
  status: number;
  message: string;
  code?: string | undefined;
  headers?: Readonly<Record<string, string>>;
}

function told(error: unknown): Told {
  if (error instanceof DaytonaFailure) return error;
  if (error instanceof HttpFailure) return error;
  if (error instanceof EngineError) {
    const [status, code] = STATUS_BY_ENGINE[error.code] ?? [400];
    const isStopped = error.code === 'not-running';
    return { status, code, message: isStopped ? NOT_RUNNING : error.message };
  }
  // What is not expected may name folders of this host.
  return { status: 500, message: 'An unexpected error occurred.' };
}

/** The body that clients of this service expect, in the dialect of whoever answers at `path`. */
export function failureReply(error: unknown, source: Source, path: string, now: number): Reply {
  const { status, message, code, headers } = told(error);
  const timestamp = iso(now);
  if (source === 'DAYTONA_API') {
    const body = { path, timestamp, statusCode: status, error: STATUS_CODES[status], message };
    return json(status, { ...body, ...(code === undefined ? {} : { code }), source }, headers);
  }
  const named = code ?? CODE_BY_STATUS[status] ?? 'INTERNAL_SERVER_ERROR';
  return json(
    status,
    { statusCode: status, message, code: named, source, timestamp, path },
    headers,
  );
}

/** What the control plane says when a name is taken. */
export function conflictName(kind: string, name: string): DaytonaFailure {
  return new DaytonaFailure(409, `${kind} with name ${name} already exists`);
}
