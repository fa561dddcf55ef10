import { posix } from 'node:path';
import { EngineError } from '../../engine/errors.ts';
import type { Entry } from '../../engine/files.ts';
import type { WatchEvent } from '../../engine/watch.ts';
import type { Fields } from '../body.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { Channel } from './channel.ts';
import { RpcError } from './connect-codec.ts';
import { type EntryInfo, entryInfo } from './entry.ts';
import type { SandboxHandler } from './handler.ts';
import { type RpcCall, serverStream, unary } from './rpc.ts';

/** `filesystem.Filesystem` of envd (proto in `e2b-dev/E2B` spec/envd/filesystem). */
export const FILESYSTEM_ROUTES: Readonly<Record<string, SandboxHandler>> = {
  'POST /filesystem.Filesystem/Stat': unary(async (call, message) => {
    const path = await pathOf(call, message, 'path');
    return { entry: await stat(call.sandbox, path) };
  }),
  'POST /filesystem.Filesystem/MakeDir': unary(makeDir),
  'POST /filesystem.Filesystem/Move': unary(move),
  'POST /filesystem.Filesystem/ListDir': unary(listDir),
  'POST /filesystem.Filesystem/Remove': unary(async (call, message) => {
    const path = await pathOf(call, message, 'path');
    try {
      await call.sandbox.engine.files.remove(path, { recursive: true });
    } catch (error) {
      // As `rm -rf`: what is not there is no error.
      if (!isOneOf(error, 'not-found', 'not-directory')) throw error;
    }
    call.sandbox.metadata.remove(path);
    return {};
  }),
  'POST /filesystem.Filesystem/WatchDir': serverStream(watchDir, { keepalive: {} }),
  'POST /filesystem.Filesystem/CreateWatcher': unary(async (call, message) => {
    const path = await watchedPath(call, message);
    const recursive = message.boolean('recursive') ?? false;
    const withEntries = message.boolean('includeEntry') ?? false;
    return { watcherId: await call.sandbox.watchers.create(path, recursive, withEntries) };
  }),
  'POST /filesystem.Filesystem/GetWatcherEvents': unary(async ({ sandbox }, message) => {
    const { events, root, withEntries } = sandbox.watchers.take(
      message.optionalString('watcherId') ?? '',
    );
    const told = events.map((event) => eventOf(sandbox, root, event, withEntries));
    return { events: await Promise.all(told) };
  }),
  'POST /filesystem.Filesystem/RemoveWatcher': unary(async ({ sandbox }, message) => {
    sandbox.watchers.remove(message.optionalString('watcherId') ?? '');
    return {};
  }),
};

async function makeDir(call: RpcCall, message: Fields): Promise<object> {
  const { sandbox, user } = call;
  const path = await pathOf(call, message, 'path');
  const there = await sandbox.engine.files.stat(path, { follow: true }).catch(nothing);
  if (there?.type === 'directory') {
    throw new RpcError('already_exists', `directory already exists: ${path}`);
  }
  if (there !== undefined) {
    throw new RpcError(
      'invalid_argument',
      `path already exists but it is not a directory: ${path}`,
    );
  }
  await sandbox.engine.files.mkdir(path, { user });
  return { entry: await stat(sandbox, path) };
}

async function move(call: RpcCall, message: Fields): Promise<object> {
  const { sandbox, user } = call;
  const from = await pathOf(call, message, 'source');
  const to = await pathOf(call, message, 'destination');
  let entry: Entry;
  try {
    entry = await sandbox.engine.files.move(from, to, { user, parents: true });
  } catch (error) {
    if (!isOneOf(error, 'not-found')) throw error;
    throw new RpcError('not_found', `source file not found: ${from}`);
  }
  sandbox.metadata.move(from, to);
  return { entry: await entryInfo(sandbox, entry) };
}

async function listDir(call: RpcCall, message: Fields): Promise<object> {
  const { sandbox } = call;
  const path = await pathOf(call, message, 'path');
  const depth = message.optionalInteger('depth') ?? 0;
  await folder(sandbox, path, `path not found: ${path}`, `path is not a directory: ${path}`);
  const entries = await sandbox.engine.files.list(path, { depth: depth === 0 ? 1 : depth });
  return { entries: await Promise.all(entries.map((entry) => entryInfo(sandbox, entry))) };
}

async function watchDir(call: RpcCall, message: Fields, channel: Channel<object>): Promise<void> {
  const { sandbox } = call;
  const path = await watchedPath(call, message);
  const stop = new AbortController();
  const recursive = message.boolean('recursive') ?? false;
  const withEntries = message.boolean('includeEntry') ?? false;
  const events = await sandbox.engine.files.watch(path, { recursive, signal: stop.signal });
  channel.onClose(() => stop.abort());
  void channel.push({ start: {} });
  for await (const event of events) {
    await channel.push({ filesystem: await eventOf(sandbox, path, event, withEntries) });
  }
}

/** Only what still stands at the path can be described. */
const DESCRIBED: ReadonlySet<string> = new Set(['create', 'write', 'chmod']);

async function eventOf(
  sandbox: LiveSandbox,
  root: string,
  { name, type }: WatchEvent,
  withEntry: boolean,
): Promise<object> {
  const entry =
    withEntry && DESCRIBED.has(type)
      ? await stat(sandbox, posix.join(root, name)).catch(nothing)
      : undefined;
  return {
    name,
    type: `EVENT_TYPE_${type.toUpperCase()}`,
    ...(entry === undefined ? {} : { entry }),
  };
}

async function watchedPath(call: RpcCall, message: Fields): Promise<string> {
  const path = await pathOf(call, message, 'path');
  await folder(call.sandbox, path, `path ${path} not found`, `path ${path} not a directory`);
  return path;
}

async function folder(
  sandbox: LiveSandbox,
  path: string,
  missing: string,
  other: string,
): Promise<void> {
  const entry = await sandbox.engine.files.stat(path, { follow: true }).catch((error) => {
    if (isOneOf(error, 'not-found', 'not-directory')) throw new RpcError('not_found', missing);
    throw error;
  });
  if (entry.type !== 'directory') throw new RpcError('invalid_argument', other);
}

async function stat(sandbox: LiveSandbox, path: string): Promise<EntryInfo> {
  try {
    return await entryInfo(sandbox, await sandbox.engine.files.stat(path));
  } catch (error) {
    if (!isOneOf(error, 'not-found', 'not-directory')) throw error;
    throw new RpcError('not_found', `file not found: ${path}`);
  }
}

/** As the user means it: relative to the home; nothing at all is the working folder. */
function pathOf({ sandbox, user }: RpcCall, message: Fields, name: string): Promise<string> {
  return resolvePath(sandbox, message.optionalString(name) ?? '', user);
}

/** See {@link pathOf}; for `/files` too. */
export function resolvePath(sandbox: LiveSandbox, path: string, user: string): Promise<string> {
  const meant = path === '' ? (sandbox.spec.template.workdir ?? '~') : path;
  return sandbox.engine.files.resolve(meant, { user }).then(trimmed);
}

function trimmed(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}

function isOneOf(error: unknown, ...codes: string[]): boolean {
  return error instanceof EngineError && codes.includes(error.code);
}

function nothing(): undefined {
  return undefined;
}
