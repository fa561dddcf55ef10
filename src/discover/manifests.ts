import { generationOf, pinnedMinor } from '../catalog/generations.ts';
import { matchPackage, type PackageMatch, WRAPPER_PACKAGES } from '../catalog/packages.ts';
import { jsonStrings } from '../jsonc.ts';
import type { Detection } from '../model/finding.ts';
import type { SdkUse } from '../model/report.ts';
import { catalogRange } from './catalogs.ts';
import { parseJsonObject } from './jsonc.ts';
import { LOCKFILE_READERS } from './lockfiles.ts';
import { dirOf, inside, nameOf, upwards } from './paths.ts';

const MANIFEST = /^(?:package\.json|deno\.jsonc?|import_map\.json)$/;

/** Sections that install, in the order in which their range says what is really used. */
const SECTIONS: readonly string[] = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'imports',
  'overrides',
  'resolutions',
  'pnpm',
];

/** Whether {@link manifestDetections} has something to say about a file of this name. */
export function isManifest(file: string): boolean {
  return MANIFEST.test(nameOf(file));
}

/** A dependency on a Daytona package, as a manifest writes it. */
interface Entry {
  pkg: PackageMatch;
  section: string;
  /** Name it is imported by; differs from the package's for `npm:` aliases. */
  alias: string;
  range: string;
  start: number;
  end: number;
}

/** Dependencies on Daytona packages in a package.json or deno.json, at their keys. */
export function manifestDetections(file: string, text: string): Detection[] {
  return [...entriesOf(file, text), ...peerNotes(text)].map(({ pkg, section, start, end }) => ({
    rule: 'DT111',
    start,
    end,
    confidence: 'certain',
    scope: section,
    ...(pkg.kind === 'wrapper' && { message: wrapperMessage(pkg.name), fix: 'manual' }),
  }));
}

/** Keys of `peerDependenciesMeta`: stale once the peer is gone. */
function peerNotes(text: string): Pick<Entry, 'pkg' | 'section' | 'start' | 'end'>[] {
  const section = 'peerDependenciesMeta';
  const notes = [];
  for (const { isKey, path, text: key, start, end } of jsonStrings(text)) {
    const pkg = isKey && path[0] === section && path.length === 1 ? matchPackage(key) : undefined;
    if (pkg !== undefined) notes.push({ pkg, section, start, end });
  }
  return notes;
}

/**
 * Every manifest that depends on a Daytona package, with the version its nearest lockfile installs,
 * else the one an exact range names, else null.
 */
export function findSdkUses(
  files: readonly string[],
  readText: (file: string) => string | undefined,
  warnings: string[] = [],
): SdkUse[] {
  const finder = new VersionFinder(files, readText, warnings);
  const uses: SdkUse[] = [];
  for (const manifest of files) {
    if (!isManifest(manifest)) continue;
    const text = readText(manifest);
    if (text === undefined || !text.includes('aytona')) continue;
    for (const entry of distinctEntries(entriesOf(manifest, text))) {
      const { version, source } = finder.find(manifest, entry);
      const release = version ?? pinnedMinor(entry.range);
      const generation =
        release === undefined || entry.pkg.kind === 'wrapper'
          ? null
          : (generationOf(release) ?? null);
      uses.push({
        package: entry.pkg.name,
        manifest,
        range: entry.range,
        version,
        source,
        generation,
      });
    }
  }
  return uses;
}

function entriesOf(file: string, text: string): Entry[] {
  const deno = !nameOf(file).startsWith('package');
  const found: Entry[] = [];
  let key: { text: string; start: number; end: number } | undefined;
  for (const string of jsonStrings(text)) {
    if (string.isKey) {
      key = string;
      continue;
    }
    const section = string.path[0] ?? '';
    const owner = key?.text === string.path.at(-1) ? key : undefined;
    if (!isInstalling(section, string.path, deno)) continue;
    // A bundled dependency is a string of a list, everything else a key with a range.
    const place = owner ?? string;
    const pkg = packageOf(place.text, string.text);
    if (pkg === undefined) continue;
    const range = owner === undefined ? '*' : string.text;
    const { start, end, text: alias } = place;
    found.push({ pkg, section, alias, range, start, end });
  }
  return found;
}

function isInstalling(section: string, path: readonly string[], deno: boolean): boolean {
  if (deno) return section === 'imports' || section === 'scopes';
  if (section === 'pnpm') return path[1] === 'overrides';
  if (section === 'imports') return false;
  if (/^bundled?Dependencies$/.test(section)) return true;
  return SECTIONS.includes(section);
}

