import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { sandboxDto, sandboxItem } from '../dto.ts';
import { badRequest } from '../errors.ts';
import type { SandboxRecord } from '../record.ts';
import { isOlder, sdkVersion } from '../sdk-version.ts';
import type { World } from '../world.ts';
import { page, queryInteger } from './route.ts';

const DEFAULT_LIMIT = 100;
/** From here on clients page by cursor; 0.108 to 0.179 use a route of their own, older ones none. */
const CURSOR_SINCE = [0, 180, 0];

/** `GET /sandbox` */
export function listSandboxes(world: World, call: Call): Reply {
  const found = filtered(world, call);
  const version = sdkVersion(call.request);
  if (version !== undefined && isOlder(version, CURSOR_SINCE)) {
    return json(
      200,
      found.map((record) => sandboxDto(world, record)),
    );
  }
  const limit = queryInteger(call, 'limit', { most: 200 }) ?? DEFAULT_LIMIT;
  const after = cursorOf(call);
  // By the last one seen, so that what is added or deleted meanwhile shifts nothing.
  const start = after === undefined ? 0 : startAfter(found, after);
  const items = found.slice(start, start + limit);
  const last = items.at(-1);
  const hasMore = start + limit < found.length && last !== undefined;
  return json(200, {
    items: items.map((record) => sandboxItem(world, record)),
    nextCursor: hasMore ? cursor(last, start + limit) : null,
  });
}

/** `GET /sandbox/paginated`, deprecated */
export function listPaginated(world: World, call: Call): Reply {
  return page(call, filtered(world, call), (record) => sandboxDto(world, record));
}

interface Position {
  id: string;
  index: number;
}

function cursor({ id }: SandboxRecord, index: number): string {
  return Buffer.from(JSON.stringify({ id, index })).toString('base64url');
}

function cursorOf({ query }: Call): Position | undefined {
  const text = query.get('cursor');
  if (text === null || text === '') return undefined;
  try {
    const position: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const { id, index } = position as Partial<Position>;
    if (typeof id === 'string' && typeof index === 'number') return { id, index };
  } catch {
    // Said below.
  }
  throw badRequest('Invalid cursor');
}

function startAfter(found: readonly SandboxRecord[], { id, index }: Position): number {
  const at = found.findIndex((record) => record.id === id);
  // The last one seen is gone: go on where it was.
  return at < 0 ? Math.max(0, index - 1) : at + 1;
}

function filtered(world: World, { query }: Call): SandboxRecord[] {
  const tests = [
    prefix(query, 'id', ({ id }) => id),
    prefix(query, 'name', ({ name }) => name),
    labels(query),
    oneOf(query, 'states', ({ state }) => state),
    oneOf(query, 'snapshots', ({ snapshot }) => snapshot ?? ''),
    oneOf(query, 'regionIds', ({ target }) => target),
    oneOf(query, 'regions', ({ target }) => target),
    oneOf(query, 'sandboxClasses', ({ sandboxClass }) => sandboxClass),
    between(query, 'minCpu', 'maxCpu', ({ cpu }) => cpu),
    between(query, 'minMemoryGiB', 'maxMemoryGiB', ({ memory }) => memory),
    between(query, 'minDiskGiB', 'maxDiskGiB', ({ disk }) => disk),
    within(query, 'createdAt', ({ createdAt }) => createdAt),
    within(query, 'lastEvent', ({ lastActivityAt }) => lastActivityAt),
    within(query, 'autoDestroyAt', ({ destroyAt }) => destroyAt ?? Number.NaN),
    yes(query, 'isPublic', ({ isPublic }) => isPublic),
    yes(query, 'isRecoverable', ({ recoverable }) => recoverable === true),
  ].filter((test) => test !== undefined);
  const found = world.sandboxes.all().filter((record) => tests.every((test) => test(record)));
  return sorted(found, query);
}

type Test = ((record: SandboxRecord) => boolean) | undefined;

function prefix(query: URLSearchParams, name: string, of: (r: SandboxRecord) => string): Test {
  const value = query.get(name)?.toLowerCase();
  return value ? (record) => of(record).toLowerCase().startsWith(value) : undefined;
}

function labels(query: URLSearchParams): Test {
  const value = query.get('labels');
  if (value === null || value === '') return undefined;
  let wanted: unknown;
  try {
    wanted = JSON.parse(value);
  } catch {
    throw badRequest('Invalid labels JSON format');
  }
  if (typeof wanted !== 'object' || wanted === null) throw badRequest('Invalid labels JSON format');
  const pairs = Object.entries(wanted);
  return (record) =>
    pairs.every(([key, one]) => Object.hasOwn(record.labels, key) && record.labels[key] === one);
}

function oneOf(query: URLSearchParams, name: string, of: (r: SandboxRecord) => string): Test {
  const values = query.getAll(name).flatMap((value) => value.split(','));
  return values.length === 0 ? undefined : (record) => values.includes(of(record));
}

function between(
  query: URLSearchParams,
  least: string,
  most: string,
  of: (r: SandboxRecord) => number,
): Test {
  const number = (name: string, none: number): number => {
    const value = query.get(name);
    if (value === null || value === '') return none;
    if (Number.isNaN(Number(value))) throw badRequest(`${name} must be a number`);
    return Number(value);
  };
  const low = number(least, Number.NEGATIVE_INFINITY);
  const high = number(most, Number.POSITIVE_INFINITY);
  return (record) => of(record) >= low && of(record) <= high;
}

function within(query: URLSearchParams, name: string, of: (r: SandboxRecord) => number): Test {
  const time = (end: string): number | undefined => {
    const value = query.get(`${name}${end}`);
    if (value === null || value === '') return undefined;
    const ms = Date.parse(value);
    if (Number.isNaN(ms)) throw badRequest(`${name}${end} must be a valid date`);
    return ms;
  };
  const after = time('After');
  const before = time('Before');
  if (after === undefined && before === undefined) return undefined;
  return (record) =>
    of(record) >= (after ?? Number.NEGATIVE_INFINITY) &&
    of(record) <= (before ?? Number.POSITIVE_INFINITY);
}

function yes(query: URLSearchParams, name: string, of: (r: SandboxRecord) => boolean): Test {
  const value = query.get(name);
  return value === null || value === '' ? undefined : (record) => `${of(record)}` === value;
}

const KEYS: Readonly<Record<string, (record: SandboxRecord) => string | number>> = {
  name: ({ name }) => name,
  cpu: ({ cpu }) => cpu,
  memoryGib: ({ memory }) => memory,
  diskGib: ({ disk }) => disk,
  lastActivityAt: ({ lastActivityAt }) => lastActivityAt,
  createdAt: ({ createdAt }) => createdAt,
};

function sorted(found: SandboxRecord[], query: URLSearchParams): SandboxRecord[] {
  const name = query.get('sort') || 'createdAt';
  const order = query.get('order') || 'desc';
  const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
  if (key === undefined) {
    throw badRequest(`sort must be one of the following values: ${Object.keys(KEYS).join(', ')}`);
  }
  if (order !== 'asc' && order !== 'desc') {
    throw badRequest('order must be one of the following values: asc, desc');
  }
  const sign = order === 'asc' ? 1 : -1;
  // Made in the order of the list: those of one moment stay in it, or turn around with it.
  const indexed = found.map((record, index) => ({ record, index, value: key(record) }));
  indexed.sort((a, b) => {
    if (a.value !== b.value) return sign * (a.value < b.value ? -1 : 1);
    return sign * (a.index - b.index);
  });
  return indexed.map(({ record }) => record);
}
