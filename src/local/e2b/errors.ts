import { EngineError } from '../engine/errors.ts';
import { HttpFailure } from '../http/failure.ts';
import { empty, json, plain, type Reply } from '../http/reply.ts';
import type { Preset } from './presets.ts';

/** A failure the control plane or envd's HTTP part tells in `{code, message}`. */
export class ApiError extends HttpFailure {
  override name = 'ApiError';
}

/** What a body looks like that is not of the shape the route wants. */
export class ShapeError extends Error {
  override name = 'ShapeError';
  /** Path to the value, as `/network/allowOut`. */
  readonly at: string;
  /** Undefined: it is missing. */
  readonly found: string | undefined;
  readonly expected: string;

  constructor(at: string, expected: string, found?: string) {
    super(`${at} should be ${expected}`);
    this.at = at;
    this.expected = expected;
    this.found = found;
  }
}

/** The body is not JSON at all, or not said to be. */
export class SyntaxFailure extends Error {
  override name = 'SyntaxFailure';
}

/** The failure that an error on the control plane is told as. */
export function controlFailure(error: unknown, preset: Preset): Reply {
  if (error instanceof ShapeError) return shapeFailure(error, preset);
  if (error instanceof SyntaxFailure) {
    const { message } = error;
    return preset.quirks.answersLikeAxum
      ? plain(400, `Failed to parse the request body as JSON: ${message}`)
      : apiFailure(
          400,
          `request body has an error: failed to decode request body: ${message.toLowerCase()}`,
        );
  }
  if (error instanceof HttpFailure) {
    return apiFailure(error.status, error.message, error.headers);
  }
  if (error instanceof EngineError) return apiFailure(engineStatus(error), error.message);
  return apiFailure(500, 'internal server error');
}

function apiFailure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return json(status, { code: status, message }, headers);
}

/** serde's words through axum, or kin-openapi's through gin. */
function shapeFailure({ at, expected, found }: ShapeError, preset: Preset): Reply {
  const name = at.split('/').pop() ?? '';
  if (preset.quirks.answersLikeAxum) {
    const inner = at.slice(1).replaceAll('/', '.');
    const reason =
      found === undefined
        ? `missing field \`${name}\``
        : `${inner === '' ? '' : `${inner}: `}invalid type: ${found}, expected ${expected}`;
    return plain(422, `Failed to deserialize the JSON body into the target type: ${reason}`);
  }
  const reason =
    found === undefined ? `property "${name}" is missing` : `value must be ${expected}`;
  return apiFailure(
    400,
    `request body has an error: doesn't match schema: Error at "${at}": ${reason}`,
  );
}

/** No such route, or not with this method. */
export function noRoute(preset: Preset, allowed: readonly string[] | undefined): Reply {
  const status = allowed === undefined ? 404 : 405;
  if (preset.quirks.answersLikeAxum) {
    return empty(status, allowed === undefined ? {} : { allow: allowed.join(',') });
  }
  const message = status === 404 ? 'no matching operation was found' : 'method not allowed';
  return apiFailure(status, message);
}

/** HTTP statuses for what the engine refuses. */
export function engineStatus({ code }: EngineError): number {
  switch (code) {
    case 'not-found':
      return 404;
    case 'exists':
      return 409;
    case 'unknown-user':
      return 401;
    case 'no-space':
      return 507;
    case 'not-directory':
    case 'is-directory':
    case 'not-a-file':
    case 'not-empty':
    case 'link-loop':
    case 'bad-cwd':
    case 'invalid':
      return 400;
    case 'closed':
    case 'not-running':
    case 'refused':
      return 502;
    default:
      return 500;
  }
}

/** Whether the engine says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof EngineError && (error.code === 'not-found' || error.code === 'not-directory')
  );
}
