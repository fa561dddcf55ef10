import { isObject, type JsonObject, parseJsonObject } from './jsonc.ts';
import { upwards } from './paths.ts';

/** What is looked up in a lockfile. */
interface LockQuery {
  /** Package name. */
  name: string;
  /** Name it is installed under; the package's own unless the manifest has an `npm:` alias. */
  alias: string;
  range: string;
  /** Folder of the manifest relative to the lockfile's, empty for the same. */
  importer: string;
  /** Name of the manifest's package. */
  member: string | undefined;
}

/** The installed version; undefined when the lockfile does not say, `broken` when it cannot be read. */
export type LockReader = (text: string, query: LockQuery) => string | undefined | 'broken';

/** Readers by file name, in the order they are asked. `bun.lockb` is binary and not among them. */
export const LOCKFILE_READERS: ReadonlyMap<string, LockReader> = new Map([
  ['pnpm-lock.yaml', pnpmVersion],
  ['bun.lock', bunVersion],
  ['yarn.lock', yarnVersion],
  ['npm-shrinkwrap.json', npmVersion],
  ['package-lock.json', npmVersion],
]);

/** package-lock.json and npm-shrinkwrap.json: `packages` by path since v2, a tree in v1. */
function npmVersion(text: string, query: LockQuery): string | undefined | 'broken' {
  const lock = parseOnce(text);
  if (lock === undefined) return 'broken';
  if (isObject(lock.packages)) {
    if (!isMember(lock.packages, query)) return undefined;
    for (const dir of upwards(query.importer)) {
      const path = `${dir === '' ? '' : `${dir}/`}node_modules/${query.alias}`;
      const version = versionField(lock.packages[path]);
      if (version !== undefined) return version;
    }
  }
  const tree = isObject(lock.dependencies) ? lock.dependencies : undefined;
  return versionField(tree?.[query.alias]);
}

/**
 * Whether the manifest is installed by this lockfile, which lists the folders of its workspaces. A
 * package that only lies below it, an example say, is not.
 */
function isMember(workspaces: JsonObject, { importer }: LockQuery): boolean {
  return importer === '' || workspaces[importer] !== undefined;
}

/** The manifests of a workspace ask one after the other for the same, possibly large, lockfile. */
let lastParsed: { text: string; lock: JsonObject | undefined } | undefined;

function parseOnce(text: string): JsonObject | undefined {
  if (lastParsed?.text !== text) lastParsed = { text, lock: parseJsonObject(text) };
  return lastParsed.lock;
}

function versionField(entry: JsonObject[string]): string | undefined {
  const version = isObject(entry) ? entry.version : undefined;
  // v1 writes aliases as `npm:@scope/name@1.2.3`.
  return typeof version === 'string' ? versionIn(version) : undefined;
}

/** bun.lock: JSON with trailing commas; a member's own copy is listed under `member/name`. */
function bunVersion(text: string, query: LockQuery): string | undefined | 'broken' {
  const lock = parseOnce(text);
  if (lock === undefined) return 'broken';
  if (isObject(lock.workspaces) && !isMember(lock.workspaces, query)) return undefined;
  const packages = isObject(lock.packages) ? lock.packages : {};
  const entry = packages[`${query.member ?? ''}/${query.alias}`] ?? packages[query.alias];
  const id = Array.isArray(entry) ? entry[0] : undefined;
  return typeof id === 'string' ? versionIn(id) : undefined;
}

/** yarn.lock of both kinds: blocks headed by the ranges they satisfy, then a version line. */
function yarnVersion(text: string, query: LockQuery): string | undefined {
  const { alias, range } = query;
  const wanted = new Set([`${alias}@${range}`, `${alias}@npm:${range}`]);
  const versions = new Set<string>();
  for (const block of text.split(/\r?\n(?=\S)/)) {
    if (!block.includes(alias) || block.startsWith('#')) continue;
    const header = block.slice(0, block.search(/:\s*(?:\r?\n|$)/));
    const keys = header.split(/,\s*/).map((key) => key.replace(/["']/g, '').trim());
    if (!keys.some((key) => key.startsWith(`${alias}@`))) continue;
    const version = /^\s+version:?\s+"?([^"\s]+)"?/m.exec(block)?.[1];
    // `0.0.0-use.local` stands for a package of the workspace.
    if (version === undefined || version.includes('use.local')) continue;
    if (keys.some((key) => wanted.has(key))) return version;
    versions.add(version);
  }
  // A catalogue or a resolution rewrites the range; with one version there is nothing to confuse.
  return versions.size === 1 ? [...versions][0] : undefined;
}

/** pnpm-lock.yaml v5 to v9: the version an importer (or, before workspaces, the file) resolved. */
function pnpmVersion(text: string, query: LockQuery): string | undefined {
  const importer = query.importer === '' ? '.' : query.importer;
  const hasImporters = /^importers:/m.test(text);
  let path: { indent: number; key: string }[] = [];
  for (const line of text.split('\n')) {
    const entry = /^( *)(?:'([^']+)'|"([^"]+)"|([^\s'":#][^:]*)):(?: +(.*?))?\r?$/.exec(line);
    if (entry === null) continue;
    const indent = entry[1]?.length ?? 0;
    const key = entry[2] ?? entry[3] ?? entry[4] ?? '';
    // What follows the importers (one line per package) is most of the file.
    if (indent === 0 && /^(?:packages|snapshots)$/.test(key)) break;
    path = path.filter((level) => level.indent < indent);
    path.push({ indent, key });
    const keys = path.map((level) => level.key);
    if (hasImporters && (keys.shift() !== 'importers' || keys.shift() !== importer)) continue;
    if (!/^(?:dev|optional)?[dD]ependencies$/.test(keys[0] ?? '') || keys[1] !== query.alias) {
      continue;
    }
    const value = (entry[5] ?? '').replace(/['"]/g, '');
    if (value !== '' && (keys.length === 2 || keys[2] === 'version')) return versionIn(value);
  }
  return undefined;
}

/**
 * The version in `1.2.3`, `1.2.3(peer@1)`, `1.2.3_peer@1`, `/@scope/name/1.2.3`,
 * `@scope/name@1.2.3` or `npm:@scope/name@1.2.3`; none in `link:` and `workspace:` references.
 */
function versionIn(text: string): string | undefined {
  if (/(?:^|@)(?:link|workspace|file|portal|root):/.test(text)) return undefined;
  return /(?:^|[/@])(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)(?=$|[(_/])/.exec(text)?.[1];
}
