import { libText } from './lib/index.ts';
import { AREAS } from './symbols/index.ts';
import type { MemberEntry, TypeEntry } from './types.ts';

let stub: string | undefined;

/**
 * One `.d.ts` module with every symbol of the table, current and old, so that code of any SDK
 * generation resolves without `node_modules`. A declaration maps back to its catalogue id by the
 * name of its parent and its own: `Process` + `executeCommand`. Old names of a type are export
 * aliases, so they resolve to the current declaration.
 */
export function daytonaDeclarations(): string {
  stub ??= AREAS.flatMap(({ types }) => types.map(declare)).join('\n');
  return stub;
}

/** What stands in for TypeScript's own library (`noLib`), which costs most of a cold start. */
export function libDeclarations(): string {
  return libText();
}

function declare(entry: TypeEntry): string {
  const aliases = (entry.formerly ?? []).map(
    (former) => `export { ${entry.name} as ${former.name} };`,
  );
  return [main(entry), ...aliases].join('\n');
}

function main(entry: TypeEntry): string {
  const head = entry.heritage === undefined ? entry.name : `${entry.name} ${entry.heritage}`;
  const members = Object.entries(entry.members ?? {});
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
