import { distinctiveMembers } from '../../catalog/index.ts';
import { matchPackage } from '../../catalog/packages.ts';
import { ts } from './compiler.ts';
import { Mentions } from './mentions.ts';
import { fileOf, type Project } from './program.ts';

/** A type, and whether every step to it was a declared or inferred type (`sure`) or a guess by flow. */
export interface Typed {
  type: ts.Type;
  sure: boolean;
}

/** Chains of untyped values longer than this were not seen; the limit ends recursive code. */
const MAX_DEPTH = 12;
/** Untyped parameters feed other untyped parameters; each round carries values one call further. */
const MAX_ROUNDS = 4;

/**
 * Types of expressions, with data flow where the checker only says `any`: untyped parameters take
 * the types of the arguments passed to them, untyped fields and variables what is assigned, untyped
 * containers what is put in.
 */
export class Flow {
  readonly project: Project;
  readonly checker: ts.TypeChecker;
  readonly mentions: Mentions;
  readonly #values = new Map<ts.Symbol, Typed>();
  readonly #elements = new Map<ts.Symbol, Typed>();
  /** Object literals that end up as an SDK parameter without saying so, with the parameter's type. */
  readonly #expected = new Map<ts.Symbol, ts.Type>();
  /** Some type of the user's own declares a method that only Daytona has. */
  #hasShapes = false;
  /** Set once a Daytona value was seen to flow into a type that only looks like Daytona's. */
  #lookAlikes = false;

  constructor(project: Project) {
    this.project = project;
    this.checker = project.checker;
    this.mentions = new Mentions(project, this.checker);
  }

  /** Collects what flows where in these files; call before asking for types in them. */
  collect(files: readonly ts.SourceFile[]): void {
    this.#hasShapes = files.some(hasShapes);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = this.#values.size + this.#elements.size + this.#expected.size;
      for (const file of files) {
        this.project.guard(fileOf(file), () => this.#collectIn(file));
      }
      if (this.#values.size + this.#elements.size + this.#expected.size === before) return;
    }
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
    if (!this.#lookAlikes || depth > MAX_DEPTH) return undefined;
    if (!(type.flags & ts.TypeFlags.Object) || this.mentions.inType(type)) return undefined;
    const flowed = this.#byFlow(node, depth + 1);
    return flowed !== undefined && this.mentions.inType(flowed.type)
      ? { type: flowed.type, sure: false }
      : undefined;
  }

  /** The SDK parameter type an untyped variable is passed to, e.g. creation parameters. */
  expectedType(symbol: ts.Symbol | undefined): ts.Type | undefined {
    return symbol && this.#expected.get(symbol);
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
    const declaration = this.#resolved(this.symbolAt(node))?.valueDeclaration;
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
    return this.#symbol(this.#resolved(symbol), depth);
  }

  #symbol(symbol: ts.Symbol | undefined, depth: number): Typed | undefined {
    if (symbol === undefined) return undefined;
    const flowed = this.#values.get(symbol);
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
    const symbol = this.#symbolOfDeclaration(parameter);
    return symbol && this.#values.get(symbol);
  }

  #property(base: ts.Expression, name: ts.MemberName, depth: number): Typed | undefined {
    const own = this.#resolved(this.symbolAt(name));
    const flowed = own && this.#symbol(own, depth);
    if (flowed !== undefined) return flowed;
    const owner = this.typeOf(base, depth);
    return owner && this.#propertyOf(owner, name.text);
  }

  #propertyOf(owner: Typed, name: string): Typed | undefined {
    const apparent = this.checker.getApparentType(owner.type);
    const property = this.checker.getPropertyOfType(apparent, name);
    if (property === undefined) return undefined;
    const flowed = this.#values.get(property);
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
    const symbol = target && this.#resolved(this.symbolAt(nameOf(target)));
    const held = symbol && this.#elements.get(symbol);
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
    const callee = this.typeOf(node.expression, depth);
    const result = callee && this.#returned(callee, ts.SignatureKind.Call);
    const awaited = this.awaited(result);
    if (result !== undefined && awaited !== undefined && !isUnknown(awaited.type)) return result;
    return this.#returnedByBody(node, depth);
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

