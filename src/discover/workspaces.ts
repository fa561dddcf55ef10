import { workspaceGlob } from './glob.ts';
import { isObject, type JsonObject, parseJsonObject, stringsOf } from './jsonc.ts';
import { dirOf, inside, joinPath, nameOf } from './paths.ts';

/** One package.json of the repository. */
export interface Package {
  /** Folder relative to the root; empty for the root itself. */
  dir: string;
  name: string | undefined;
  manifest: JsonObject;
}

export interface Workspaces {
  /** Every readable package.json by its folder. */
  byDir: ReadonlyMap<string, Package>;
  /** Packages other packages of the repository can import by name. */
  byName: ReadonlyMap<string, Package>;
}

const DEPENDENCY_KEYS = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
] as const;

/**
 * Finds the packages of a repository and which of them are importable by name: members of npm, yarn,
 * bun, lerna and pnpm workspaces, and targets of `workspace:`, `file:`, `link:` and `portal:` ranges.
 * A package that is none of these (an example called `express`, say) is not what a name means.
 */
export function readWorkspaces(
  files: readonly string[],
  readText: (file: string) => string | undefined,
  warnings: string[],
): Workspaces {
  const byDir = new Map<string, Package>();
  const patterns: { dir: string; pattern: string }[] = [];
  for (const file of files) {
    const kind = nameOf(file);
    if (kind !== 'package.json' && kind !== 'pnpm-workspace.yaml' && kind !== 'lerna.json')
      continue;
    const text = readText(file);
    if (text === undefined) continue;
    const dir = dirOf(file);
    if (kind === 'pnpm-workspace.yaml') {
      for (const pattern of pnpmPackages(text)) patterns.push({ dir, pattern });
      continue;
    }
    const manifest = parseJsonObject(text);
    if (manifest === undefined) {
      warnings.push(`${file} is not valid JSON and was ignored`);
      continue;
    }
    const declared = kind === 'lerna.json' ? manifest.packages : workspacePatterns(manifest);
    for (const pattern of stringsOf(declared)) patterns.push({ dir, pattern });
    if (kind === 'lerna.json') continue;
    const name = typeof manifest.name === 'string' ? manifest.name : undefined;
    byDir.set(dir, { dir, name, manifest });
  }
  return { byDir, byName: importable(byDir, patterns) };
}

function workspacePatterns(manifest: JsonObject) {
  return isObject(manifest.workspaces) ? manifest.workspaces.packages : manifest.workspaces;
}

function importable(
  byDir: ReadonlyMap<string, Package>,
  patterns: readonly { dir: string; pattern: string }[],
): Map<string, Package> {
  const byName = new Map<string, Package>();
  const add = (member: Package | undefined) => {
    if (member?.name !== undefined && !byName.has(member.name)) byName.set(member.name, member);
  };
  const globs = patterns.map(({ dir, pattern }) => {
    const excluded = pattern.startsWith('!');
    const glob = workspaceGlob(excluded ? pattern.slice(1) : pattern);
    return { prefix: dir === '' ? '' : `${dir}/`, excluded, glob };
  });
  for (const member of byDir.values()) {
    let included = false;
    for (const { prefix, excluded, glob } of globs) {
      if (!member.dir.startsWith(prefix) || !glob.test(member.dir.slice(prefix.length))) continue;
      included = !excluded;
    }
    if (included) add(member);
  }
  addLinked(byDir, add);
  return byName;
}

/** Packages that a dependency range points to, with or without a workspace declaration. */
function addLinked(
  byDir: ReadonlyMap<string, Package>,
  add: (member: Package | undefined) => void,
): void {
  const wanted = new Set<string>();
  for (const { dir, manifest } of byDir.values()) {
    for (const key of DEPENDENCY_KEYS) {
      const dependencies = manifest[key];
      if (!isObject(dependencies)) continue;
      for (const [name, range] of Object.entries(dependencies)) {
        if (typeof range !== 'string') continue;
        if (range.startsWith('workspace:')) wanted.add(name);
        const path = /^(?:file|link|portal):(.+)$/.exec(range)?.[1];
        if (path !== undefined) add(byDir.get(joinPath(dir, path) ?? '\0'));
      }
    }
  }
  for (const member of byDir.values()) {
    if (member.name !== undefined && wanted.has(member.name)) add(member);
  }
}

/** The `packages:` list of a pnpm-workspace.yaml, in block or flow style. */
function pnpmPackages(text: string): string[] {
  const found: string[] = [];
  let inList = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const flow = /^packages\s*:\s*\[(.*)/.exec(line);
    if (flow !== null) {
      for (const item of (flow[1] ?? '').split(']', 1)[0]?.split(',') ?? []) {
        found.push(unquote(item));
      }
    } else if (/^\S/.test(line) && !line.startsWith('-')) {
      inList = /^packages\s*:/.test(line);
    } else if (inList) {
      const item = /^\s*-\s+(.+)$/.exec(line)?.[1];
      if (item !== undefined) found.push(unquote(item));
    }
  }
  return found.filter((pattern) => pattern !== '');
}

function unquote(item: string): string {
  const quoted = /^\s*(?:"([^"]*)"|'([^']*)')/.exec(item);
  return quoted === null ? item.replace(/\s#.*$/, '').trim() : (quoted[1] ?? quoted[2] ?? '');
}

/** The nearest package of a file's folder that has a name. */
export function namedPackageAbove(
  byDir: ReadonlyMap<string, Package>,
  dirs: Iterable<string>,
): Package | undefined {
  for (const dir of dirs) {
    const found = byDir.get(dir);
    if (found?.name !== undefined) return found;
  }
  return undefined;
}

/** Path of a file inside a package's folder; undefined when it would leave the repository. */
export function insidePackage(pkg: Package, path: string): string | undefined {
  return path.includes('..') ? joinPath(pkg.dir, path) : inside(pkg.dir, path.replace(/^\.\//, ''));
}
