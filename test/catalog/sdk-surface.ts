import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const require = createRequire(import.meta.url);

/** One named type of the SDK with its public members. */
export interface SurfaceType {
  /** Where it can be imported from; empty for one that is only reached through members. */
  exportedBy: Set<string>;
  /** Exported by the SDK, or met on the way from such a name through public members. */
  reached: boolean;
  members: Set<string>;
}

/**
 * Reads the declarations of the installed SDK and its generated clients: every name the SDK exports,
 * every type reachable from there through public members, and the plain exports of the clients.
 */
export function readSurface(): Map<string, SurfaceType> {
  const sdk = dirname(require.resolve('@daytonaio/sdk/package.json'));
  const roots = new Map([
    ['sdk', join(sdk, 'esm/index.d.ts')],
    ['api-client', clientRoot(sdk, 'api-client')],
    ['toolbox-api-client', clientRoot(sdk, 'toolbox-api-client')],
  ]);
  const program = ts.createProgram([...roots.values()], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: [],
  });
  return new Surface(program.getTypeChecker()).read(program, roots);
}

function clientRoot(sdk: string, name: string): string {
  const manifest = createRequire(join(sdk, 'package.json')).resolve(
    `@daytona/${name}/package.json`,
  );
  return join(dirname(manifest), 'src/index.d.ts');
}

class Surface {
  readonly #types = new Map<string, SurfaceType>();
  readonly #seen = new Set<ts.Type>();
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  read(program: ts.Program, roots: ReadonlyMap<string, string>): Map<string, SurfaceType> {
    for (const [name, file] of roots) {
      const source = program.getSourceFile(file);
      const module = source && this.#checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`No module in ${file}`);
      for (const exported of this.#checker.getExportsOfModule(module)) {
        const symbol =
          exported.flags & ts.SymbolFlags.Alias
            ? this.#checker.getAliasedSymbol(exported)
            : exported;
        const type = this.#type(exported.name);
        // A client's model may have the name of an SDK type; the SDK's is the one people use.
        if (!type.reached) this.#symbol(exported.name, symbol, name === 'sdk');
        type.exportedBy.add(name);
      }
    }
    return this.#types;
  }

  #type(name: string): SurfaceType {
    const known = this.#types.get(name) ?? {
      exportedBy: new Set(),
      reached: false,
      members: new Set(),
    };
    this.#types.set(name, known);
    return known;
  }

  #symbol(name: string, symbol: ts.Symbol, follow: boolean): void {
    const type = this.#type(name);
    type.reached ||= follow;
    const isType = symbol.flags & (ts.SymbolFlags.Type | ts.SymbolFlags.TypeAlias);
    const sides = [
      ...(isType ? [this.#checker.getDeclaredTypeOfSymbol(symbol)] : []),
      ...(symbol.flags & ts.SymbolFlags.Value ? [this.#checker.getTypeOfSymbol(symbol)] : []),
    ];
    for (const side of sides) {
      if (!(side.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) continue;
      for (const property of this.#checker.getPropertiesOfType(side)) {
        if (!isPublic(property)) continue;
        type.members.add(property.name);
        if (follow) this.#walk(this.#checker.getTypeOfSymbol(property));
      }
    }
  }

  /** Finds the named Daytona types in a type: what it is, what it returns and what it takes. */
  #walk(type: ts.Type): void {
    if (this.#seen.has(type)) return;
    this.#seen.add(type);
    const own = type.aliasSymbol ?? type.symbol;
    const symbol = own && own.flags & ts.SymbolFlags.EnumMember ? parentOf(own) : own;
    if (symbol !== undefined && isDaytona(symbol) && /^[A-Z]/.test(symbol.name)) {
      this.#symbol(symbol.name, symbol, true);
      return;
    }
    if (type.isUnionOrIntersection()) for (const part of type.types) this.#walk(part);
    for (const argument of this.#checker.getTypeArguments(type as ts.TypeReference) ?? []) {
      this.#walk(argument);
    }
    for (const signature of type.getCallSignatures()) {
      this.#walk(signature.getReturnType());
      for (const parameter of signature.parameters) {
        this.#walk(this.#checker.getTypeOfSymbol(parameter));
      }
    }
  }
}

/** The enumeration of a member; the compiler gives a single-member type the member's symbol. */
function parentOf(member: ts.Symbol): ts.Symbol | undefined {
  const { parent } = member as ts.Symbol & { parent?: ts.Symbol };
  return parent;
}

function isPublic(property: ts.Symbol): boolean {
  const declaration = property.declarations?.[0];
  if (property.name === 'prototype' || property.name.startsWith('__')) return false;
  if (property.name.startsWith('_') && !property.name.startsWith('_experimental')) return false;
  if (declaration === undefined || !isDaytona(property)) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(declaration) & hidden) === 0;
}

function isDaytona(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some((declaration) =>
    declaration.getSourceFile().fileName.includes('/node_modules/@daytona'),
  );
}
