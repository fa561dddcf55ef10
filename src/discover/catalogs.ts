import { isObject, type Json, parseJsonObject } from './jsonc.ts';

/**
 * The range a `catalog:` reference stands for, from a pnpm-workspace.yaml, a .yarnrc.yml, or the
 * package.json of a bun workspace. An empty catalogue name is the default one.
 */
export function catalogRange(
  file: string,
  text: string,
  catalog: string,
  name: string,
): string | undefined {
  return file === 'package.json' ? fromJson(text, catalog, name) : fromYaml(text, catalog, name);
}

function fromJson(text: string, catalog: string, name: string): string | undefined {
  const manifest = parseJsonObject(text);
  const holders = [manifest?.workspaces, manifest].filter(isObject);
  for (const { catalog: unnamed, catalogs } of holders) {
    const named = isObject(catalogs) ? catalogs[catalog === '' ? 'default' : catalog] : undefined;
    const range = rangeIn(named, name) ?? (catalog === '' ? rangeIn(unnamed, name) : undefined);
    if (range !== undefined) return range;
  }
  return undefined;
}

function rangeIn(table: Json | undefined, name: string): string | undefined {
  const range = isObject(table) ? table[name] : undefined;
  return typeof range === 'string' ? range : undefined;
}

function fromYaml(text: string, catalog: string, name: string): string | undefined {
  let path: { indent: number; key: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const entry = /^(\s*)(?:"([^"]+)"|'([^']+)'|([^\s#:][^:]*)):\s*(.*)$/.exec(line);
    if (entry === null) continue;
    const indent = entry[1]?.length ?? 0;
    const key = entry[2] ?? entry[3] ?? entry[4] ?? '';
    path = path.filter((level) => level.indent < indent);
    const [section, group] = path.map((level) => level.key);
    const wanted =
      (section === 'catalog' && path.length === 1 && (catalog === '' || catalog === 'default')) ||
      (section === 'catalogs' && path.length === 2 && group === (catalog || 'default'));
    if (wanted && key === name) return (entry[5] ?? '').replace(/\s#.*$/, '').replace(/["']/g, '');
    path.push({ indent, key });
  }
  return undefined;
}
