import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { HttpFailure } from './failure.ts';

/** Enough for code and commands; files are streamed and have no limit. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The body as it was before compression. */
export function bodyStream(request: IncomingMessage): Readable {
  if (request.headers['content-encoding'] !== 'gzip') return request;
  const plain = createGunzip();
  // The reader of `plain` hears of it.
  pipeline(request, plain).catch(() => undefined);
  return plain;
}

/**
 * The whole body.
 * @throws HttpFailure 413 when it is longer than `limit` bytes
 */
export async function readBytes(request: IncomingMessage, limit = MAX_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bodyStream(request)) {
    length += chunk.length;
    if (length > limit) throw new HttpFailure(413, `the body is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The body as JSON; undefined when it is empty.
 * @throws HttpFailure 400 when it is not JSON, 413 when it is too long
 */
export async function readJson(request: IncomingMessage, limit = MAX_BYTES): Promise<unknown> {
  const text = (await readBytes(request, limit)).toString('utf8');
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpFailure(400, `the body is not JSON: ${(error as Error).message}`);
  }
}

/** A part of a form, in the order sent. A file's stream must be read or resumed before the next. */
export type FormPart =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; filename: string; stream: Readable };

/**
 * Calls `onPart` for one part after the other, as they arrive, each awaited before the next is
 * read, so that a form of any size takes constant memory.
 * @throws HttpFailure 400 for what is not a form, or one that ends too early
 */
export async function readForm(
  request: IncomingMessage,
  onPart: (part: FormPart) => Promise<void> | void,
): Promise<void> {
  const form = openForm(request);
  const source = bodyStream(request);
  const files = new Set<PassThrough>();
  let turn: Promise<void> = Promise.resolve();
  let failed: { error: unknown } | undefined;
  const queue = (part: FormPart): void => {
    turn = turn.then(async () => {
      try {
        if (failed === undefined) await onPart(part);
      } catch (error) {
        failed ??= { error };
      }
      // What was not read would hold up the parts behind it.
      if (part.kind === 'file') part.stream.resume();
    });
  };
  form.on('field', (name, value) => queue({ kind: 'field', name, value }));
  form.on('file', (name, file, filename) => {
    // The parser's own streams never fail; the reader must hear of a form that breaks off.
    const stream = new PassThrough();
    files.add(stream.once('close', () => files.delete(stream)).on('error', () => undefined));
    file.pipe(stream);
    queue({ kind: 'file', name, filename, stream });
  });
  try {
    const complete = finished(form);
    source.pipe(form);
    await Promise.race([complete, finished(source, { writable: false }).then(() => complete)]);
  } catch (error) {
    const reason = new HttpFailure(400, `the form is broken: ${(error as Error).message}`);
    failed ??= { error: reason };
    for (const stream of files) stream.destroy(reason);
  }
  await turn;
  if (failed !== undefined) throw failed.error;
}

function openForm(request: IncomingMessage): BusboyInstance {
  const type = request.headers['content-type'];
  if (type === undefined) throw new HttpFailure(400, 'a form needs a content-type');
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      preservePath: true,
      limits: { fieldSize: MAX_BYTES },
    });
  } catch (error) {
    throw new HttpFailure(400, (error as Error).message);
  }
}
