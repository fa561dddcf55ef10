import { posix } from 'node:path';
import { EngineError } from '../../engine/errors.ts';
import type { Entry } from '../../engine/files.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { badRequest } from '../errors.ts';
import type { Box } from './box.ts';
import { matches } from './file-info.ts';
import type { BoxRoutes } from './route.ts';

export function findRoutes(routes: BoxRoutes): void {
  routes.on('GET /files/find', find).on('GET /files/search', search);
}

interface Query {
  path: string;
  pattern: string;
  /** What the path leads to; undefined: nothing, which is not an error here. */
  entry: Entry | undefined;
}

async function query(box: Box, call: Call): Promise<Query> {
  const path = call.query.get('path') ?? '';
  const pattern = call.query.get('pattern') ?? '';
  if (path === '' || pattern === '') throw badRequest('path and pattern are required');
  const entry = await box.sandbox.files
    .stat(path, { ...box.at, follow: true })
    .catch((error: unknown) => {
      if (error instanceof EngineError && error.code !== 'not-running') return undefined;
      throw error;
    });
  return { path: posix.normalize(path), pattern, entry };
}

interface Hit {
  file: string;
  line: number;
  content: string;
}

/** Lines that contain a text; binary files are left out. A program of the sandbox does the reading. */
async function find(box: Box, call: Call): Promise<Reply> {
  const { path, pattern, entry } = await query(box, call);
  // No line contains a line break; for grep it would part two texts.
  if (entry === undefined || pattern.includes('\n')) return json(200, []);
  const isFolder = entry.type === 'directory';
  // Searched from inside, so that the folder's name never becomes an option.
  const process = await box.spawn({
    argv: [
      'grep',
      '-rnFIZH',
      '-D',
      'skip',
      '-e',
      pattern,
      '--',
      isFolder ? '.' : `./${entry.name}`,
    ],
    cwd: isFolder ? entry.path : posix.dirname(entry.path),
    env: { LC_ALL: 'C' },
  });
  process.stderr.resume();
  const hits: Hit[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of process.stdout) {
    rest = take(Buffer.concat([rest, chunk as Buffer]), (hit) => {
      const file = isFolder ? posix.join(path, hit.file) : path;
      hits.push({ ...hit, file });
    });
  }
  return json(
    200,
    hits.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line)),
  );
}

/** Takes complete hits, `<file> NUL <line>:<content> LF`, off the output; the rest is returned. */
function take(output: Buffer, onHit: (hit: Hit) => void): Buffer<ArrayBuffer> {
  let at = 0;
  for (;;) {
    const name = output.indexOf(0, at);
    const end = name < 0 ? -1 : output.indexOf(0x0a, name);
    if (end < 0) return Buffer.from(output.subarray(at));
    const line = output.toString('utf8', name + 1, end);
    const colon = line.indexOf(':');
    onHit({
      file: output.toString('utf8', at, name),
      line: Number(line.slice(0, colon)),
      content: line.slice(colon + 1).replace(/\r$/, ''),
    });
    at = end + 1;
  }
}

/** Files and folders whose name matches, below a folder and that folder itself. */
async function search(box: Box, call: Call): Promise<Reply> {
  const { path, pattern, entry } = await query(box, call);
  if (entry === undefined) return json(200, { files: [] });
  const isMatch = matches(pattern);
  const found = isMatch(posix.basename(path)) ? [path] : [];
  if (entry.type === 'directory') {
    const depth = Number.POSITIVE_INFINITY;
    const below = await box.sandbox.files.list(entry.path, { depth });
    for (const one of below) {
      if (isMatch(one.name)) found.push(posix.join(path, posix.relative(entry.path, one.path)));
    }
  }
  return json(200, { files: found });
}
