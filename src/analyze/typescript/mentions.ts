import { ts } from './compiler.ts';
import type { Project } from './program.ts';

/** How deep a user's own types are searched for Daytona's. Deeper nesting was not seen in real code. */
const MAX_DEPTH = 6;

/**
 * Tells whether a type mentions a Daytona type: is one, holds one, returns one or takes one.
 * An export whose type mentions none cannot hand a coupling to its importers.
 */
export class Mentions {
  readonly #checker: ts.TypeChecker;
  readonly #project: Project;
  readonly #known = new Map<ts.Type, boolean>();
  /** Types whose search is under way. */
  readonly #open = new Set<ts.Type>();
  #undecided = false;

  constructor(project: Project, checker: ts.TypeChecker) {
    this.#project = project;
    this.#checker = checker;
  }

  /** True when the type itself was declared by Daytona. */
  isSdk(type: ts.Type): boolean {
    return this.#declaredInStub(type.aliasSymbol) || this.#declaredInStub(type.symbol);
  }

  inType(type: ts.Type, depth = 0): boolean {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH || this.#open.has(type)) {
      // Not an answer: a recursive type asks for itself, or the search gave up.
      this.#undecided = true;
      return false;
    }
    const outer = this.#undecided;
    this.#undecided = false;
    this.#open.add(type);
    const found = this.#search(type, depth + 1);
    this.#open.delete(type);
    // A "no" that rests on something undecided holds for this question only.
    if (found || !this.#undecided || depth === 0) this.#known.set(type, found);
    this.#undecided = outer || (this.#undecided && !found);
    return found;
  }

  #search(type: ts.Type, depth: number): boolean {
    if (this.isSdk(type)) return true;
    if (
      type.flags &
      (ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike)
    ) {
      return false;
    }
    if (type.aliasTypeArguments?.some((argument) => this.inType(argument, depth))) return true;
    if (type.isUnionOrIntersection()) {
      return type.types.some((part) => this.inType(part, depth));
    }
    if (!(type.flags & ts.TypeFlags.Object)) return false;
    if (isReference(type)) {
      const parts = this.#checker.getTypeArguments(type);
      if (parts.some((argument) => this.inType(argument, depth))) return true;
      if (this.#isLibrary(type.symbol)) return false;
    } else if (this.#isLibrary(type.symbol)) {
      return false;
    }
    return this.#inMembers(type, depth);
  }

  #inMembers(type: ts.Type, depth: number): boolean {
    const checker = this.#checker;
    for (const signature of [
      ...checker.getSignaturesOfType(type, ts.SignatureKind.Call),
      ...checker.getSignaturesOfType(type, ts.SignatureKind.Construct),
    ]) {
      if (this.inType(checker.getReturnTypeOfSignature(signature), depth)) return true;
      for (const parameter of signature.parameters) {
        if (this.inType(checker.getTypeOfSymbol(parameter), depth)) return true;
      }
    }
    for (const info of checker.getIndexInfosOfType(type)) {
      if (this.inType(info.type, depth)) return true;
    }
    for (const property of checker.getPropertiesOfType(type)) {
      if (isHidden(property)) continue;
      if (this.inType(checker.getTypeOfSymbol(property), depth)) return true;
    }
    return false;
  }

  #declaredInStub(symbol: ts.Symbol | undefined): boolean {
    return symbol?.declarations?.some((d) => this.#project.isStub(d.getSourceFile())) ?? false;
  }

  #isLibrary(symbol: ts.Symbol | undefined): boolean {
    return symbol?.declarations?.some((d) => this.#project.isLib(d.getSourceFile())) ?? false;
  }
}

function isReference(type: ts.Type): type is ts.TypeReference {
  return ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;
}

/** Importers cannot reach private members, so these do not spread a coupling. */
function isHidden(property: ts.Symbol): boolean {
  const declaration = property.valueDeclaration;
  return (
    declaration !== undefined &&
    (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0
  );
}
