import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What a handler answers. A body that is iterable is streamed with back-pressure. */
export interface Reply {
  status: number;
  headers?: Readonly<Record<string, string | number | readonly string[]>>;
  body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
}

/** An answer in JSON. */
export function json(status: number, value: unknown, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/** An answer in plain text. */
export function plain(status: number, text: string, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: text,
  };
}

/** An answer of a status alone. */
export function empty(status: number, headers: Reply['headers'] = {}): Reply {
  return { status, headers };
}

/**
 * Writes a reply. When the client goes away meanwhile, a streamed body is told by the end of its
 * iteration (`return()` or `destroy()`). `limit` cuts the body after so many bytes and breaks the
 * connection: a fault to be injected.
 */
export async function send(
  response: ServerResponse,
  reply: Reply,
  limit = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { status, headers = {}, body } = reply;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  const isWhole = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  if (isWhole && limit === Number.POSITIVE_INFINITY) {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    if (status !== 204 && status !== 304) response.setHeader('content-length', bytes?.length ?? 0);
    response.end(bytes);
    return;
  }
  response.flushHeaders();
  const source = isWhole ? Readable.from(body === undefined ? [] : [Buffer.from(body)]) : body;
  if (limit !== Number.POSITIVE_INFINITY) {
    await cut(source, response, limit);
    return;
  }
  try {
    await pipeline(source, response);
  } catch (error) {
    // Too late for a status: only the connection can say that the body is not complete.
    response.destroy();
    if (!response.req.destroyed && !isGone(error)) throw error;
  }
}

/** Sends the first `limit` bytes of a body, then breaks the connection. */
async function cut(
  source: AsyncIterable<Uint8Array | string>,
  response: ServerResponse,
  limit: number,
): Promise<void> {
  let left = limit;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk);
    const isLast = bytes.length >= left;
    await new Promise((resolve) => response.write(bytes.subarray(0, left), resolve));
    left -= bytes.length;
    if (isLast || response.destroyed) break;
  }
  if (left > 0) {
    // Shorter than the cut: nothing to break.
    response.end();
    await once(response, 'close');
    return;
  }
  response.destroy();
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
