import { posix } from 'node:path';
import { EngineError } from '../../engine/errors.ts';
import type { FileRead } from '../../engine/files.ts';
import { type FormPart, readForm, readJson } from '../../http/body.ts';
import { HttpFailure } from '../../http/failure.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { iso } from '../dto.ts';
import { badRequest } from '../errors.ts';
import { fieldsOf, textList } from '../input.ts';
import type { Box } from './box.ts';
import { about, needQuery } from './files.ts';
import type { BoxRoutes } from './route.ts';

/** Clients that do not parse the header look for this one. */
const BOUNDARY = 'DAYTONA-FILE-BOUNDARY';

export function bulkRoutes(routes: BoxRoutes): void {
  routes
    .on('POST /files/bulk-upload', uploadMany)
    .on('POST /files/bulk-download', downloadMany)
    .on('GET /files/download', download)
    .on('POST /files/upload-v2', upload)
    .on('POST /files/upload', upload);
}

/** Pairs of a field `files[i].path` and a file `files[i].file`; each is written as it arrives. */
async function uploadMany(box: Box, call: Call): Promise<Reply> {
  const targets = new Map<string, string>();
  const errors: string[] = [];
  const files: { path: string; bytes: number }[] = [];
  try {
    await readForm(call.request, async (part) => {
      const index = /\[(\d+)\]/.exec(part.name)?.[1] ?? '?';
      if (part.name.endsWith('.path')) {
        const target = part.kind === 'field' ? part.value.trim() : '';
        if (target === '') errors.push(`path[${index}]: empty path`);
        else targets.set(index, target);
      } else if (part.name.endsWith('.file')) {
        const target = targets.get(index);
        if (target === undefined) errors.push(`file[${index}]: missing .path metadata`);
        else files.push({ path: target, bytes: await store(box, target, part) });
      }
    });
  } catch (error) {
    if (!(error instanceof HttpFailure) && !(error instanceof EngineError)) throw error;
    errors.push(error.message);
  }
  if (errors.length > 0) return json(400, { errors, files });
  return json(200, { files });
}

async function store(box: Box, path: string, part: FormPart): Promise<number> {
  const content = part.kind === 'file' ? part.stream : part.value;
  const { size } = await about('open', path, () => box.sandbox.files.write(path, content, box.at));
  return size;
}

/** One file, to the path in the query. */
async function upload(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  let isThere = false;
  await readForm(call.request, async (part) => {
    if (part.name !== 'file' || isThere) return;
    isThere = true;
    await store(box, path, part);
  });
  if (!isThere) throw badRequest('http: no such file');
  return json(200, { name: posix.basename(path), path, type: 'file' });
}

/** Files one after the other in one form; what cannot be read is told in a part of its own. */
async function downloadMany(box: Box, call: Call): Promise<Reply> {
  const paths = textList(fieldsOf(await readJson(call.request)), 'paths');
  if (paths === undefined || paths.length === 0) {
    return json(400, { error: 'request body must be {"paths": [ ... ]} and non-empty' });
  }
  return {
    status: 200,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: parts(box, paths),
  };
}

async function* parts(box: Box, paths: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) {
    const opened = await openFile(box, path);
    if (isRead(opened)) {
      yield head('file', path, 'application/octet-stream', opened.length);
      try {
        yield* opened.stream;
      } finally {
        opened.stream.destroy();
      }
    } else {
      yield head('error', path, 'application/json; charset=utf-8');
      yield Buffer.from(JSON.stringify(opened));
    }
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${BOUNDARY}--\r\n`);
}

/** A file to read, or what the daemon says of one that cannot be. */
async function openFile(box: Box, path: string): Promise<FileRead | Record<string, unknown>> {
  const failed = (statusCode: number, code: string, message: string) => ({
    statusCode,
    message,
    code,
    source: 'DAYTONA_DAEMON',
    timestamp: iso(box.world.now()),
    path,
    method: 'POST',
  });
  if (path === '') {
    return failed(400, 'INVALID_FILE_PATH', 'invalid file path: path is empty');
  }
  try {
    return await box.sandbox.files.read(path, box.at);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    switch (error.code) {
      case 'not-found':
      case 'not-directory':
        return failed(404, 'FILE_NOT_FOUND', `file not found: ${path}`);
      case 'denied':
        return failed(403, 'FILE_ACCESS_DENIED', `permission denied: ${path}`);
      case 'is-directory': {
        const reason = `path points to a directory: ${path}`;
        return failed(400, 'INVALID_FILE_PATH', `invalid file path: ${reason}`);
      }
      case 'invalid':
        return failed(400, 'INVALID_FILE_PATH', `invalid file path: ${path}`);
      default:
        return failed(500, 'FILE_READ_FAILED', `failed to open file: ${error.message}`);
    }
  }
}

function isRead(opened: FileRead | Record<string, unknown>): opened is FileRead {
  return 'stream' in opened;
}

function head(name: string, path: string, type: string, length?: number): Buffer {
  const lines = [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="${name}"; ${fileNames(path)}`,
    ...(length === undefined ? [] : [`Content-Length: ${length}`]),
    `Content-Type: ${type}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

async function download(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const { stream, length } = await about('stat', path, async () => {
    const entry = await box.sandbox.files.stat(path, { ...box.at, follow: true });
    if (entry.type === 'directory') throw badRequest('path must be a file');
    return box.sandbox.files.read(path, box.at);
  });
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': length,
      'content-disposition': `attachment; ${fileNames(posix.basename(path))}`,
      'content-description': 'File Transfer',
      'cache-control': 'must-revalidate',
    },
    body: stream,
  };
}

/** A name twice: for old readers in Latin-1, for new ones in full (RFC 5987). */
function fileNames(name: string): string {
  const latin = [...name.replace(/[\r\n\0]/g, '')]
    .map((letter) => {
      const code = letter.codePointAt(0) ?? 0;
      return code > 0xff || code < 0x20 || code === 0x7f ? '_' : letter;
    })
    .join('')
    .replace(/["\\]/g, '\\$&');
  const full = [...Buffer.from(name, 'utf8')]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&+.^_`|~-]/.test(letter)
        ? letter
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  return `filename="${latin}"; filename*=utf-8''${full}`;
}
