import { json, type Reply } from '../../http/reply.ts';
import type { Call, Router } from '../../http/router.ts';
import { sandboxDto } from '../dto.ts';
import { badRequest } from '../errors.ts';
import type { SandboxRecord } from '../record.ts';
import type { World } from '../world.ts';

/** The sandbox a path names. */
export function sandboxOf(world: World, call: Call): SandboxRecord {
  return world.sandboxes.need(call.params.id ?? '');
}

/** Registers a route that does something with a sandbox and shows it afterwards. */
export function onSandbox(
  world: World,
  router: Router,
  name: string,
  work: (record: SandboxRecord, call: Call) => void | Promise<void>,
): void {
  router.on(name, async (call): Promise<Reply> => {
    const record = sandboxOf(world, call);
    await work(record, call);
    return json(200, sandboxDto(world, record));
  });
}

/** A number in a path, such as an interval. */
export function pathInteger(call: Call, name: string, least: number): number {
  const value = call.params[name] ?? '';
  if (!/^-?\d+$/.test(value) || Number(value) < least) {
    throw badRequest(`${name} must be an integer of at least ${least}`);
  }
  return Number(value);
}

export function queryInteger(
  call: Call,
  name: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER }: { least?: number; most?: number } = {},
): number | undefined {
  const value = call.query.get(name);
  if (value === null || value === '') return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < least || number > most) {
    throw badRequest(`${name} must be an integer between ${least} and ${most}`);
  }
  return number;
}

/** One page of a list, counted from 1 (api.json `Paginated…`). */
export function page<T>(
  call: Call,
  all: readonly T[],
  show: (item: T) => unknown,
  defaultLimit = 100,
): Reply {
  const number = queryInteger(call, 'page') ?? 1;
  const limit = queryInteger(call, 'limit', { most: 200 }) ?? defaultLimit;
  const items = all.slice((number - 1) * limit, number * limit).map(show);
  return json(200, {
    items,
    total: all.length,
    page: number,
    totalPages: Math.ceil(all.length / limit),
  });
}