  #collectIn(file: ts.SourceFile): void {
    for (const node of carriers(file)) {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.#collectCall(node);
      else if (ts.isBinaryExpression(node)) this.#collectAssignment(node.left, node.right);
      else if (!this.#hasShapes) continue;
      else if (ts.isVariableDeclaration(node)) this.#collectVariable(node);
      else if (ts.isObjectLiteralExpression(node)) this.#collectLiteral(node);
    }
  }

  #collectCall(node: ts.CallExpression | ts.NewExpression): void {
    const args = node.arguments;
    if (args === undefined || args.length === 0) return;
    if (ts.isCallExpression(node)) this.#collectWriter(node);
    const declaration = this.checker.getResolvedSignature(node)?.declaration;
    if (declaration === undefined || ts.isJSDocSignature(declaration)) {
      this.#collectExpectedByFlow(node, args);
      return;
    }
    const isSdk = this.project.isStub(declaration.getSourceFile());
    args.forEach((argument, index) => {
      const parameter = declaration.parameters[index];
      if (parameter === undefined) return;
      if (isSdk) this.#expect(argument, this.checker.getTypeAtLocation(parameter));
      else this.#feed(parameter, argument);
    });
  }

  /** `daytona.create(params)` on a receiver known only by flow. */
  #collectExpectedByFlow(
    node: ts.CallExpression | ts.NewExpression,
    args: readonly ts.Expression[],
  ): void {
    const callee = this.typeOf(node.expression);
    if (callee === undefined || callee.sure) return;
    const kind = ts.isNewExpression(node) ? ts.SignatureKind.Construct : ts.SignatureKind.Call;
    const signature = this.checker.getSignaturesOfType(callee.type, kind)[0];
    if (!signature?.declaration || !this.project.isStub(signature.declaration.getSourceFile()))
      return;
    args.forEach((argument, index) => {
      const parameter = signature.parameters[index];
      if (parameter) this.#expect(argument, this.checker.getTypeOfSymbol(parameter));
    });
  }

  #expect(argument: ts.Expression, type: ts.Type): void {
    const value = stripCasts(argument);
    if (ts.isObjectLiteralExpression(value)) {
      this.#expectProperties(value, type);
      return;
    }
    // create(buildParams()): what the function returns is expected to be the parameter.
    this.#expectName(ts.isCallExpression(value) ? value.expression : value, type);
  }

  #expectName(node: ts.Expression, type: ts.Type): void {
    const inner = stripCasts(node);
    if (!ts.isIdentifier(inner)) return;
    const symbol = this.#resolved(
      ts.isShorthandPropertyAssignment(inner.parent)
        ? this.checker.getShorthandAssignmentValueSymbol(inner.parent)
        : this.symbolAt(inner),
    );
    if (symbol === undefined || this.#expected.has(symbol)) return;
    if (this.mentions.inType(this.checker.getTypeOfSymbol(symbol))) return;
    this.#expected.set(symbol, type);
  }

  /** `create({ volumes: mounts })`: what `mounts` holds is expected to be mounts. */
  #expectProperties(literal: ts.ObjectLiteralExpression, type: ts.Type): void {
    const owners = type.isUnion() ? type.types : [type];
    for (const property of literal.properties) {
      const value = ts.isPropertyAssignment(property)
        ? property.initializer
        : ts.isShorthandPropertyAssignment(property)
          ? property.name
          : undefined;
      if (value === undefined || !ts.isIdentifier(stripCasts(value))) continue;
      const name = property.name?.getText() ?? '';
      const owner = owners.find((part) => this.checker.getPropertyOfType(part, name) !== undefined);
      const target = owner && this.checker.getPropertyOfType(owner, name);
      const wanted = target && this.checker.getTypeOfSymbol(target);
      if (wanted !== undefined && this.mentions.inType(wanted)) this.#expectName(value, wanted);
    }
  }

  #feed(parameter: ts.ParameterDeclaration, argument: ts.Expression): void {
    const lookAlike = this.#isLookAlike(this.checker.getTypeAtLocation(parameter));
    if (!lookAlike && !isUntyped(parameter, this.checker)) return;
    if (ts.isObjectBindingPattern(parameter.name) && ts.isObjectLiteralExpression(argument)) {
      this.#feedPattern(parameter.name, argument);
    }
    const symbol = this.#symbolOfDeclaration(parameter);
    if (symbol === undefined || this.#values.has(symbol)) return;
    const typed = this.typeOf(argument);
    if (typed !== undefined && this.mentions.inType(typed.type)) {
      this.#values.set(symbol, { type: typed.type, sure: false });
      this.#lookAlikes ||= lookAlike;
    }
  }

  /** A type of the user's own with methods that only Daytona has, itself or one level down. */
  #isLookAlike(type: ts.Type): boolean {
    if (!this.#hasShapes || !(type.flags & ts.TypeFlags.Object)) return false;
    if (this.mentions.inType(type)) return false;
    const names = distinctiveMembers();
    return this.checker
      .getPropertiesOfType(type)
      .some(
        (property) =>
          names.has(property.name) ||
          this.checker
            .getPropertiesOfType(this.checker.getTypeOfSymbol(property))
            .some((inner) => names.has(inner.name)),
      );
  }

  /** `run({ box })` into `function run({ box })`: the literal's own type may be `any` for the name. */
  #feedPattern(pattern: ts.ObjectBindingPattern, literal: ts.ObjectLiteralExpression): void {
    for (const element of pattern.elements) {
      const symbol = (element as { symbol?: ts.Symbol }).symbol;
      const name = element.propertyName ?? element.name;
      if (symbol === undefined || this.#values.has(symbol) || !ts.isIdentifier(name)) continue;
      const property = literal.properties.find(
        (candidate) => candidate.name !== undefined && candidate.name.getText() === name.text,
      );
      const value =
        property && ts.isPropertyAssignment(property) ? property.initializer : property?.name;
      const typed = value && this.typeOf(value);
      if (typed !== undefined && this.mentions.inType(typed.type)) {
        this.#values.set(symbol, { type: typed.type, sure: false });
      }
    }
  }

  #collectAssignment(left: ts.Expression, right: ts.Expression): void {
    if (ts.isElementAccessExpression(left) && !ts.isStringLiteralLike(left.argumentExpression)) {
      this.#put(left.expression, right);
      return;
    }
    const symbol = this.#resolved(this.symbolAt(nameOf(left)));
    if (symbol === undefined || this.#values.has(symbol)) return;
    if (!isUnknown(this.checker.getTypeOfSymbol(symbol))) return;
    const typed = this.typeOf(right);
    if (typed !== undefined && this.mentions.inType(typed.type)) {
      this.#values.set(symbol, { type: typed.type, sure: false });
    }
  }

  /** `const box: BoxLike = await daytona.get(id)` */
  #collectVariable(node: ts.VariableDeclaration): void {
    if (node.type === undefined || node.initializer === undefined) return;
    const symbol = (node as { symbol?: ts.Symbol }).symbol;
    if (symbol === undefined || this.#values.has(symbol)) return;
    if (!this.#isLookAlike(this.checker.getTypeAtLocation(node))) return;
    const typed = this.typeOf(node.initializer);
    if (typed !== undefined && this.mentions.inType(typed.type)) {
      this.#values.set(symbol, { type: typed.type, sure: false });
      this.#lookAlikes = true;
    }
  }

  /** `push({ box })` where the parameter's type says `box: BoxLike`. */
  #collectLiteral(node: ts.ObjectLiteralExpression): void {
    const type = this.checker.getContextualType(node);
    if (type === undefined || isUnknown(type)) return;
    for (const property of node.properties) {
      if (!ts.isPropertyAssignment(property) && !ts.isShorthandPropertyAssignment(property))
        continue;
      const target = this.checker.getPropertyOfType(type, property.name.getText());
      if (target === undefined || this.#values.has(target)) continue;
      if (!this.#isLookAlike(this.checker.getTypeOfSymbol(target))) continue;
      const typed = this.typeOf(
        ts.isPropertyAssignment(property) ? property.initializer : property.name,
      );
      if (typed !== undefined && this.mentions.inType(typed.type)) {
        this.#values.set(target, { type: typed.type, sure: false });
        this.#lookAlikes = true;
      }
    }
  }

  #collectWriter(node: ts.CallExpression): void {
    const base = calleeBase(node);
    if (base === undefined || !ts.isPropertyAccessExpression(node.expression)) return;
    const position = WRITERS[node.expression.name.text];
    const value = position === undefined ? undefined : node.arguments[position];
    if (value !== undefined) this.#put(base, value);
  }

  #put(container: ts.Expression, value: ts.Expression): void {
    const symbol = this.#resolved(this.symbolAt(nameOf(container)));
    if (symbol === undefined || this.#elements.has(symbol)) return;
    const type = this.checker.getTypeAtLocation(container);
    if (this.mentions.inType(type)) return;
    const typed = this.typeOf(value);
    if (typed !== undefined && this.mentions.inType(typed.type)) {
      this.#elements.set(symbol, { type: typed.type, sure: false });
    }
  }

  #resolved(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
    return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias
      ? this.checker.getAliasedSymbol(symbol)
      : symbol;
  }

  #symbolOfDeclaration(declaration: ts.ParameterDeclaration): ts.Symbol | undefined {
    return (declaration as { symbol?: ts.Symbol }).symbol;
  }
}

