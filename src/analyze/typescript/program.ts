import { daytonaDeclarations, declaredNames, libDeclarations } from '../../catalog/declarations.ts';
import { matchPackage } from '../../catalog/packages.ts';
import { ts } from './compiler.ts';
import { checkDepth, listedName, parseSource, programName } from './source.ts';

const STUB_FILE = '/cubeshift:daytona.d.ts';
const LIB_FILE = '/cubeshift:lib.d.ts';

/** Types that values have without their names being written. */
const ROOTS = ['Daytona', 'Sandbox'];
const WORD = /[A-Za-z_]\w*/g;

/**
 * No diagnostics are ever asked for, so strictness only shapes inference: without strictNullChecks
 * `Sandbox | null` is `Sandbox`, and noImplicitAny lets `let sandbox;` take the type assigned later.
 */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.Preserve,
  noLib: true,
  allowJs: true,
  strict: false,
  noImplicitAny: true,
  esModuleInterop: true,
  allowSyntheticDefaultImports: true,
  experimentalDecorators: true,
  types: [],
};

export interface Loader {
  /** Text of a listed file, or undefined when it is gone or is not text. */
  read(file: string): string | undefined;
  /** The listed file a specifier leads to. */
  resolve(specifier: string, fromFile: string): string | undefined;
}

/**
 * An in-memory TypeScript program over the files that matter. It grows: {@link load} adds files and
 * {@link checker} rebuilds the program, keeping every parsed file. Daytona's packages resolve to
 * declarations made from the catalogue, so the result does not depend on an installed `node_modules`.
 */
export class Project {
  readonly #loader: Loader;
  readonly #files = new Map<string, ts.SourceFile>();
  readonly #roots = new Set<string>();
  readonly #failures = new Map<string, string>();
  #program: ts.Program | undefined;
  #stale = true;
  #stub: ts.SourceFile | undefined;
  /** Catalogue names that some file of the program spells. */
  readonly #spelled = new Set(ROOTS);

  constructor(loader: Loader) {
    this.#loader = loader;
  }

  /** Parses a file without adding it to the program. Cached. */
  parse(file: string): ts.SourceFile | undefined {
    const cached = this.#files.get(file);
    if (cached !== undefined) return cached;
    const text = this.#loader.read(file);
    if (text === undefined) return undefined;
    if (this.#failures.has(file)) return undefined;
    const parsed = this.guard(file, () => {
      const source = parseSource(file, text);
      checkDepth(source);
      return source;
    });
    if (parsed !== undefined) this.#files.set(file, parsed);
    return parsed;
  }

  /**
   * Runs a piece of work on one file. What it throws (the compiler recurses, so hostile nesting
   * overflows the stack) is kept as that file's failure and stops no other file.
   */
  guard<T>(file: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!this.#failures.has(file)) this.#failures.set(file, message);
      return undefined;
    }
  }

