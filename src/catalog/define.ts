import type { Fix } from '../model/finding.ts';
import type { MemberEntry, Migration } from './types.ts';
import { adapted, everywhere } from './verdicts.ts';

type Extra = Partial<Omit<MemberEntry, 'kind' | 'type'>>;

/** A method; `type` is everything after its name. */
export const method = (type: string, extra: Extra = {}): MemberEntry => ({
  kind: 'method',
  type,
  ...extra,
});

/** A property that is always there. */
export const property = (type: string, extra: Extra = {}): MemberEntry => ({
  kind: 'property',
  type,
  ...extra,
});

/** A property that may be absent; most option keys and response fields are. */
export const optional = (type: string, extra: Extra = {}): MemberEntry => ({
  kind: 'property',
  type,
  optional: true,
  ...extra,
});

/** An optional property nobody needs to be told about. */
export const quiet = (type: string, extra: Extra = {}): MemberEntry => ({
  kind: 'property',
  type,
  optional: true,
  quiet: true,
  ...extra,
});

/** A static member of a class: a method when `type` starts with a parameter list. */
export const fixed = (type: string, extra: Extra = {}): MemberEntry => ({
  kind: 'static',
  type,
  ...extra,
});

/** Members of an enumeration from name to wire value; `each` adds what differs per member. */
export function values(
  wire: Readonly<Record<string, string>>,
  each: Readonly<Record<string, Extra>> = {},
): Record<string, MemberEntry> {
  return Object.fromEntries(
    Object.entries(wire).map(([name, value]) => [
      name,
      { kind: 'static', type: `'${value}'`, ...each[name] },
    ]),
  );
}

/** Several quiet optional properties of the same type. */
export function fields(type: string, ...names: string[]): Record<string, MemberEntry> {
  return Object.fromEntries(names.map((name) => [name, quiet(type)]));
}

/** Migration of a type that only appears in signatures: swap or drop the name. */
export const typeOnly = (
  becomes: string | null = null,
  fix: Fix = 'manual',
  note?: string,
): Migration => ({
  rule: 'DT801',
  becomes,
  fix,
  verdicts: everywhere(adapted(note)),
});
