import { matchPackage } from '../../catalog/packages.ts';
import { ts } from './compiler.ts';
import { Mentions } from './mentions.ts';
import type { Project } from './program.ts';
import { calleeBase, moduleSpecifier, nameOf, symbolOf } from './syntax.ts';

/** A type, and whether every step to it was a declared or inferred type (`sure`) or a guess by flow. */
export interface Typed {
  type: ts.Type;
  sure: boolean;
}

/** Chains of untyped values longer than this were not seen; the limit ends recursive code. */
const MAX_DEPTH = 12;

/** Methods that hand out what a container holds. */
const READERS = new Set(['get', 'pop', 'shift', 'at', 'find', 'values', 'next']);

/** What was seen to flow, by the symbol it flows into. */
export interface FlowFacts {
  /** Parameters, fields and variables. */
  values: Map<ts.Symbol, Typed>;
  /** What untyped containers hold. */
  elements: Map<ts.Symbol, Typed>;
  /** Values that end up as an SDK parameter without saying so, with the parameter's type. */
  expected: Map<ts.Symbol, ts.Type>;
  /** Set once a Daytona value was seen to flow into a type that only looks like Daytona's. */
  lookAlikes: boolean;
}

/**
 * Types of expressions, with data flow where the checker only says `any`: untyped parameters take
 * the types of the arguments passed to them, untyped fields and variables what is assigned, untyped
 * containers what is put in.
 */
export class Flow {
  readonly project: Project;
  readonly checker: ts.TypeChecker;
  readonly mentions: Mentions;
  /** Filled by {@link collectFlows}. */
  readonly facts: FlowFacts = {
    values: new Map(),
    elements: new Map(),
    expected: new Map(),
    lookAlikes: false,
  };

  constructor(project: Project) {
    this.project = project;
    this.checker = project.checker;
    this.mentions = new Mentions(project, this.checker);
  }

  /** The type of an expression, or undefined when nothing is known about it. */
  typeOf(node: ts.Node, depth = 0): Typed | undefined {
    const type = this.checker.getTypeAtLocation(node);
    if (!isUnknown(type)) return this.#throughLookAlike(node, type, depth) ?? { type, sure: true };
    if (depth > MAX_DEPTH) return undefined;
    return this.#byFlow(node, depth + 1);
  }

