import { beforeAll, describe, expect, it } from 'vitest';
import { IGNORED } from '../../src/catalog/ignored.ts';
import { allSymbols, currentId, findSymbol } from '../../src/catalog/index.ts';
import { RULES } from '../../src/catalog/rules.ts';
import { AREAS } from '../../src/catalog/symbols/index.ts';
import { CUBE_VERSIONS, verdictFor } from '../../src/catalog/targets.ts';
import type { TypeEntry } from '../../src/catalog/types.ts';
import { readSurface, type SurfaceType } from './sdk-surface.ts';

const ENTRIES: readonly TypeEntry[] = AREAS.flatMap((area) => area.types);

let surface: Map<string, SurfaceType>;

beforeAll(() => {
  surface = readSurface();
});

const ignored = (type: string, member?: string): boolean =>
  type in IGNORED ||
  (member !== undefined && (`${type}.${member}` in IGNORED || `*.${member}` in IGNORED));

describe('the catalogue against the installed SDK', () => {
  it('reads a surface worth comparing with', () => {
    expect(surface.size).toBeGreaterThan(150);
    expect(surface.get('Process')?.members).toContain('executeCommand');
    expect(surface.get('LspServer')?.members).toContain('completions');
    expect(surface.get('SandboxState')?.members).toContain('STARTED');
  });

  it('has every exported name and every type reachable from one', () => {
    const missing = [...surface]
      .filter(([name, type]) => type.reached && !ignored(name))
      .map(([name]) => name)
      .filter((name) => findSymbol(name) === undefined);
    expect(missing).toEqual([]);
  });

  it('has every public member', () => {
    const missing = [...surface]
      .filter(([name, type]) => type.reached && findSymbol(name) !== undefined)
      .flatMap(([name, type]) =>
        [...type.members]
          .filter((member) => !ignored(name, member))
          .map((member) => `${name}.${member}`),
      )
      .filter((id) => findSymbol(id) === undefined);
    expect(missing).toEqual([]);
  });

  it('calls nothing current that the SDK does not have', () => {
    const stale = ENTRIES.filter((entry) => entry.until === undefined && !entry.ours).flatMap(
      (entry) => staleIn(entry),
    );
    expect(stale).toEqual([]);
  });

  it('calls nothing old that the SDK still has', () => {
    const alive = ENTRIES.filter((entry) => entry.until === undefined).flatMap((entry) =>
      Object.entries(entry.members ?? {})
        .filter(([name, member]) => member.until && surface.get(entry.name)?.members.has(name))
        .map(([name]) => `${entry.name}.${name}`),
    );
    expect(alive).toEqual([]);
  });

  it('ignores nothing that does not exist or that it has', () => {
    const useless = Object.keys(IGNORED).filter((id) => {
      const [type = '', member = ''] = id.split('.');
      if (type === '*') return ![...surface.values()].some((found) => found.members.has(member));
      const exists = member === '' ? surface.has(type) : surface.get(type)?.members.has(member);
      return !exists || findSymbol(id) !== undefined;
    });
    expect(useless).toEqual([]);
  });
});

function staleIn(entry: TypeEntry): string[] {
  const real = surface.get(entry.name);
  if (real === undefined) return [entry.name];
  const where = entry.exported ? 'sdk' : entry.client;
  const found = [...(where === undefined || real.exportedBy.has(where) ? [] : [entry.name])];
  for (const { name, until, client } of entry.formerly ?? []) {
    if (until === undefined && !surface.get(name)?.exportedBy.has(client ?? 'sdk'))
      found.push(name);
  }
  for (const [name, member] of Object.entries(entry.members ?? {})) {
    // Brands, symbols and what comes from Error are not read from the declarations.
    const own = /^(?:__|\[|message$)/.test(name);
    if (member.until === undefined && !real.members.has(name) && !own) {
      found.push(`${entry.name}.${name}`);
    }
  }
  return found;
}

describe('the catalogue in itself', () => {
  const symbols = allSymbols();

  it('has unique ids', () => {
    const ids = symbols.map((symbol) => symbol.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('names rules that exist', () => {
    const rules = new Set(RULES.map((rule) => rule.id));
    expect(symbols.filter((symbol) => !rules.has(symbol.rule)).map(({ id }) => id)).toEqual([]);
  });

  it('names replacements that exist and end at a current name', () => {
    const replaced = symbols.filter((symbol) => symbol.replacedBy !== undefined);
    const broken = replaced.filter(({ replacedBy = '' }) => findSymbol(replacedBy) === undefined);
    expect(broken.map(({ id }) => id)).toEqual([]);
    const ends = replaced.map(({ id }) => findSymbol(currentId(id)));
    expect(ends.filter((end) => end?.replacedBy !== undefined)).toEqual([]);
  });

  it('says what is lost, and what to do instead', () => {
    const targets = [
      { name: 'e2b', kind: 'e2b' as const },
      { name: 'local', kind: 'local' as const },
      ...CUBE_VERSIONS.map((version) => ({ name: version, kind: 'cube' as const, version })),
    ];
    const silent = symbols.flatMap((symbol) =>
      targets
        .filter((target) => {
          const { verdict, note } = verdictFor(symbol.verdicts, target);
          return (verdict === 'emulated' || verdict === 'unsupported') && !note;
        })
        .map((target) => `${symbol.id} on ${target.name}`),
    );
    expect(silent).toEqual([]);
  });

  it('promises no rewrite where nothing works', () => {
    const odd = symbols.filter(
      ({ fix, verdicts }) => fix === 'automatic' && verdicts.e2b.verdict === 'unsupported',
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  it('keeps since before until', () => {
    const number = (version: string): number =>
      version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
    const odd = symbols.filter(
      ({ since, until }) => since && until && number(since) >= number(until),
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });
});
