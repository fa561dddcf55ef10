import type { Importers } from '../analyze/typescript/closure.ts';
import type { Resolver } from '../discover/resolve.ts';

const EXTENSION = /(?:\.d)?\.[cm]?[jt]sx?$/;

/**
 * Answers "who imports this file" without resolving every import of the repository: import names are
 * kept by their last segment, and only those that could mean the file are resolved when asked.
 */
export class ImportIndex implements Importers {
  readonly #bySegment = new Map<string, { file: string; specifier: string }[]>();
  readonly #packages = new Map<string, { file: string; specifier: string }[]>();
  readonly #resolver: Resolver;
  readonly #read: (file: string) => string | undefined;

  constructor(resolver: Resolver, read: (file: string) => string | undefined) {
    this.#resolver = resolver;
    this.#read = read;
  }

  /** Records the module names one file imports. */
  add(file: string, specifiers: readonly string[]): void {
    for (const specifier of specifiers) {
      const use = { file, specifier };
      push(this.#bySegment, lastSegment(specifier), use);
      // A bare name may be a workspace package, whose entry point has any file name.
      if (isBare(specifier)) push(this.#packages, packageName(specifier), use);
    }
  }

  of(file: string): readonly string[] {
    const found = new Set<string>();
    for (const { file: importer, specifier } of this.#candidates(file)) {
      if (!found.has(importer) && this.#resolver.resolve(specifier, importer) === file) {
        found.add(importer);
      }
    }
    found.delete(file);
    return [...found].sort();
  }

  read(file: string): string | undefined {
    return this.#read(file);
  }

  *#candidates(file: string): Iterable<{ file: string; specifier: string }> {
    const path = file.replace(EXTENSION, '');
    const segments = path.split('/');
    const name = segments.pop() ?? '';
    yield* this.#bySegment.get(name) ?? [];
    if (name === 'index') {
      // `./dir`, `.`, `..` and an alias for the folder itself.
      yield* this.#bySegment.get(segments[segments.length - 1] ?? '') ?? [];
      yield* this.#bySegment.get('.') ?? [];
      yield* this.#bySegment.get('..') ?? [];
    }
    const owner = this.#resolver.packageNameOf(file);
    if (owner !== undefined) yield* this.#packages.get(owner) ?? [];
    for (const [alias, uses] of this.#packages) if (alias.startsWith('#')) yield* uses;
  }
}

function lastSegment(specifier: string): string {
  const segment = specifier.slice(specifier.lastIndexOf('/') + 1) || '.';
  return segment === '.' || segment === '..' ? segment : segment.replace(EXTENSION, '');
}

function isBare(specifier: string): boolean {
  return !specifier.startsWith('.') && !specifier.startsWith('/');
}

function packageName(specifier: string): string {
  const [first = '', second] = specifier.split('/');
  return first.startsWith('@') && second !== undefined ? `${first}/${second}` : first;
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
