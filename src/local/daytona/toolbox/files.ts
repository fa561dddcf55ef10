import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { EngineError } from '../../engine/errors.ts';
import type { Entry } from '../../engine/files.ts';
import { readJson } from '../../http/body.ts';
import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { badRequest, DaytonaFailure, fileFailure } from '../errors.ts';
import { fieldsOf, text, textList } from '../input.ts';
import type { Box } from './box.ts';
import { fileInfo } from './file-info.ts';
import type { BoxRoutes } from './route.ts';

export function fileRoutes(routes: BoxRoutes): void {
  routes
    .on('GET /files', list)
    .on('DELETE /files', remove)
    .on('GET /files/info', info)
    .on('POST /files/folder', createFolder)
    .on('POST /files/move', move)
    .on('POST /files/permissions', setPermissions)
    .on('POST /files/replace', replace);
}

/** A query parameter that must be there. */
export function needQuery(call: Call, name: string): string {
  const value = call.query.get(name);
  if (value === null || value === '') throw badRequest(`${name} is required`);
  return value;
}

/** Runs something about a file, and says in the daemon's words what is wrong. */
export async function about<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileFailure(error, verb, path);
  }
}

/** What a path leads to, links followed. */
export function stat(box: Box, path: string): Promise<Entry> {
  return about('stat', path, () => box.sandbox.files.stat(path, { ...box.at, follow: true }));
}

async function list(box: Box, call: Call): Promise<Reply> {
  const path = call.query.get('path') || '.';
  const depth = Number(call.query.get('depth') ?? 1);
  if (!Number.isInteger(depth) || depth < 1) throw badRequest('depth must be a positive integer');
  const { files } = box.sandbox;
  const full = await files.resolve(path, box.at);
  const entries = await about('open', path, () => files.list(path, { ...box.at, depth }));
  const infos = entries.map(async (entry) => {
    const shown = entry.type === 'symlink' ? await followed(box, entry) : entry;
    // A link that leads nowhere is left out, as by the daemon.
    if (shown === undefined) return [];
    const inside = posix.relative(full, entry.path);
    return [fileInfo({ ...shown, name: entry.name }, posix.join(path, inside))];
  });
  return json(200, (await Promise.all(infos)).flat());
}

async function followed(box: Box, entry: Entry): Promise<Entry | undefined> {
  try {
    return await box.sandbox.files.stat(entry.path, { follow: true });
  } catch (error) {
    if (error instanceof EngineError && error.code !== 'not-running') return undefined;
    throw error;
  }
}

async function info(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const entry = await stat(box, path);
  return json(200, fileInfo({ ...entry, name: posix.basename(path) || '/' }));
}

async function remove(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const recursive = call.query.get('recursive') === 'true';
  const { type } = await stat(box, path);
  if (type === 'directory' && !recursive) {
    throw badRequest('cannot delete directory without recursive flag');
  }
  await about('remove', path, () => box.sandbox.files.remove(path, { ...box.at, recursive }));
  return empty(204);
}

async function createFolder(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const mode = modeOf(call.query.get('mode')) ?? 0o755;
  try {
    await about('mkdir', path, () => box.sandbox.files.mkdir(path, { ...box.at, mode }));
  } catch (error) {
    // Whatever is wrong with it, the daemon calls it a bad request.
    if (error instanceof DaytonaFailure) throw badRequest(error.message);
    throw error;
  }
  return empty(201);
}

async function move(box: Box, call: Call): Promise<Reply> {
  const source = call.query.get('source') ?? '';
  const destination = call.query.get('destination') ?? '';
  if (source === '' || destination === '') {
    throw badRequest('source and destination paths are required');
  }
  await stat(box, source);
  const parent = posix.dirname(await box.sandbox.files.resolve(destination, box.at));
  await stat(box, parent);
  if (await box.sandbox.files.exists(destination, box.at)) {
    throw new DaytonaFailure(409, 'destination already exists');
  }
  await about('rename', source, () => box.sandbox.files.move(source, destination, box.at));
  return empty(200);
}

async function setPermissions(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  await stat(box, path);
  const mode = modeOf(call.query.get('mode'));
  if (mode !== undefined) {
    await about('chmod', path, () => box.sandbox.files.chmod(path, mode, box.at));
  }
  const user = call.query.get('owner') || undefined;
  const group = call.query.get('group') || undefined;
  if (user === undefined && group === undefined) return empty(200);
  const owner = {
    ...(user === undefined ? {} : { user }),
    ...(group === undefined ? {} : { group }),
  };
  try {
    await about('chown', path, () => box.sandbox.files.chown(path, owner, box.at));
  } catch (error) {
    if (error instanceof DaytonaFailure && error.status === 400) {
      throw badRequest(/group/.test(error.message) ? 'group not found' : 'user not found');
    }
    throw error;
  }
  return empty(200);
}

/** Replaces a text, not a pattern, in each file; what fails is told file by file. */
async function replace(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const names = textList(fields, 'files');
  const pattern = text(fields, 'pattern');
  if (names === undefined || pattern === undefined) {
    throw badRequest('invalid request body: files and pattern are required');
  }
  const value = text(fields, 'newValue') ?? '';
  const results: Record<string, unknown>[] = [];
  for (const file of names) {
    try {
      await replaceIn(box, file, pattern, value);
      results.push({ file, success: true });
    } catch (error) {
      if (!(error instanceof DaytonaFailure)) throw error;
      results.push({ file, success: false, error: error.message });
    }
  }
  return json(200, results);
}

async function replaceIn(box: Box, file: string, pattern: string, value: string): Promise<void> {
  const { files } = box.sandbox;
  await about('open', file, async () => {
    const { entry, stream } = await files.read(file, box.at);
    // One letter a byte, so that what is not UTF-8 stays what it is.
    const content = (await buffer(stream)).toString('latin1');
    const latin = (word: string): string => Buffer.from(word, 'utf8').toString('latin1');
    const changed = content.split(latin(pattern)).join(latin(value));
    await files.write(file, Buffer.from(changed, 'latin1'), { ...box.at });
    await files.chown(entry.path, { user: entry.uid, group: entry.gid });
  });
}

function modeOf(mode: string | null): number | undefined {
  if (mode === null || mode === '') return undefined;
  if (!/^[0-7]{1,5}$/.test(mode)) throw badRequest('invalid mode format');
  return Number.parseInt(mode, 8);
}
