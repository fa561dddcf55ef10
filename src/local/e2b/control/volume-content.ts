import { posix } from 'node:path';
import { Accounts } from '../../engine/accounts.ts';
import { EngineError } from '../../engine/errors.ts';
import { type Entry, Files } from '../../engine/files.ts';
import { bodyStream } from '../../http/body.ts';
import { bearer, sameSecret } from '../../http/guard.ts';
import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { queryInteger, readFields } from '../body.ts';
import { fileContent } from '../envd/files.ts';
import { ApiError, isMissing } from '../errors.ts';
import type { E2bServices } from '../services.ts';
import type { ControlRoutes } from './handler.ts';

/** Files of volumes without a sandbox, by the volume's own token (openapi-volumecontent.yml). */
export const VOLUME_CONTENT_ROUTES: ControlRoutes = {
  'GET /volumecontent/:id/file': withFiles(download),
  'PUT /volumecontent/:id/file': withFiles(upload),
  'GET /volumecontent/:id/dir': withFiles(async (call, files) => {
    const path = pathOf(call);
    const entries = await files.list(path, { depth: queryInteger(call.query, 'depth') || 1 });
    return json(200, entries.map(shape));
  }),
  'POST /volumecontent/:id/dir': withFiles(makeDir),
  'GET /volumecontent/:id/path': withFiles(async (call, files) =>
    json(200, shape(await files.stat(pathOf(call)))),
  ),
  'PATCH /volumecontent/:id/path': withFiles(update),
  'DELETE /volumecontent/:id/path': withFiles(async (call, files) => {
    await files.remove(pathOf(call), { recursive: true });
    return empty(204);
  }),
};

type FileHandler = (call: Call, files: Files) => Promise<Reply>;

/** The engine's own way to files: it follows no link out of the volume. */
const OWNER = { name: 'root', uid: 0, gid: 0, home: '/', shell: '/bin/sh' };

function withFiles(handler: FileHandler): ControlRoutes[string] {
  return async (call, { volumes }: E2bServices) => {
    const given = bearer(call.request);
    const volume = volumes.list().find(({ id }) => id === call.params.id);
    if (volume === undefined || !sameSecret(given, volume.token)) {
      if (given === undefined || volume !== undefined)
        throw new ApiError(401, 'Invalid volume token');
      throw new ApiError(404, 'Volume not found');
    }
    const root = { dir: `${await volumes.hostDir(volume)}/` };
    const files = new Files(() => root, new Accounts(() => root, [OWNER]), OWNER.name);
    try {
      return await handler(call, files);
    } catch (error) {
      if (isMissing(error)) throw new ApiError(404, `path '${pathOf(call)}' not found`);
      throw error;
    }
  };
}

function pathOf({ query }: Call): string {
  const path = query.get('path') ?? '';
  if (path === '') {
    throw new ApiError(400, 'parameter "path" in query has an error: minimum string length is 1');
  }
  return posix.resolve('/', path);
}

async function download(call: Call, files: Files): Promise<Reply> {
  const path = pathOf(call);
  const entry = await files.stat(path, { follow: true });
  if (entry.type !== 'file') throw new ApiError(400, `path '${path}' is not a file`);
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream', 'content-length': entry.size },
    body: fileContent(files, path),
  };
}

async function upload(call: Call, files: Files): Promise<Reply> {
  const path = pathOf(call);
  await prepare(call, files, path);
  const mode = queryInteger(call.query, 'mode');
  await files.write(path, bodyStream(call.request), mode === undefined ? {} : { mode });
  await own(call, files, path);
  return json(201, shape(await files.stat(path)));
}

async function makeDir(call: Call, files: Files): Promise<Reply> {
  const path = pathOf(call);
  const isForced = call.query.get('force') === 'true';
  await needParent(call, files, path);
  const mode = queryInteger(call.query, 'mode');
  const isNew = await files.mkdir(path, mode === undefined ? {} : { mode });
  if (!isNew && !isForced) throw new ApiError(409, `path '${path}' already exists`);
  await own(call, files, path);
  return json(201, shape(await files.stat(path)));
}

/** Unless forced, nothing may be there. */
async function prepare(call: Call, files: Files, path: string): Promise<void> {
  await needParent(call, files, path);
  if (call.query.get('force') === 'true') return;
  if (await files.exists(path)) throw new ApiError(409, `path '${path}' already exists`);
}

/** Unless forced, the folder above must be there. */
async function needParent({ query }: Call, files: Files, path: string): Promise<void> {
  if (query.get('force') === 'true' || (await files.exists(posix.dirname(path)))) return;
  throw new EngineError('not-found', `'${posix.dirname(path)}' does not exist`);
}

async function own({ query }: Call, files: Files, path: string): Promise<void> {
  const user = queryInteger(query, 'uid');
  const group = queryInteger(query, 'gid');
  if (user === undefined && group === undefined) return;
  await files.chown(path, {
    ...(user === undefined ? {} : { user }),
    ...(group === undefined ? {} : { group }),
  });
}

async function update(call: Call, files: Files): Promise<Reply> {
  const path = pathOf(call);
  const body = await readFields(call);
  const mode = body.optionalInteger('mode');
  const user = body.optionalInteger('uid');
  const group = body.optionalInteger('gid');
  if (mode !== undefined) await files.chmod(path, mode);
  if (user !== undefined || group !== undefined) {
    await files.chown(path, {
      ...(user === undefined ? {} : { user }),
      ...(group === undefined ? {} : { group }),
    });
  }
  return json(200, shape(await files.stat(path)));
}

/** `VolumeEntryStat`. Times of access and of change are not kept apart here. */
function shape(entry: Entry): object {
  const time = new Date(entry.mtimeMs).toISOString();
  const type = entry.type === 'other' ? 'unknown' : entry.type;
  return {
    name: entry.name,
    type,
    path: entry.path,
    size: entry.size,
    mode: entry.mode,
    uid: entry.uid,
    gid: entry.gid,
    atime: time,
    mtime: time,
    ctime: time,
    ...(entry.symlinkTarget === undefined ? {} : { target: entry.symlinkTarget }),
  };
}
