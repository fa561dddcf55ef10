import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { EngineError } from '../../engine/errors.ts';
import type { Files } from '../../engine/files.ts';
import { bodyStream, readForm } from '../../http/body.ts';
import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { ApiError, isMissing } from '../errors.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';
import { checkSignature } from './access.ts';
import { composeFiles } from './compose.ts';
import { ConnectionReset } from './connect-codec.ts';
import { contentType } from './content-type.ts';
import { metadataHeaders } from './file-metadata.ts';
import { resolvePath } from './filesystem-service.ts';
import type { SandboxHandler } from './handler.ts';

/** Files in whole, by HTTP (`e2b-dev/E2B` spec/envd/envd.yaml). */
export const FILE_ROUTES: Readonly<Record<string, SandboxHandler>> = {
  'GET /files': download,
  'POST /files': upload,
  'POST /files/compose': composeFiles,
};

async function download(call: Call, sandbox: LiveSandbox, services: E2bServices): Promise<Reply> {
  checkSignature(call, sandbox, 'read', services.clock.now());
  const user = await userOf(call, sandbox, services);
  const path = await resolvePath(sandbox, call.query.get('path') ?? '', user);
  const { files } = sandbox.engine;
  const entry = await files.stat(path, { follow: true }).catch((error) => {
    throw isMissing(error) ? new ApiError(404, `path '${path}' does not exist`) : error;
  });
  if (entry.type === 'directory') throw new ApiError(400, `path '${path}' is a directory`);
  const headers = {
    'content-type': contentType(path),
    'content-disposition': `inline; filename=${JSON.stringify(posix.basename(path))}`.replace(
      /[^\x20-\x7e]/g,
      '_',
    ),
    'last-modified': new Date(entry.mtimeMs).toUTCString(),
    'accept-ranges': 'bytes',
    vary: 'Accept-Encoding',
  };
  const range = rangeOf(call.request.headers.range, entry.size);
  if (range === 'unsatisfiable') {
    return empty(416, { 'content-range': `bytes */${entry.size}` });
  }
  if (range !== undefined) {
    return {
      status: 206,
      headers: {
        ...headers,
        'content-length': range.end - range.start,
        'content-range': `bytes ${range.start}-${range.end - 1}/${entry.size}`,
      },
      body: fileContent(files, path, range),
    };
  }
  const body = fileContent(files, path);
  // On loopback compression costs more than it saves: only for who asks for nothing else.
  if (call.request.headers['accept-encoding'] === 'gzip' && call.request.method === 'GET') {
    const zipped = createGzip({ level: 1 });
    pipeline(body, zipped).catch(() => undefined);
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped };
  }
  return { status: 200, headers: { ...headers, 'content-length': entry.size }, body };
}

/** Opens the file when it is read: of an answer to HEAD, or one that is lost, nobody reads it. */
export async function* fileContent(
  files: Files,
  path: string,
  range: { start?: number; end?: number } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* (await files.read(path, range)).stream;
  } catch {
    throw new ConnectionReset(`'${path}' went away`);
  }
}

interface Uploaded {
  path: string;
  name: string;
  type: 'file';
  metadata?: Readonly<Record<string, string>>;
}

async function upload(call: Call, sandbox: LiveSandbox, services: E2bServices): Promise<Reply> {
  checkSignature(call, sandbox, 'write', services.clock.now());
  const user = await userOf(call, sandbox, services);
  const metadata = metadataHeaders(call.request);
  const asked = call.query.get('path');
  const type = call.request.headers['content-type'] ?? '';
  const written: Uploaded[] = [];
  const store = async (path: string, content: Readable): Promise<void> => {
    const to = await resolvePath(sandbox, path, user);
    if (written.some((file) => file.path === to)) {
      throw new ApiError(
        400,
        `you cannot upload multiple files to the same path '${to}' in one upload request, only the first specified file was uploaded`,
      );
    }
    await write(sandbox, to, content, user);
    sandbox.metadata.set(to, metadata);
    const known = sandbox.metadata.get(to);
    written.push({
      path: to,
      name: posix.basename(to),
      type: 'file',
      ...(known === undefined ? {} : { metadata: known }),
    });
  };
  if (/^application\/octet-stream\b/i.test(type)) {
    if (asked === null) {
      throw new ApiError(400, 'path query parameter is required for raw body upload');
    }
    await store(asked, bodyStream(call.request));
  } else if (/^multipart\//i.test(type)) {
    await readForm(call.request, async (part) => {
      if (part.name !== 'file') return;
      if (part.kind === 'field') await store(asked ?? '', Readable.from([part.value]));
      else await store(asked ?? part.filename, part.stream);
    });
  } else {
    throw new ApiError(
      400,
      `unsupported content type: ${type}, expected multipart/form-data or application/octet-stream`,
    );
  }
  return json(200, written);
}

async function write(
  sandbox: LiveSandbox,
  path: string,
  content: Readable,
  user: string,
): Promise<void> {
  try {
    await sandbox.engine.files.write(path, content, { user });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.code === 'is-directory' || error.code === 'not-a-file') {
      throw new ApiError(400, `path is a directory: ${path}`);
    }
    if (error.code === 'no-space') throw new ApiError(507, 'not enough disk space available');
    throw new ApiError(500, `error opening file: ${error.message}`);
  }
}

/** Of the query. An unknown one is refused as envd does. */
export async function userOf(
  { query }: Call,
  sandbox: LiveSandbox,
  services: E2bServices,
): Promise<string> {
  const user = query.get('username') || sandbox.spec.template.user;
  if (await services.userExists(sandbox, user)) return user;
  throw new ApiError(401, `error looking up user '${user}': user: unknown user ${user}`);
}

/** One range; of several the whole file is as good an answer (RFC 9110, 14.2). */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  return start >= end ? 'unsatisfiable' : { start, end };
}