  /** A value behind a look-alike type is what was put there, when that is known. */
  #throughLookAlike(node: ts.Node, type: ts.Type, depth: number): Typed | undefined {
    if (!this.facts.lookAlikes || depth > MAX_DEPTH) return undefined;
    const isShape = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection)) !== 0;
    if (!isShape || this.mentions.inType(type)) return undefined;
    const flowed = this.#byFlow(node, depth + 1);
    return flowed !== undefined && this.mentions.inType(flowed.type)
      ? { type: flowed.type, sure: false }
      : undefined;
  }

  /** The SDK parameter type an untyped variable is passed to, e.g. creation parameters. */
  expectedType(symbol: ts.Symbol | undefined): ts.Type | undefined {
    return symbol && this.facts.expected.get(symbol);
  }

  symbolAt(node: ts.Node): ts.Symbol | undefined {
    return this.checker.getSymbolAtLocation(node);
  }

  /** What `await` gives for a type; the type itself when it is no promise. */
  awaited(typed: Typed | undefined): Typed | undefined {
    if (typed === undefined) return undefined;
    return { type: this.checker.getAwaitedType(typed.type) ?? typed.type, sure: typed.sure };
  }

  /** The module object of the SDK, for `import()` and `require()` with a constant specifier. */
  moduleType(specifier: string): ts.Type | undefined {
    const kind = matchPackage(specifier)?.kind;
    if (kind !== 'sdk' && kind !== 'api-client') return undefined;
    const stub = this.project.stub;
    const symbol = stub && this.checker.getSymbolAtLocation(stub);
    return symbol && this.checker.getTypeOfSymbol(symbol);
  }

  /** The text of a string expression, following constants. */
  constantText(node: ts.Expression | undefined, depth = 0): string | undefined {
    if (node === undefined || depth > 4) return undefined;
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) {
      return this.constantText(node.expression, depth + 1);
    }
    if (!ts.isIdentifier(node)) return undefined;
    const declaration = this.resolved(this.symbolAt(node))?.valueDeclaration;
    return declaration && ts.isVariableDeclaration(declaration)
      ? this.constantText(declaration.initializer, depth + 1)
      : undefined;
  }

  #byFlow(node: ts.Node, depth: number): Typed | undefined {
    if (ts.isIdentifier(node)) return this.#identifier(node, depth);
    if (ts.isPropertyAccessExpression(node)) {
      return this.#property(node.expression, node.name, depth);
    }
    if (ts.isElementAccessExpression(node)) return this.#element(node, depth);
    if (ts.isCallExpression(node)) return this.#call(node, depth);
    if (ts.isNewExpression(node)) {
      const callee = this.typeOf(node.expression, depth);
      return callee && this.#returned(callee, ts.SignatureKind.Construct);
    }
    if (ts.isAwaitExpression(node)) return this.#await(node.expression, depth);
    if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) {
      return this.typeOf(node.expression, depth);
    }
    if (
      ts.isAsExpression(node) ||
      ts.isTypeAssertionExpression(node) ||
      ts.isSatisfiesExpression(node)
    ) {
      // A cast to any hides the type from the compiler, not from the reader.
      const inner = this.typeOf(node.expression, depth);
      return inner && { type: inner.type, sure: false };
    }
    if (ts.isConditionalExpression(node)) {
      return this.typeOf(node.whenTrue, depth) ?? this.typeOf(node.whenFalse, depth);
    }
    if (ts.isBinaryExpression(node)) {
      const right = this.typeOf(node.right, depth);
      return right !== undefined && this.mentions.inType(right.type)
        ? right
        : this.typeOf(node.left, depth);
    }
    return undefined;
  }

  /** A promise of `any` is as good as `any`: what it was made from may tell more. */
  #await(promise: ts.Expression, depth: number): Typed | undefined {
    const awaited = this.awaited(this.typeOf(promise, depth));
    if (awaited !== undefined && !isUnknown(awaited.type)) return awaited;
    return this.awaited(this.#byFlow(promise, depth));
  }

  #identifier(node: ts.Identifier, depth: number): Typed | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.symbolAt(node);
    return this.#symbol(this.resolved(symbol), depth);
  }

  #symbol(symbol: ts.Symbol | undefined, depth: number): Typed | undefined {
    if (symbol === undefined) return undefined;
    const flowed = this.facts.values.get(symbol);
    if (flowed !== undefined) return flowed;
    const declaration = symbol.valueDeclaration;
    if (declaration === undefined || depth > MAX_DEPTH) return undefined;
    if (ts.isBindingElement(declaration)) return this.binding(declaration, depth);
    if (ts.isVariableDeclaration(declaration)) {
      const loop = declaration.parent.parent;
      if (ts.isForOfStatement(loop)) {
        return this.#elementOf(loop.expression, depth);
      }
      const value = declaration.initializer && this.typeOf(declaration.initializer, depth);
      return value && { type: value.type, sure: value.sure && declaration.type === undefined };
    }
    if (
      (ts.isPropertyAssignment(declaration) || ts.isPropertyDeclaration(declaration)) &&
      declaration.initializer !== undefined
    ) {
      return this.typeOf(declaration.initializer, depth);
    }
    return undefined;
  }

  /** The type a destructured name takes. */
  binding(element: ts.BindingElement, depth = 0): Typed | undefined {
    if (depth > MAX_DEPTH || element.dotDotDotToken !== undefined) return undefined;
    const source = this.bindingSource(element, depth + 1);
    if (source === undefined) return undefined;
    if (ts.isArrayBindingPattern(element.parent)) {
      const element0 = this.checker.getIndexTypeOfType(source.type, ts.IndexKind.Number);
      return element0 && { type: element0, sure: source.sure };
    }
    const name = element.propertyName ?? element.name;
    return ts.isIdentifier(name) || ts.isStringLiteral(name)
      ? this.#propertyOf(source, name.text)
      : undefined;
  }

  /** The type of the value a pattern takes apart. */
  bindingSource(element: ts.BindingElement, depth = 0): Typed | undefined {
    const holder = element.parent.parent;
    if (ts.isBindingElement(holder)) return this.binding(holder, depth);
    if (holder.type !== undefined) return this.#declared(element.parent);
    if (ts.isParameter(holder)) return this.#parameterSource(element, holder);
    const loop = holder.parent.parent;
    if (ts.isForOfStatement(loop)) {
      return this.#elementOf(loop.expression, depth) ?? this.#declared(element.parent);
    }
    return holder.initializer && this.typeOf(holder.initializer, depth);
  }

  #declared(pattern: ts.Node): Typed | undefined {
    const type = this.checker.getTypeAtLocation(pattern);
    return isUnknown(type) ? undefined : { type, sure: true };
  }

  /** An untyped pattern has a type of its own making, with `any` for every name. */
  #parameterSource(
    element: ts.BindingElement,
    parameter: ts.ParameterDeclaration,
  ): Typed | undefined {
    const contextual = this.#declared(element.parent);
    if (contextual !== undefined && this.mentions.inType(contextual.type)) return contextual;
    const symbol = symbolOf(parameter);
    return symbol && this.facts.values.get(symbol);
  }

  #property(base: ts.Expression, name: ts.MemberName, depth: number): Typed | undefined {
    const own = this.resolved(this.symbolAt(name));
    const flowed = own && this.#symbol(own, depth);
    if (flowed !== undefined) return flowed;
    const owner = this.typeOf(base, depth);
    return owner && this.#propertyOf(owner, name.text);
  }

  #propertyOf(owner: Typed, name: string): Typed | undefined {
    const apparent = this.checker.getApparentType(owner.type);
    const property = this.checker.getPropertyOfType(apparent, name);
    if (property === undefined) return undefined;
    const flowed = this.facts.values.get(property);
    if (flowed !== undefined) return flowed;
    const type = this.checker.getTypeOfSymbol(property);
    return isUnknown(type) ? undefined : { type, sure: owner.sure };
  }

  #element(node: ts.ElementAccessExpression, depth: number): Typed | undefined {
    if (ts.isStringLiteralLike(node.argumentExpression)) {
      const owner = this.typeOf(node.expression, depth);
      const property = owner && this.#propertyOf(owner, node.argumentExpression.text);
      if (property !== undefined) return property;
    }
    return this.#elementOf(node.expression, depth);
  }

  /** What an untyped container holds, from what was put into it, or the elements of a typed one. */
  #elementOf(container: ts.Expression, depth: number): Typed | undefined {
    const target = ts.isCallExpression(container) ? calleeBase(container) : container;
    const symbol = target && this.resolved(this.symbolAt(nameOf(target)));
    const held = symbol && this.facts.elements.get(symbol);
    if (held !== undefined) return held;
    const typed = this.typeOf(container, depth);
    const element = typed && this.checker.getIndexTypeOfType(typed.type, ts.IndexKind.Number);
    return element && !isUnknown(element) ? { type: element, sure: typed.sure } : undefined;
  }

  #call(node: ts.CallExpression, depth: number): Typed | undefined {
    const specifier = moduleSpecifier(node);
    if (specifier !== undefined) {
      const type = this.moduleType(this.constantText(specifier) ?? '');
      return type && { type, sure: true };
    }
    if (ts.isPropertyAccessExpression(node.expression) && READERS.has(node.expression.name.text)) {
      const held = this.#elementOf(node.expression.expression, depth);
      if (held !== undefined) return held;
    }
    const raced = this.#combined(node, depth);
    if (raced !== undefined) return raced;
    const callee = this.typeOf(node.expression, depth);
    const result = callee && this.#returned(callee, ts.SignatureKind.Call);
    const awaited = this.awaited(result);
    if (result !== undefined && awaited !== undefined && !isUnknown(awaited.type)) return result;
    return this.#returnedByBody(node, depth);
  }

  /** `Promise.race([daytona.get(id), late])`: one untyped promise makes all of it untyped. */
  #combined(node: ts.CallExpression, depth: number): Typed | undefined {
    if (!/^Promise\.(?:race|any)$/.test(node.expression.getText())) return undefined;
    const [list] = node.arguments;
    if (list === undefined || !ts.isArrayLiteralExpression(list)) return undefined;
    for (const element of list.elements) {
      const typed = this.typeOf(element, depth);
      if (typed !== undefined && this.mentions.inType(typed.type)) {
        return { type: typed.type, sure: false };
      }
    }
    return undefined;
  }

  #returned(callee: Typed, kind: ts.SignatureKind): Typed | undefined {
    const signature = this.checker.getSignaturesOfType(callee.type, kind)[0];
    if (signature === undefined) return undefined;
    return { type: this.checker.getReturnTypeOfSignature(signature), sure: callee.sure };
  }

  /** A function declared to return `any` returns what its body returns. */
  #returnedByBody(node: ts.CallExpression, depth: number): Typed | undefined {
    const declaration = this.checker.getResolvedSignature(node)?.declaration;
    if (declaration === undefined || depth > MAX_DEPTH) return undefined;
    const body = 'body' in declaration ? declaration.body : undefined;
    if (body === undefined) return undefined;
    if (!ts.isBlock(body)) return ts.isExpression(body) ? this.typeOf(body, depth) : undefined;
    let found: Typed | undefined;
    const visit = (child: ts.Node): void => {
      if (found !== undefined || ts.isFunctionLike(child)) return;
      if (ts.isReturnStatement(child) && child.expression !== undefined) {
        const typed = this.typeOf(child.expression, depth + 4);
        if (typed !== undefined && this.mentions.inType(typed.type)) found = typed;
        return;
      }
      ts.forEachChild(child, visit);
    };
    visit(body);
    return found && { type: found.type, sure: false };
  }

  /** The symbol behind an import. */
  resolved(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
    return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias
      ? this.checker.getAliasedSymbol(symbol)
      : symbol;
  }
}

/** True when the checker knows nothing. */
export function isUnknown(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
}
