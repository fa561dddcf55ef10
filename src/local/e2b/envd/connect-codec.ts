import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { EngineError } from '../../engine/errors.ts';
import { bodyStream, readBytes } from '../../http/body.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { Fields } from '../body.ts';
import { ShapeError } from '../errors.ts';

/** The Connect protocol (connectrpc.com/docs/protocol), in its JSON form. */

const STATUS = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  unauthenticated: 401,
} as const;

export type RpcCode = keyof typeof STATUS;

export class RpcError extends Error {
  override name = 'RpcError';
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Breaks the connection instead of ending the answer, as when a sandbox goes away. */
export class ConnectionReset extends Error {
  override name = 'ConnectionReset';
  readonly code = 'ECONNRESET';
}

/** What a client is told of an error. */
export function rpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof ShapeError) {
    return new RpcError('invalid_argument', `unmarshal message: ${error.message}`);
  }
  if (error instanceof EngineError) return new RpcError(codeOf(error), error.message);
  return new RpcError('internal', 'internal server error');
}

function codeOf({ code }: EngineError): RpcCode {
  switch (code) {
    case 'not-found':
      return 'not_found';
    case 'exists':
      return 'already_exists';
    case 'unknown-user':
      return 'unauthenticated';
    case 'bad-cwd':
    case 'invalid':
    case 'not-directory':
    case 'is-directory':
    case 'not-a-file':
    case 'spawn-failed':
      return 'invalid_argument';
    case 'link-loop':
      return 'failed_precondition';
    case 'not-running':
    case 'closed':
      return 'unavailable';
    case 'unsupported':
      return 'unimplemented';
    default:
      return 'internal';
  }
}

export function unaryFailure(error: unknown): Reply {
  const { code, message } = rpcError(error);
  return json(STATUS[code], { code, message });
}

const COMPRESSED = 1;
const END = 2;
const HEAD_BYTES = 5;
const MAX_MESSAGE = 64 * 1024 * 1024;

/** One message of a stream. */
export function frame(message: object, flags = 0): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + length);
  bytes.writeUInt8(flags, 0);
  bytes.writeUInt32BE(length, 1);
  bytes.write(text, HEAD_BYTES);
  return bytes;
}

/** The last frame of a stream. The HTTP status was 200 long before. */
export function endFrame(error?: RpcError): Buffer {
  return frame(
    error === undefined ? {} : { error: { code: error.code, message: error.message } },
    END,
  );
}

export async function readUnary(call: Call): Promise<Fields> {
  const text = (await readBytes(call.request)).toString('utf8');
  return parse(text === '' ? '{}' : text);
}

/** The messages a client streams, each as it arrives. */
export async function* readStream(call: Call): AsyncGenerator<Fields, void, undefined> {
  let waiting = Buffer.alloc(0);
  for await (const chunk of bodyStream(call.request)) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (waiting.length >= HEAD_BYTES) {
      const flags = waiting.readUInt8(0);
      const end = HEAD_BYTES + waiting.readUInt32BE(1);
      if (end > MAX_MESSAGE) throw new RpcError('resource_exhausted', 'message is too large');
      if (waiting.length < end) break;
      const bytes = waiting.subarray(HEAD_BYTES, end);
      waiting = waiting.subarray(end);
      if ((flags & END) !== 0) return;
      yield parse((await decompress(bytes, flags, call)).toString('utf8'));
    }
  }
  if (waiting.length > 0)
    throw new RpcError('invalid_argument', 'protocol error: incomplete envelope');
}

/** The one message of a call whose answer is a stream. */
export async function readOne(call: Call): Promise<Fields> {
  for await (const message of readStream(call)) return message;
  throw new RpcError('unimplemented', 'unary request has zero messages');
}

const unzip = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

async function decompress(bytes: Buffer, flags: number, call: Call): Promise<Buffer> {
  if ((flags & COMPRESSED) === 0) return bytes;
  if (call.request.headers['connect-content-encoding'] !== 'gzip') {
    throw new RpcError(
      'invalid_argument',
      'protocol error: compressed envelope without an encoding',
    );
  }
  try {
    return await unzip(bytes, { maxOutputLength: MAX_MESSAGE });
  } catch {
    throw new RpcError('invalid_argument', 'decompress: invalid gzip data');
  }
}

function parse(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RpcError('invalid_argument', 'unmarshal message: syntax error');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RpcError('invalid_argument', 'unmarshal message: unexpected token');
  }
  return new Fields(value as Record<string, unknown>);
}
