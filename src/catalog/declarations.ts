import { libText } from './lib/index.ts';
import { AREAS } from './symbols/index.ts';
import type { MemberEntry, TypeEntry } from './types.ts';

/**
 * One `.d.ts` module with every symbol of the table, current and old, so that code of any SDK
 * generation resolves without `node_modules`. A declaration maps back to its catalogue id by the
 * name of its parent and its own: `Process` + `executeCommand`. Old names of a type are export
 * aliases, so they resolve to the current declaration.
 * @param spelled when given, only members with one of these names are declared, and only types that
 *   are named or reached: a member no analysed file spells cannot be used, and parsing it costs.
 */
export function daytonaDeclarations(spelled?: ReadonlySet<string>): string {
  const types = AREAS.flatMap((area) => area.types);
  if (spelled === undefined) return types.map((entry) => declare(entry, entry.members)).join('\n');
  const declared = new Map(
    types.map((entry) => [entry.name, declare(entry, spelledMembers(entry, spelled))]),
  );
  const reached = new Set<string>();
  const reach = (name: string): void => {
    const text = declared.get(name);
    if (text === undefined || reached.has(name)) return;
    reached.add(name);
    for (const [word] of text.matchAll(/\b[A-Z]\w+/g)) reach(word);
  };
  for (const { name, formerly } of types) {
    if (spelled.has(name) || formerly?.some((former) => spelled.has(former.name))) reach(name);
  }
  return [...declared].map(([name, text]) => (reached.has(name) ? text : '')).join('\n');
}

/** Every name a member or a type has: what to look for in the texts before declaring. */
export function declaredNames(): ReadonlySet<string> {
  names ??= new Set(
    AREAS.flatMap(({ types }) => types).flatMap((entry) => [
      entry.name,
      ...(entry.formerly ?? []).map((former) => former.name),
      ...Object.keys(entry.members ?? {}),
    ]),
  );
  return names;
}

let names: ReadonlySet<string> | undefined;

type Members = Readonly<Record<string, MemberEntry>>;

function spelledMembers(entry: TypeEntry, spelled: ReadonlySet<string>): Members {
  // Symbol-named members, e.g. the disposer, are used without being spelled.
  return Object.fromEntries(
    Object.entries(entry.members ?? {}).filter(
      ([name]) => spelled.has(name) || name.startsWith('['),
    ),
  );
}

/** What stands in for TypeScript's own library (`noLib`), which costs most of a cold start. */
export function libDeclarations(): string {
  return libText();
}

function declare(entry: TypeEntry, members: Members | undefined): string {
  const aliases = (entry.formerly ?? []).map(
    (former) => `export { ${entry.name} as ${former.name} };`,
  );
  return [main(entry, members), ...aliases].join('\n');
}

function main(entry: TypeEntry, declared: Members | undefined): string {
  const head = entry.heritage === undefined ? entry.name : `${entry.name} ${entry.heritage}`;
  const members = Object.entries(declared ?? {});
  switch (entry.kind) {
    case 'alias':
      return `export type ${entry.name} = ${entry.type ?? 'unknown'};`;
    case 'const':
      return `export declare const ${entry.name}: ${entry.type ?? 'unknown'};`;
    case 'enum':
      return block(
        `declare enum ${head}`,
        members.map(([name, { type }]) => `${name} = ${type},`),
      );
    case 'interface':
      return block(
        `interface ${head}`,
        members.map(([name, member]) => line(name, member)),
      );
    case 'class': {
      const construct = entry.construct === undefined ? [] : [`constructor(${entry.construct});`];
      return block(`declare class ${head}`, [
        ...construct,
        ...members.map(([name, member]) => line(name, member)),
      ]);
    }
  }
}

function block(head: string, body: readonly string[]): string {
  return `export ${head} {\n${body.map((text) => `  ${text}\n`).join('')}}`;
}

function line(name: string, { kind, type, optional }: MemberEntry): string {
  const callable = kind === 'method' || (kind === 'static' && type.startsWith('('));
  const prefix = kind === 'static' ? 'static ' : '';
  if (callable) return `${prefix}${name}${type};`;
  return `${prefix}${name}${optional === true ? '?' : ''}: ${type};`;
}