/** The package a key and its range install: `npm:` names it, else the key does. */
function packageOf(key: string, range: string): PackageMatch | undefined {
  const aliased = /^(?:npm:|jsr:)\/?(@[^/@]+\/[^@/]+)/.exec(range)?.[1];
  if (aliased !== undefined) return matchPackage(aliased);
  // Overrides may name a version or a parent: `@daytonaio/sdk@^0.20`, `parent>@daytonaio/sdk`.
  const name = /(?:^|[/>])(@[^/@>]+\/[^/@>]+)(?:@[^/>]*)?$/.exec(key)?.[1];
  return name === undefined ? undefined : matchPackage(name);
}

/** One entry per package: a peer range beside a dev dependency is the same use. */
function distinctEntries(entries: readonly Entry[]): Entry[] {
  const rank = ({ section }: Entry) => {
    const index = SECTIONS.indexOf(section);
    return index < 0 ? SECTIONS.length : index;
  };
  const best = new Map<string, Entry>();
  for (const entry of entries) {
    const known = best.get(entry.pkg.name);
    if (known === undefined || rank(entry) < rank(known)) best.set(entry.pkg.name, entry);
  }
  return [...best.values()];
}

interface FoundVersion {
  version: string | null;
  source: string | null;
}

class VersionFinder {
  readonly #files: ReadonlySet<string>;
  readonly #readText: (file: string) => string | undefined;
  readonly #warnings: string[];
  readonly #texts = new Map<string, string | undefined>();
  #ownVersions: Map<string, { version: string; file: string }> | undefined;

  constructor(
    files: readonly string[],
    readText: (file: string) => string | undefined,
    warnings: string[],
  ) {
    this.#files = new Set(files);
    this.#readText = readText;
    this.#warnings = warnings;
  }

  find(manifest: string, { pkg, alias, range }: Entry): FoundVersion {
    if (/^(?:workspace|file|link|portal):/.test(range)) {
      const own = this.#own().get(pkg.name);
      if (own !== undefined) return { version: own.version, source: own.file };
    }
    const dir = dirOf(manifest);
    for (const folder of upwards(dir)) {
      for (const [name, read] of LOCKFILE_READERS) {
        const file = inside(folder, name);
        const text = this.#text(file);
        if (text === undefined || !text.includes(alias)) continue;
        const importer = folder === '' ? dir : dir.slice(folder.length + 1);
        const member = this.#nameOf(manifest);
        const result = read(text, { name: pkg.name, alias, range, importer, member });
        if (result === 'broken') this.#warnings.push(`${file} could not be read as a lockfile`);
        else if (result !== undefined) return { version: result, source: file };
      }
    }
    const written = /^catalog:/.test(range) ? this.#fromCatalog(dir, pkg.name, range) : range;
    const exact = exactVersion(written);
    return exact === undefined
      ? { version: null, source: null }
      : { version: exact, source: 'range' };
  }

  #fromCatalog(dir: string, name: string, range: string): string {
    const catalog = range.slice('catalog:'.length);
    for (const folder of upwards(dir)) {
      for (const file of ['pnpm-workspace.yaml', 'package.json', '.yarnrc.yml']) {
        const text = this.#text(inside(folder, file));
        const found = text === undefined ? undefined : catalogRange(file, text, catalog, name);
        if (found !== undefined) return found;
      }
    }
    return '';
  }

  #text(file: string): string | undefined {
    if (!this.#files.has(file)) return undefined;
    if (!this.#texts.has(file)) this.#texts.set(file, this.#readText(file));
    return this.#texts.get(file);
  }

  #nameOf(manifest: string): string | undefined {
    const name = parseJsonObject(this.#text(manifest) ?? '')?.name;
    return typeof name === 'string' ? name : undefined;
  }

  /** Packages of the repository itself that are named like Daytona's, e.g. a wrapper's own source. */
  #own(): Map<string, { version: string; file: string }> {
    if (this.#ownVersions !== undefined) return this.#ownVersions;
    const own = new Map<string, { version: string; file: string }>();
    for (const file of this.#files) {
      if (nameOf(file) !== 'package.json') continue;
      const text = this.#text(file);
      if (text?.includes('aytona') !== true) continue;
      const { name, version } = parseJsonObject(text) ?? {};
      if (typeof name === 'string' && typeof version === 'string') own.set(name, { version, file });
    }
    this.#ownVersions = own;
    return own;
  }
}

function exactVersion(range: string): string | undefined {
  const plain = range.replace(/^npm:\/?@[^/@]+\/[^@/]+@/, '').trim();
  return /^[=v\s]*(\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)(?:\/.*)?$/.exec(plain)?.[1];
}

function wrapperMessage(name: string): string {
  const advice = WRAPPER_PACKAGES[name] ?? 'Replace it with the wrapper of the new backend.';
  return `${name} wraps Daytona. ${advice}`;
}
