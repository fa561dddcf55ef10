import { queryInteger } from '../body.ts';
import { ApiError } from '../errors.ts';

/** A page of a list, and the header that leads to the next. The cursor names the last item. */
export function page<T>(
  all: readonly T[],
  query: URLSearchParams,
  max: number,
  key: (item: T) => string,
): { items: T[]; headers: Record<string, string> } {
  const limit = queryInteger(query, 'limit') ?? max;
  if (query.has('limit') && (limit < 1 || limit > max)) {
    throw new ApiError(400, `parameter "limit" in query has an error: number must be 1 to ${max}`);
  }
  const cursor = query.get('nextToken');
  const from = cursor === null || cursor === '' ? 0 : after(all, cursor, key);
  const items = all.slice(from, from + limit);
  const last = items.at(-1);
  const isMore = last !== undefined && from + limit < all.length;
  const token = isMore ? Buffer.from(`${from + limit}__${key(last)}`).toString('base64url') : '';
  return { items, headers: isMore ? { 'x-next-token': token } : {} };
}

/** Behind the item, or where it stood when it has gone. */
function after<T>(all: readonly T[], cursor: string, key: (item: T) => string): number {
  const [, index, id] = /^(\d+)__(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (index === undefined || id === undefined) throw new ApiError(400, 'Invalid next token');
  const at = all.findIndex((item) => key(item) === id);
  return at < 0 ? Math.min(Number(index), all.length) : at + 1;
}
