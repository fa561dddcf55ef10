import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { bodyStream } from '../http/body.ts';
import { HttpFailure } from '../http/failure.ts';
import { sameSecret } from '../http/guard.ts';
import type { Reply } from '../http/reply.ts';
import type { Call } from '../http/router.ts';
import { Uploads } from '../uploads.ts';
import type { VolumeFolders } from '../volumes.ts';

export const BUCKET = 'daytona-builds';

/** An object that comes in parts. */
interface Upload {
  id: string;
  /** Of the object. */
  key: string;
  parts: Set<number>;
}

/** The little of S3 that clients upload build contexts with. */
export class ObjectStorage {
  readonly accessKey = randomBytes(10).toString('hex').toUpperCase();
  readonly secret = randomBytes(20).toString('hex');
  readonly sessionToken = randomBytes(24).toString('hex');
  readonly #objects: Uploads;
  readonly #parts: Uploads;
  readonly #uploads = new Map<string, Upload>();

  constructor(folders: VolumeFolders) {
    this.#objects = new Uploads(folders);
    this.#parts = new Uploads(folders);
  }

  read(key: string): AsyncIterable<Uint8Array> | undefined {
    return this.#objects.read(key);
  }

  async close(): Promise<void> {
    await Promise.all([this.#objects.close(), this.#parts.close()]);
  }

  /** `GET|PUT|POST|DELETE /s3/<bucket>/<key>`. The session's token is the key; signatures are not checked. */
  async serve(call: Call): Promise<Reply> {
    const { request, params, query } = call;
    this.#check(request);
    const [bucket, ...rest] = (params['*'] ?? '').split('/').map(decodeURIComponent);
    const key = rest.join('/');
    if (bucket !== BUCKET) return fault(404, 'NoSuchBucket');
    if (request.method === 'GET' && key === '') return this.#list(query.get('prefix') ?? '');
    if (request.method === 'POST' && query.has('uploads')) return this.#begin(key);
    const upload = this.#uploads.get(query.get('uploadId') ?? '');
    if (query.has('uploadId') && upload === undefined) return fault(404, 'NoSuchUpload');
    if (request.method === 'PUT') {
      const number = Number(query.get('partNumber'));
      if (upload === undefined) await this.#objects.store(key, content(request));
      else await this.#parts.store(partKey(upload, number), content(request));
      upload?.parts.add(number);
      return { status: 200, headers: { etag: `"${randomBytes(16).toString('hex')}"` } };
    }
    if (request.method === 'POST' && upload !== undefined) return this.#complete(upload);
    if (request.method === 'DELETE') {
      if (upload !== undefined) await this.#forget(upload);
      return { status: 204 };
    }
    const body = this.#objects.read(key);
    if (body === undefined) return fault(404, 'NoSuchKey');
    return { status: 200, headers: { 'content-type': 'application/x-tar' }, body };
  }

  #begin(key: string): Reply {
    const id = randomUUID();
    this.#uploads.set(id, { id, key, parts: new Set() });
    return xml(
      200,
      `<InitiateMultipartUploadResult><Bucket>${BUCKET}</Bucket><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  async #complete(upload: Upload): Promise<Reply> {
    await this.#objects.store(upload.key, this.#joined(upload));
    await this.#forget(upload);
    return xml(
      200,
      `<CompleteMultipartUploadResult><Bucket>${BUCKET}</Bucket><Key>${escaped(upload.key)}</Key><ETag>"${randomUUID()}"</ETag></CompleteMultipartUploadResult>`,
    );
  }

  async *#joined(upload: Upload): AsyncGenerator<Uint8Array> {
    for (const number of [...upload.parts].sort((a, b) => a - b)) {
      yield* this.#parts.read(partKey(upload, number)) ?? [];
    }
  }

  async #forget(upload: Upload): Promise<void> {
    this.#uploads.delete(upload.id);
    await Promise.all([...upload.parts].map((part) => this.#parts.remove(partKey(upload, part))));
  }

  #list(prefix: string): Reply {
    const found = [...this.#objects.entries()].filter(([key]) => key.startsWith(prefix));
    const contents = found.map(
      ([key, length]) =>
        `<Contents><Key>${escaped(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"0"</ETag><Size>${length}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
    );
    return xml(
      200,
      `<ListBucketResult><Name>${BUCKET}</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${found.length}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`,
    );
  }

  #check({ headers }: IncomingMessage): void {
    const token = headers['x-amz-security-token'];
    if (sameSecret(typeof token === 'string' ? token : undefined, this.sessionToken)) return;
    throw new HttpFailure(403, 'AccessDenied');
  }
}

function partKey({ id }: Upload, number: number): string {
  return `${id}/${number}`;
}

/** The body, without the marks that some clients cut it into chunks by. */
function content(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const body = bodyStream(request);
  const isCut = `${request.headers['x-amz-content-sha256']}`.startsWith('STREAMING-');
  return isCut ? unchunked(body) : body;
}

/** What stands before the data of a chunk: `<hex length>;…`, behind the break that ended the last. */
const CHUNK_LINE = /^(?:\r\n)?([\da-f]+)(?:;[^\r\n]*)?\r\n/i;
const MAX_CHUNK_LINE = 1024;

async function* unchunked(source: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  /** What is still to come of the chunk that is read. */
  let left = 0;
  let isOver = false;
  for await (const piece of source) {
    // Behind the last chunk there may be checksums.
    if (isOver) continue;
    held = Buffer.concat([held, piece]);
    while (held.length > 0) {
      if (left === 0) {
        const [line, length] = CHUNK_LINE.exec(held.toString('latin1', 0, MAX_CHUNK_LINE)) ?? [];
        if (line === undefined) {
          if (held.length < MAX_CHUNK_LINE) break;
          throw new HttpFailure(400, 'InvalidChunkSize');
        }
        left = Number.parseInt(length ?? '', 16);
        held = held.subarray(line.length);
        isOver = left === 0;
        if (isOver) break;
      }
      const data = held.subarray(0, left);
      yield data;
      held = held.subarray(data.length);
      left -= data.length;
    }
  }
  if (!isOver) throw new HttpFailure(400, 'IncompleteBody');
}

function xml(status: number, text: string): Reply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

function fault(status: number, code: string): Reply {
  return xml(status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
