import { sha256 } from '../provider/crypto.ts';
import type { RolloutRule } from './settings.ts';

/**
 * The provider that a sandbox with these labels is sent to; `undefined` for the default one. It depends
 * on nothing but the value of the label, so it is the same in every process, and a value that was
 * taken at 10 percent is still taken at 20.
 */
export function rolledOutTo(
  rules: readonly RolloutRule[],
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const taken = new Map<string, number>();
  for (const { provider, percent, key } of rules) {
    const from = taken.get(key) ?? 0;
    taken.set(key, from + percent);
    const value = labels[key];
    if (value === undefined) continue;
    const place = placeOf(key, value);
    if (place >= from && place < from + percent) return provider;
  }
  return undefined;
}

/** Where a value stands, from 0 to 100. */
function placeOf(key: string, value: string): number {
  const hash = sha256(`${key}\0${value}`);
  return (hash.readUInt32BE(0) / 2 ** 32) * 100;
}
