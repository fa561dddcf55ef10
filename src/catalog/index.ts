import { AREAS } from './symbols/index.ts';
import type { CatalogSymbol, FormerName, Lifetime, MemberEntry, TypeEntry } from './types.ts';

interface Located {
  entry: TypeEntry;
  area: string;
}

const TYPES = new Map<string, Located>();
const FORMER = new Map<string, { former: FormerName; entry: TypeEntry }>();
for (const { title, types } of AREAS) {
  for (const entry of types) {
    TYPES.set(entry.name, { entry, area: title });
    for (const former of entry.formerly ?? []) FORMER.set(former.name, { former, entry });
  }
}

const cache = new Map<string, CatalogSymbol | undefined>();
let all: readonly CatalogSymbol[] | undefined;
let distinctiveNames: ReadonlySet<string> | undefined;
let distinctive: ReadonlyMap<string, string> | undefined;

/**
 * Everything known about a type (`Process`) or a member (`Process.executeCommand`), with defaults
 * filled in. Old names resolve too: `Workspace` gives an entry replaced by `Sandbox`, and a member
 * asked for through an old or derived type gives the member of the type that declares it.
 */
export function findSymbol(id: string): CatalogSymbol | undefined {
  if (!cache.has(id)) cache.set(id, build(id));
  return cache.get(id);
}

/** Every type, old name and member, in the order of the table. */
export function allSymbols(): readonly CatalogSymbol[] {
  all ??= [...symbols()];
  return all;
}

/** The id in current Daytona terms: follows `replacedBy` to its end; unknown ids come back as given. */
export function currentId(id: string): string {
  let symbol = findSymbol(id);
  // Replacements are at most a few steps apart; the bound only guards against a loop in the data.
  for (let steps = 0; symbol?.replacedBy !== undefined && steps < 8; steps++) {
    const next = findSymbol(symbol.replacedBy);
    if (next === undefined) break;
    symbol = next;
  }
  return symbol?.id ?? id;
}

/** Method names that identify Daytona even on a value without a type. */
export function distinctiveMembers(): ReadonlySet<string> {
  distinctiveNames ??= new Set(distinctiveIds().keys());
  return distinctiveNames;
}

/** The symbol a distinctive method name means, in current terms. */
export function findDistinctive(name: string): CatalogSymbol | undefined {
  const id = distinctiveIds().get(name);
  return id === undefined ? undefined : findSymbol(id);
}

/** True for a type whose keys are reported one by one, under its current or an old name. */
export function isOptionType(name: string): boolean {
  const entry = TYPES.get(name)?.entry ?? FORMER.get(name)?.entry;
  return entry?.options === 'each';
}

/** The members a type declares itself, by name. */
export function membersOf(typeName: string): readonly [string, MemberEntry][] {
  return Object.entries(TYPES.get(typeName)?.entry.members ?? {});
}

/** Names of the types this one extends, nearest first. */
function parentsOf(typeName: string): readonly string[] {
  const heritage = TYPES.get(typeName)?.entry.heritage ?? '';
  return [...heritage.matchAll(/\w+/g)].map(([word]) => word).filter((word) => TYPES.has(word));
}

/** Distinctive names with the id of the member that has them; scanning needs nothing built. */
function distinctiveIds(): ReadonlyMap<string, string> {
  distinctive ??= new Map(
    [...TYPES.values()].flatMap(({ entry }) =>
      Object.entries(entry.members ?? {})
        .filter(([, member]) => member.distinctive === true)
        .map(([name]): [string, string] => [name, `${entry.name}.${name}`]),
    ),
  );
  return distinctive;
}

function* symbols(): Generator<CatalogSymbol> {
  for (const { types } of AREAS) {
    for (const entry of types) {
      const names = [entry.name, ...(entry.formerly ?? []).map((former) => former.name)];
      const members = Object.keys(entry.members ?? {}).map((name) => `${entry.name}.${name}`);
      for (const id of [...names, ...members]) {
        const symbol = findSymbol(id);
        if (symbol !== undefined) yield symbol;
      }
    }
  }
}

function build(id: string): CatalogSymbol | undefined {
  const dot = id.indexOf('.');
  if (dot < 0) return buildType(id);
  return buildMember(
    FORMER.get(id.slice(0, dot))?.entry.name ?? id.slice(0, dot),
    id.slice(dot + 1),
  );
}

function buildType(name: string): CatalogSymbol | undefined {
  const found = TYPES.get(name);
  if (found !== undefined) return describe(found, name, found.entry);
  const old = FORMER.get(name);
  const located = old && TYPES.get(old.entry.name);
  if (old === undefined || located === undefined) return undefined;
  return describe(located, name, { ...old.former, replacedBy: old.entry.name });
}

function describe({ entry, area }: Located, name: string, lifetime: Lifetime): CatalogSymbol {
  return {
    id: name,
    name,
    kind: entry.kind,
    rule: entry.rule,
    becomes: entry.becomes,
    fix: entry.fix,
    verdicts: entry.verdicts,
    ...(entry.effortMinutes === undefined ? {} : { effortMinutes: entry.effortMinutes }),
    ...span(lifetime),
    quiet: false,
    distinctive: false,
    optionKey: false,
    py: entry.py === undefined ? name : entry.py,
    area,
  };
}

function buildMember(owner: string, name: string): CatalogSymbol | undefined {
  const located = TYPES.get(owner);
  if (located === undefined) return undefined;
  const { entry, area } = located;
  const member = Object.hasOwn(entry.members ?? {}, name) ? entry.members?.[name] : undefined;
  if (member === undefined) {
    for (const parent of parentsOf(owner)) {
      const found = findSymbol(`${parent}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  // An old name does what its replacement does, so it takes the replacement's migration.
  const current = member.replacedBy === undefined ? undefined : findSymbol(member.replacedBy);
  const base = current ?? entry;
  const effort = member.effortMinutes ?? base.effortMinutes;
  return {
    id: `${owner}.${name}`,
    owner,
    name,
    kind: member.kind,
    rule: member.rule ?? base.rule,
    becomes: member.becomes === undefined ? base.becomes : member.becomes,
    fix: member.fix ?? base.fix,
    verdicts: member.verdicts ?? base.verdicts,
    ...(effort === undefined ? {} : { effortMinutes: effort }),
    ...span({ ...inherited(entry), ...span(member) }),
    quiet: member.quiet ?? false,
    distinctive: member.distinctive ?? false,
    optionKey: entry.options === 'each',
    py: pythonName(entry, name, member),
    area,
  };
}

/** What a member takes from its type. A renamed type is younger than most of its members. */
function inherited({ since, until, formerly }: TypeEntry): Lifetime {
  const renamed = formerly?.some((former) => former.until !== undefined) ?? false;
  return { ...(since === undefined || renamed ? {} : { since }), ...(until && { until }) };
}

function span({ since, until, replacedBy }: Lifetime): Lifetime {
  return {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(replacedBy === undefined ? {} : { replacedBy }),
  };
}

function pythonName(owner: TypeEntry, name: string, member: MemberEntry): string | null {
  if (member.py !== undefined) return member.py;
  if (owner.py === null) return null;
  if (owner.kind === 'enum') return name;
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
