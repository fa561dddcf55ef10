import { mapTargets } from './exports.ts';
import { isObject, type Json, type JsonObject, parseJsonObject, stringsOf } from './jsonc.ts';
import { dirOf, inside, joinPath, splitSpecifier, upwards } from './paths.ts';
import type { Workspaces } from './workspaces.ts';

interface PathMapping {
  /** As written, with at most one star. */
  pattern: string;
  /** Relative to the root, with the star still in. */
  targets: string[];
}

/** What of a tsconfig decides where a module name leads. */
export interface ModuleConfig {
  paths: PathMapping[];
  /** Folder bare names are tried in; undefined when the configuration sets none. */
  baseUrl: string | undefined;
}

/** Compiler options after `extends`, with paths still relative to the folder that set them. */
interface Options {
  baseUrl?: string;
  paths?: JsonObject;
  pathsDir?: string;
}

const CONFIG_DIR = /^\$\{configDir\}/;

/** Reads tsconfig and jsconfig files once each; problems become warnings, never errors. */
export class ConfigReader {
  readonly #files: ReadonlySet<string>;
  readonly #readText: (file: string) => string | undefined;
  readonly #workspaces: Workspaces;
  readonly #warnings: string[];
  readonly #raw = new Map<string, JsonObject | undefined>();
  readonly #perDir = new Map<string, readonly ModuleConfig[]>();

  constructor(
    files: ReadonlySet<string>,
    readText: (file: string) => string | undefined,
    workspaces: Workspaces,
    warnings: string[],
  ) {
    this.#files = files;
    this.#readText = readText;
    this.#workspaces = workspaces;
    this.#warnings = warnings;
  }

  /**
   * The configurations that may apply to files of a folder: the nearest one and those it references
   * whose folder contains the files. Several can apply (`tsconfig.app.json` and `tsconfig.node.json`
   * share a folder); the caller tries them in order.
   */
  configsFor(dir: string): readonly ModuleConfig[] {
    const known = this.#perDir.get(dir);
    if (known !== undefined) return known;
    const found: ModuleConfig[] = [];
    for (const folder of upwards(dir)) {
      const file = this.#configIn(folder);
      if (file === undefined) continue;
      this.#collect(file, dir, found, new Set());
      break;
    }
    this.#perDir.set(dir, found);
    return found;
  }

  #configIn(dir: string): string | undefined {
    const candidates = ['tsconfig.json', 'jsconfig.json'].map((name) => inside(dir, name));
    return candidates.find((file) => this.#files.has(file));
  }

  #collect(file: string, dir: string, found: ModuleConfig[], seen: Set<string>): void {
    if (seen.has(file)) return;
    seen.add(file);
    const raw = this.#read(file);
    if (raw === undefined) return;
    const config = toModuleConfig(this.#options(file, new Set()), dirOf(file));
    if (config !== undefined) found.push(config);
    if (!Array.isArray(raw.references)) return;
    for (const reference of raw.references) {
      const path = isObject(reference) ? reference.path : undefined;
      const target = typeof path === 'string' ? this.#locate(dirOf(file), path) : undefined;
      if (target === undefined) continue;
      const folder = dirOf(target);
      if (folder === '' || dir === folder || dir.startsWith(`${folder}/`)) {
        this.#collect(target, dir, found, seen);
      }
    }
  }

  /** Own options over those of every configuration it extends. */
  #options(file: string, seen: Set<string>): Options {
    const raw = this.#read(file);
    if (raw === undefined || seen.has(file)) return {};
    seen.add(file);
    const result: Options = {};
    for (const base of extendsOf(raw.extends)) {
      const target = this.#locateBase(file, base);
      if (target !== undefined) Object.assign(result, this.#options(target, seen));
    }
    const own = isObject(raw.compilerOptions) ? raw.compilerOptions : {};
    if (typeof own.baseUrl === 'string') {
      result.baseUrl = CONFIG_DIR.test(own.baseUrl)
        ? own.baseUrl
        : (joinPath(dirOf(file), own.baseUrl) ?? '');
    }
    if (isObject(own.paths)) {
      result.paths = own.paths;
      result.pathsDir = dirOf(file);
    }
    // The same base may be reached twice through an array of bases; only cycles are cut.
    seen.delete(file);
    return result;
  }

  #locateBase(file: string, base: string): string | undefined {
    const relative = base.startsWith('.') || base.startsWith('/');
    const found = relative ? this.#locate(dirOf(file), base) : this.#locateInPackage(base);
    if (found === undefined) {
      this.#warn(
        `${file} extends ${base}, which is not in the repository; its options are unknown`,
      );
    }
    return found;
  }

  #locateInPackage(base: string): string | undefined {
    const { name, subpath: rest = '' } = splitSpecifier(base);
    const pkg = this.#workspaces.byName.get(name);
    if (pkg === undefined) return undefined;
    const exported = mapTargets(pkg.manifest.exports, rest === '' ? '.' : `./${rest}`);
    const field = pkg.manifest.tsconfig;
    const candidates = [...exported, rest, ...(rest === '' ? stringsOf([field ?? null]) : [])];
    for (const candidate of candidates) {
      const found = this.#locate(pkg.dir, candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A configuration named by file, by file without extension, or by folder. */
  #locate(dir: string, path: string): string | undefined {
    const joined = joinPath(dir, path);
    if (joined === undefined) return undefined;
    const candidates = [joined, `${joined}.json`, inside(joined, 'tsconfig.json')];
    return candidates.find((file) => this.#files.has(file));
  }

  #read(file: string): JsonObject | undefined {
    if (this.#raw.has(file)) return this.#raw.get(file);
    const text = this.#readText(file);
    const parsed = text === undefined || text.trim() === '' ? {} : parseJsonObject(text);
    if (parsed === undefined) this.#warn(`${file} is not valid JSON and was ignored`);
    this.#raw.set(file, parsed);
    return parsed;
  }

  #warn(text: string): void {
    if (!this.#warnings.includes(text)) this.#warnings.push(text);
  }
}

function extendsOf(value: Json | undefined): string[] {
  return typeof value === 'string' ? [value] : stringsOf(value);
}

function toModuleConfig(options: Options, configDir: string): ModuleConfig | undefined {
  const baseUrl =
    options.baseUrl && CONFIG_DIR.test(options.baseUrl)
      ? joinPath(configDir, options.baseUrl.replace(CONFIG_DIR, '.'))
      : options.baseUrl;
  const from = baseUrl ?? options.pathsDir ?? configDir;
  const paths: PathMapping[] = [];
  for (const [pattern, value] of Object.entries(options.paths ?? {})) {
    const targets = stringsOf(value).flatMap((target) => {
      const own = CONFIG_DIR.test(target);
      return joinPath(own ? configDir : from, target.replace(CONFIG_DIR, '.')) ?? [];
    });
    paths.push({ pattern, targets });
  }
  // The longest prefix wins, and a pattern without a star beats every one with.
  paths.sort((a, b) => weight(b.pattern) - weight(a.pattern));
  return paths.length === 0 && baseUrl === undefined ? undefined : { paths, baseUrl };
}

function weight(pattern: string): number {
  const star = pattern.indexOf('*');
  return star < 0 ? Number.MAX_SAFE_INTEGER : star;
}
