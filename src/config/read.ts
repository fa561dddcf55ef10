/** Checked reading of settings that people write, shared by every file of that kind. */
import { didYouMean } from './nearest.ts';

/** Reads one setting. Throws {@link Problem}; `at` is the key path shown to the user. */
export type Read<T> = (value: unknown, at: string) => T;

/** What is wrong with one value, before the file is known. */
export class Problem extends Error {
  readonly at: string;

  constructor(at: string, message: string) {
    super(message);
    this.at = at;
  }
}

export function text(value: unknown, at: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Problem(at, `${expected('a non-empty string', value)}.`);
}

export function listOf(item: Read<string>): Read<string[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw new Problem(at, `${expected('an array of strings', value)}.`);
    return value.map((entry: unknown, index) => item(entry, `${at}[${index}]`));
  };
}

export function oneOf<T extends string>(allowed: readonly T[]): Read<T> {
  return (value, at) => {
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    const hint = typeof value === 'string' ? didYouMean(value, allowed) : '';
    throw new Problem(at, `${expected(`one of ${allowed.join(', ')}`, value)}.${hint}`);
  };
}

export function positiveInteger(value: unknown, at: string): number {
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value);
  throw new Problem(at, `${expected('a whole number above 0', value)}.`);
}

export function expected(what: string, value: unknown): string {
  const shown = value === undefined ? 'nothing' : JSON.stringify(value);
  return `expected ${what}, found ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