const carriersOf = new WeakMap<ts.SourceFile, readonly ts.Node[]>();

/** The nodes of a file that carry values from one place to another, in order. */
function carriers(file: ts.SourceFile): readonly ts.Node[] {
  const known = carriersOf.get(file);
  if (known !== undefined) return known;
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ((ts.isCallExpression(node) || ts.isNewExpression(node)) && node.arguments?.length) ||
      isAssignment(node) ||
      ts.isVariableDeclaration(node) ||
      ts.isObjectLiteralExpression(node)
    ) {
      found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  carriersOf.set(file, found);
  return found;
}

const shapesOf = new WeakMap<ts.SourceFile, boolean>();

/** True when a file declares a type with a method that only Daytona has. */
function hasShapes(file: ts.SourceFile): boolean {
  const known = shapesOf.get(file);
  if (known !== undefined) return known;
  const names = distinctiveMembers();
  let found = false;
  const visit = (node: ts.Node): void => {
    if (found) return;
    if (ts.isMethodSignature(node) || ts.isPropertySignature(node)) {
      found = names.has(node.name.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  shapesOf.set(file, found);
  return found;
}

/** Container methods that store their argument, with its position. */
const WRITERS: Readonly<Record<string, number>> = { set: 1, push: 0, unshift: 0, add: 0 };
const READERS = new Set(['get', 'pop', 'shift', 'at', 'find', 'values', 'next']);

export function isUnknown(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
}

/** The specifier of `import(x)` or `require(x)`. */
export function moduleSpecifier(node: ts.CallExpression): ts.Expression | undefined {
  const callee = node.expression;
  const loads =
    callee.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(callee) && callee.text === 'require') ||
    (ts.isPropertyAccessExpression(callee) && LOADERS.has(callee.getText()));
  return loads ? node.arguments[0] : undefined;
}

/** Test runners' ways to load the real module. */
const LOADERS = new Set([
  'vi.importActual',
  'vi.importMock',
  'jest.requireActual',
  'jest.requireMock',
]);

export function stripCasts(node: ts.Expression): ts.Expression {
  let inner = node;
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isNonNullExpression(inner) ||
    ts.isTypeAssertionExpression(inner) ||
    ts.isSatisfiesExpression(inner)
  ) {
    inner = inner.expression;
  }
  return inner;
}

function isAssignment(node: ts.Node): node is ts.BinaryExpression {
  return (
    ts.isBinaryExpression(node) &&
    (node.operatorToken.kind === ts.SyntaxKind.EqualsToken ||
      node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionEqualsToken ||
      node.operatorToken.kind === ts.SyntaxKind.BarBarEqualsToken)
  );
}

function calleeBase(node: ts.CallExpression): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(node.expression) ? node.expression.expression : undefined;
}

function nameOf(node: ts.Expression): ts.Node {
  const inner = stripCasts(node);
  return ts.isPropertyAccessExpression(inner) ? inner.name : inner;
}

function isUntyped(parameter: ts.ParameterDeclaration, checker: ts.TypeChecker): boolean {
  if (ts.isObjectBindingPattern(parameter.name)) return parameter.type === undefined;
  return isUnknown(checker.getTypeAtLocation(parameter));
}
