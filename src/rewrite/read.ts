import { didYouMean } from '../config/nearest.ts';
import { expected, isObject, Problem, type Read } from '../config/read.ts';
import { pathProblem } from './paths.ts';

/** The fields of an object and how each is read. */
export type Readers<T> = { [K in keyof T]-?: Read<T[K]> };

/** Reads an object that has these fields and no others. */
export function objectOf<T>(
  readers: Readers<T>,
  optional: readonly (keyof T & string)[] = [],
): Read<T> {
  const names = Object.keys(readers) as (keyof T & string)[];
  return (value, at) => {
    if (!isObject(value)) throw new Problem(at, expected('an object', value));
    const under = at === '' ? '' : `${at}.`;
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(readers, key));
    if (unknown !== undefined) {
      throw new Problem(`${under}${unknown}`, `unknown key.${didYouMean(unknown, names)}`);
    }
    const read: Partial<T> = {};
    for (const name of names) {
      if (optional.includes(name) && !Object.hasOwn(value, name)) continue;
      read[name] = readers[name](value[name], `${under}${name}`);
    }
    return read as T;
  };
}

export function listOf<T>(item: Read<T>): Read<T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw new Problem(at, expected('an array', value));
    return value.map((entry: unknown, index) => item(entry, `${at}[${index}]`));
  };
}

export function orNull<T>(read: Read<T>): Read<T | null> {
  return (value, at) => (value === null ? null : read(value, at));
}

/** A path of a file inside of the root. */
export function path(value: unknown, at: string): string {
  const problem = typeof value === 'string' ? pathProblem(value) : 'is not a string';
  if (problem === undefined) return value as string;
  throw new Problem(at, `${JSON.stringify(value)} ${problem}`);
}

export function sha256(value: unknown, at: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
  throw new Problem(at, expected('a SHA-256 of 64 hex digits', value));
}

export function count(value: unknown, at: string): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new Problem(at, expected('a whole number from 0 on', value));
}
