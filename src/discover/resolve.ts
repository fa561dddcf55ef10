import { mapTargets, matchPattern } from './exports.ts';
import { dirOf, inside, joinPath, splitSpecifier, upwards, withoutExtension } from './paths.ts';
import { ConfigReader } from './tsconfig.ts';
import { insidePackage, namedPackageAbove, type Package, readWorkspaces } from './workspaces.ts';

export interface Resolver {
  /** The listed file a module name leads to from a file; undefined for packages and for misses. */
  resolve(specifier: string, fromFile: string): string | undefined;
  /** Name of the package a file belongs to. */
  packageNameOf(file: string): string | undefined;
  /** Problems met so far, e.g. a tsconfig that does not parse. */
  warnings: string[];
}

/** Reads a root-relative file; undefined when it cannot be read. */
export type ReadText = (file: string) => string | undefined;

/** Extensions tried after a name without one, in the order TypeScript prefers them. */
const ADDED = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.json'];

/** What a written JavaScript extension may stand for in the sources, itself included. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.js', '.jsx', '.d.ts'],
  '.jsx': ['.tsx', '.jsx', '.d.ts'],
  '.mjs': ['.mts', '.mjs', '.d.mts'],
  '.cjs': ['.cts', '.cjs', '.d.cts'],
};

/** Folders a build writes to; what they hold was made from a file of the same name elsewhere. */
const OUTPUT_DIR = /^(?:dist|build|lib|out|output|esm|cjs|es|types|typings|_?esm\d*|src)$/;

/**
 * Creates a module resolver over the listed files. It reads configuration files once each and touches
 * the disk for nothing else, so it can be asked for every import of a repository.
 * Not covered: `node_modules`, bundler aliases, and names that only exist at run time.
 */
export function createResolver(
  _root: string,
  files: readonly string[],
  readText: ReadText,
): Resolver {
  const warnings: string[] = [];
  const listed = new Set(files);
  const workspaces = readWorkspaces(files, readText, warnings);
  const configs = new ConfigReader(listed, readText, workspaces, warnings);
  const lookup = new FileLookup(listed, workspaces.byDir);
  const perDir = new Map<string, Map<string, string | undefined>>();

  const resolveFrom = (specifier: string, dir: string): string | undefined => {
    if (specifier.startsWith('.')) return lookup.module(joinPath(dir, specifier));
    if (specifier.startsWith('#')) {
      const target = lookup.alias(specifier, dir);
      if (target !== undefined) return target;
    }
    for (const { paths, baseUrl } of configs.configsFor(dir)) {
      for (const { pattern, targets } of paths) {
        const star = pattern === specifier ? '' : matchPattern(pattern, specifier);
        if (star === undefined) continue;
        for (const target of targets) {
          const found = lookup.module(target.replace('*', () => star));
          if (found !== undefined) return found;
        }
        break;
      }
      const found = baseUrl === undefined ? undefined : lookup.module(inside(baseUrl, specifier));
      if (found !== undefined) return found;
    }
    const { name, subpath } = splitSpecifier(specifier);
    let pkg = workspaces.byName.get(name);
    if (pkg === undefined) {
      // A package may import itself by its own name.
      const own = namedPackageAbove(workspaces.byDir, upwards(dir));
      if (own?.name !== name) return undefined;
      pkg = own;
    }
    return lookup.inPackage(pkg, subpath === undefined ? '.' : `./${subpath}`);
  };

  return {
    warnings,
    resolve(specifier, fromFile) {
      const dir = dirOf(fromFile);
      let known = perDir.get(dir);
      if (known === undefined) {
        known = new Map();
        perDir.set(dir, known);
      }
      if (known.has(specifier)) return known.get(specifier);
      const found = resolveFrom(specifier.replace(/[?!].*$/, ''), dir);
      known.set(specifier, found);
      return found;
    },
    packageNameOf(file) {
      return namedPackageAbove(workspaces.byDir, upwards(dirOf(file)))?.name;
    },
  };
}

/** Turns paths without certainty about their extension into listed files. */
class FileLookup {
  readonly #files: ReadonlySet<string>;
  readonly #packages: ReadonlyMap<string, Package>;

  constructor(files: ReadonlySet<string>, packages: ReadonlyMap<string, Package>) {
    this.#files = files;
    this.#packages = packages;
  }

  /** A file or folder the way an import names it, or the source of a build output named so. */
  module(path: string | undefined): string | undefined {
    return path === undefined ? undefined : (this.#listed(path) ?? this.#source(path));
  }

  /** A key of a package's `exports`, or what older fields say when it has none. */
  inPackage(pkg: Package, key: string): string | undefined {
    const { manifest } = pkg;
    const targets =
      manifest.exports !== undefined
        ? mapTargets(manifest.exports, key)
        : key === '.'
          ? [manifest.source, manifest.types, manifest.typings, manifest.module, manifest.main]
          : [key];
    for (const target of targets) {
      if (typeof target !== 'string') continue;
      const found = this.module(insidePackage(pkg, target));
      if (found !== undefined) return found;
    }
    const rest = key === '.' ? 'index' : key.slice(2);
    return this.module(inside(pkg.dir, rest)) ?? this.module(inside(pkg.dir, `src/${rest}`));
  }

  /** A `#alias` of the nearest package. */
  alias(specifier: string, dir: string): string | undefined {
    for (const folder of upwards(dir)) {
      const pkg = this.#packages.get(folder);
      if (pkg === undefined) continue;
      for (const target of mapTargets(pkg.manifest.imports, specifier)) {
        const found = this.module(insidePackage(pkg, target));
        if (found !== undefined) return found;
      }
      return undefined;
    }
    return undefined;
  }

  #listed(path: string): string | undefined {
    return this.#file(path) ?? this.#added(inside(path, 'index')) ?? this.#packageFolder(path);
  }

  /** The source of a build output that is not in the repository: `dist/a.js` comes from `src/a.ts`. */
  #source(path: string): string | undefined {
    for (const folder of upwards(dirOf(path))) {
      if (!this.#packages.has(folder)) continue;
      const below = folder === '' ? path : path.slice(folder.length + 1);
      const parts = withoutExtension(below).split('/');
      while (parts.length > 1 && OUTPUT_DIR.test(parts[0] ?? '')) {
        parts.shift();
        const rest = parts.join('/');
        const found =
          this.#listed(inside(folder, `src/${rest}`)) ?? this.#listed(inside(folder, rest));
        if (found !== undefined) return found;
      }
      return undefined;
    }
    return undefined;
  }

  #file(path: string): string | undefined {
    const dot = path.lastIndexOf('.');
    const stands = WRITTEN[path.slice(dot)];
    if (stands !== undefined) {
      const stem = path.slice(0, dot);
      for (const extension of stands) {
        if (this.#files.has(stem + extension)) return stem + extension;
      }
    }
    return this.#files.has(path) ? path : this.#added(path);
  }

  #added(path: string): string | undefined {
    for (const extension of ADDED) {
      if (this.#files.has(path + extension)) return path + extension;
    }
    return undefined;
  }

  #packageFolder(path: string): string | undefined {
    const main = this.#packages.get(path)?.manifest.main;
    return typeof main === 'string'
      ? this.#file(inside(path, main.replace(/^\.\//, '')))
      : undefined;
  }
}