  /** Takes files out of the program that broke it: the checker may be left half-way. */
  dropFailed(): void {
    for (const file of this.#failures.keys()) {
      if (!this.#roots.delete(file)) continue;
      this.#files.delete(file);
      this.#stale = true;
      this.#program = undefined;
    }
  }

  /** What went wrong with a file that {@link guard} gave up on. */
  failureOf(file: string): string | undefined {
    return this.#failures.get(file);
  }

  /** Files that {@link guard} gave up on. */
  get failed(): string[] {
    return [...this.#failures.keys()];
  }

  /** Adds a file to the program. Returns false when it was there or cannot be read. */
  load(file: string): boolean {
    if (this.#roots.has(file)) return false;
    const source = this.parse(file);
    if (source === undefined) return false;
    this.#roots.add(file);
    this.#stale = true;
    this.#spell(source.text);
    return true;
  }

  /** Widens the declarations by the names a text uses. */
  #spell(text: string): void {
    const known = declaredNames();
    const before = this.#spelled.size;
    for (const word of text.match(WORD) ?? []) if (known.has(word)) this.#spelled.add(word);
    if (this.#spelled.size > before) this.#files.delete(STUB_FILE);
  }

  has(file: string): boolean {
    return this.#roots.has(file);
  }

  /** Forgets a parsed file that did not make it into the program. */
  forget(file: string): void {
    if (!this.#roots.has(file)) this.#files.delete(file);
  }

  /** Files of the program in the order they were loaded. */
  get files(): string[] {
    return [...this.#roots];
  }

  get checker(): ts.TypeChecker {
    if (this.#program === undefined || this.#stale) {
      this.#program = ts.createProgram({
        rootNames: [LIB_FILE, STUB_FILE, ...this.#roots].map((file) =>
          file.startsWith('/') ? file : programName(file),
        ),
        options: OPTIONS,
        host: this.#host(),
        ...(this.#program && { oldProgram: this.#program }),
      });
      this.#stale = false;
    }
    return this.#program.getTypeChecker();
  }

  /** The file a specifier leads to, loaded or not; undefined for packages and for absent files. */
  resolve(specifier: string, fromFile: string): string | undefined {
    return this.#loader.resolve(specifier, fromFile);
  }

  /** The Daytona declarations; undefined before the first program. */
  get stub(): ts.SourceFile | undefined {
    return this.#stub;
  }

  isStub(file: ts.SourceFile): boolean {
    return file === this.#stub;
  }

  isLib(file: ts.SourceFile): boolean {
    return file.fileName === LIB_FILE;
  }

  #host(): ts.CompilerHost {
    const fixed = (name: string): ts.SourceFile | undefined => {
      const cached = this.#files.get(name);
      if (cached !== undefined) return cached;
      if (name === LIB_FILE) return libFile();
      if (name !== STUB_FILE) return undefined;
      const text = daytonaDeclarations(this.#spelled);
      const file = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
      this.#files.set(name, file);
      this.#stub = file;
      return file;
    };
    return {
      getSourceFile: (name) => fixed(name) ?? this.#files.get(listedName(name)),
      getDefaultLibFileName: () => LIB_FILE,
      writeFile: () => undefined,
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      fileExists: (name) => name === STUB_FILE || this.#roots.has(listedName(name)),
      readFile: () => undefined,
      resolveModuleNameLiterals: (literals, containing) =>
        literals.map((literal) => ({
          resolvedModule: this.#resolveModule(literal.text, listedName(containing)),
        })),
    };
  }

  #resolveModule(specifier: string, from: string): ts.ResolvedModuleFull | undefined {
    const kind = matchPackage(specifier)?.kind;
    if (kind === 'sdk' || kind === 'api-client') {
      return { resolvedFileName: STUB_FILE, extension: ts.Extension.Dts };
    }
    const file = this.#loader.resolve(specifier, from);
    if (file === undefined || !this.#roots.has(file)) return undefined;
    return { resolvedFileName: programName(file), extension: extensionOf(file) };
  }
}

let lib: ts.SourceFile | undefined;

/** The stand-in for TypeScript's library, parsed once for all programs. */
function libFile(): ts.SourceFile {
  lib ??= ts.createSourceFile(LIB_FILE, libDeclarations(), ts.ScriptTarget.ESNext, true);
  return lib;
}

const EXTENSIONS: readonly ts.Extension[] = [
  ts.Extension.Dts,
  ts.Extension.Dmts,
  ts.Extension.Dcts,
  ts.Extension.Tsx,
  ts.Extension.Ts,
  ts.Extension.Mts,
  ts.Extension.Cts,
  ts.Extension.Jsx,
  ts.Extension.Js,
  ts.Extension.Mjs,
  ts.Extension.Cjs,
];

function extensionOf(file: string): ts.Extension {
  return EXTENSIONS.find((extension) => file.endsWith(extension)) ?? ts.Extension.Ts;
}
