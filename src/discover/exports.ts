import { isObject, type Json, type JsonObject } from './jsonc.ts';

/**
 * Paths an `exports` or `imports` map names for one key (`.`, `./sub`, `#alias`), most specific
 * entry first, every condition in the order written. All conditions are returned, since the caller
 * takes the first that is a listed file, and custom conditions often are the ones that point to it.
 */
export function mapTargets(map: Json | undefined, key: string): string[] {
  if (map === undefined || map === null) return [];
  if (!isObject(map) || isConditions(map)) return key === '.' ? leaves(map) : [];
  const exact = map[key];
  if (exact !== undefined) return leaves(exact);
  let best: { length: number; targets: string[] } | undefined;
  for (const [pattern, target] of Object.entries(map)) {
    const matched = matchPattern(pattern, key);
    if (matched === undefined) continue;
    const length = pattern.indexOf('*') < 0 ? pattern.length : pattern.indexOf('*');
    if (best !== undefined && best.length >= length) continue;
    // A folder mapping (`"./lib/": "./dist/"`) has its rest appended instead of inserted.
    const place = pattern.endsWith('/')
      ? (path: string) => path + matched
      : (path: string) => path.replaceAll('*', matched);
    best = { length, targets: leaves(target).map(place) };
  }
  return best?.targets ?? [];
}

/** What the star of a pattern stands for in `key`; undefined when the pattern does not match. */
export function matchPattern(pattern: string, key: string): string | undefined {
  const star = pattern.indexOf('*');
  const prefix = star < 0 ? pattern : pattern.slice(0, star);
  const suffix = star < 0 ? '' : pattern.slice(star + 1);
  if (star < 0 && !pattern.endsWith('/')) return undefined;
  if (key.length < prefix.length + suffix.length) return undefined;
  if (!key.startsWith(prefix) || !key.endsWith(suffix)) return undefined;
  return key.slice(prefix.length, key.length - suffix.length);
}

function isConditions(map: JsonObject): boolean {
  const first = Object.keys(map)[0];
  return first !== undefined && !first.startsWith('.') && !first.startsWith('#');
}

function leaves(target: Json | undefined): string[] {
  if (typeof target === 'string') return [target];
  if (Array.isArray(target)) return target.flatMap(leaves);
  return isObject(target) ? Object.values(target).flatMap(leaves) : [];
}
