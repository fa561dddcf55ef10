import type { Importers } from '../analyze/typescript/closure.ts';
import { splitSpecifier, withoutExtension } from '../discover/paths.ts';
import type { Resolver } from '../discover/resolve.ts';

/**
 * Answers "who imports this file" without resolving every import of the repository: import names are
 * kept by their last segment, and only those that could mean the file are resolved when asked.
 */
export class ImportIndex implements Pick<Importers, 'of'> {
  /** Pairs of importing file and module name, flat, by the last segment of the name. */
  readonly #bySegment = new Map<string, string[]>();
  /** The same by package name: a workspace package's entry point has any file name. */
  readonly #byPackage = new Map<string, string[]>();
  readonly #resolver: Resolver;

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  /** Records the module names one file imports. */
  add(file: string, specifiers: readonly string[]): void {
    for (const specifier of specifiers) {
      push(this.#bySegment, lastSegment(specifier), file, specifier);
      if (isBare(specifier)) push(this.#byPackage, splitSpecifier(specifier).name, file, specifier);
    }
  }

  of(file: string): readonly string[] {
    const found = new Set<string>();
    for (const pairs of this.#candidates(file)) {
      for (let i = 0; i < pairs.length; i += 2) {
        const importer = pairs[i] as string;
        if (found.has(importer) || importer === file) continue;
        if (this.#resolver.resolve(pairs[i + 1] as string, importer) === file) found.add(importer);
      }
    }
    return [...found].sort();
  }

  /** Lists of pairs in which every import of the file is; most lead elsewhere. */
  #candidates(file: string): string[][] {
    const segments = withoutExtension(file).split('/');
    const name = segments.pop() ?? '';
    const keys = [name];
    // `./dir`, `.`, `..` and an alias for the folder itself.
    if (name === 'index') keys.push(segments[segments.length - 1] ?? '', '.', '..');
    const lists = keys.map((key) => this.#bySegment.get(key));
    const owner = this.#resolver.packageNameOf(file);
    if (owner !== undefined) lists.push(this.#byPackage.get(owner));
    for (const [alias, pairs] of this.#byPackage) if (alias.startsWith('#')) lists.push(pairs);
    return lists.filter((list) => list !== undefined);
  }
}

function lastSegment(specifier: string): string {
  const segment = specifier.slice(specifier.lastIndexOf('/') + 1);
  if (segment === '') return '.';
  return segment.includes('.') && segment !== '.' && segment !== '..'
    ? withoutExtension(segment)
    : segment;
}

function isBare(specifier: string): boolean {
  return !specifier.startsWith('.') && !specifier.startsWith('/');
}

function push(map: Map<string, string[]>, key: string, file: string, specifier: string): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [file, specifier]);
  else list.push(file, specifier);
}
