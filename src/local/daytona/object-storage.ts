import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readBytes } from '../http/body.ts';
import { HttpFailure } from '../http/failure.ts';
import { sameSecret } from '../http/guard.ts';
import type { Reply } from '../http/reply.ts';
import type { Call } from '../http/router.ts';

export const BUCKET = 'daytona-builds';
/** Files of an image that is built; they are held in memory. */
const MAX_OBJECT = 512 * 1024 * 1024;

/** The little of S3 that clients upload build contexts with. */
export class ObjectStorage {
  readonly accessKey = randomBytes(10).toString('hex').toUpperCase();
  readonly secret = randomBytes(20).toString('hex');
  readonly sessionToken = randomBytes(24).toString('hex');
  readonly #objects = new Map<string, Buffer>();
  readonly #uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();

  get(key: string): Buffer | undefined {
    return this.#objects.get(key);
  }

  /** `GET|PUT|POST|DELETE /s3/<bucket>/<key>`. The session's token is the key; signatures are not checked. */
  async serve(call: Call): Promise<Reply> {
    const { request, params, query } = call;
    this.#check(request);
    const [bucket, ...rest] = (params['*'] ?? '').split('/').map(decodeURIComponent);
    const key = rest.join('/');
    if (bucket !== BUCKET) return fault(404, 'NoSuchBucket');
    if (request.method === 'GET' && key === '') return this.#list(query.get('prefix') ?? '');
    const upload = this.#uploads.get(query.get('uploadId') ?? '');
    if (request.method === 'POST' && query.has('uploads')) {
      const id = randomUUID();
      this.#uploads.set(id, { key, parts: new Map() });
      return xml(
        200,
        `<InitiateMultipartUploadResult><Bucket>${BUCKET}</Bucket><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (query.has('uploadId') && upload === undefined) return fault(404, 'NoSuchUpload');
    if (request.method === 'PUT') {
      const body = await content(request);
      if (upload === undefined) this.#objects.set(key, body);
      else upload.parts.set(Number(query.get('partNumber')), body);
      return { status: 200, headers: { etag: `"${randomBytes(16).toString('hex')}"` } };
    }
    if (request.method === 'POST' && upload !== undefined) {
      const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
      this.#objects.set(upload.key, Buffer.concat(parts));
      this.#uploads.delete(query.get('uploadId') ?? '');
      return xml(
        200,
        `<CompleteMultipartUploadResult><Bucket>${BUCKET}</Bucket><Key>${escaped(upload.key)}</Key><ETag>"${randomUUID()}"</ETag></CompleteMultipartUploadResult>`,
      );
    }
    if (request.method === 'DELETE') {
      this.#uploads.delete(query.get('uploadId') ?? '');
      return { status: 204 };
    }
    const object = this.#objects.get(key);
    if (object === undefined) return fault(404, 'NoSuchKey');
    return { status: 200, headers: { 'content-type': 'application/x-tar' }, body: object };
  }

  #list(prefix: string): Reply {
    const found = [...this.#objects].filter(([key]) => key.startsWith(prefix));
    const contents = found.map(
      ([key, { length }]) =>
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

/** The body; some clients cut it into signed chunks: `<hex length>;…` CRLF data CRLF. */
async function content(request: IncomingMessage): Promise<Buffer> {
  const body = await readBytes(request, MAX_OBJECT);
  const isCut = `${request.headers['x-amz-content-sha256']}`.startsWith('STREAMING-');
  if (!isCut) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, end < 0 ? at : end), 16);
    if (!(length > 0)) return Buffer.concat(chunks);
    chunks.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
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
