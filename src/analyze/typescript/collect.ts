import { distinctiveMembers } from '../../catalog/index.ts';
import { ts } from './compiler.ts';
import { type Flow, type FlowFacts, isUnknown } from './flow.ts';
import type { Mentions } from './mentions.ts';
import { fileOf } from './source.ts';
import { calleeBase, carriers, hasShapes, nameOf, stripCasts, symbolOf } from './syntax.ts';

/** Untyped parameters feed other untyped parameters; each round carries values one call further. */
const MAX_ROUNDS = 4;

/** Container methods that store their argument, with its position. */
const WRITERS: Readonly<Record<string, number>> = { set: 1, push: 0, unshift: 0, add: 0 };

/** Finds out what flows where in these files and adds it to the facts of the flow analysis. */
export function collectFlows(flow: Flow, files: readonly ts.SourceFile[]): void {
  new Collector(flow, files.some(hasShapes)).collect(files);
}

class Collector {
  readonly #flow: Flow;
  readonly #facts: FlowFacts;
  readonly #checker: ts.TypeChecker;
  readonly #mentions: Mentions;
  /** Some type of the user's own declares a method that only Daytona has. */
  readonly #hasShapes: boolean;

  constructor(flow: Flow, shapes: boolean) {
    this.#flow = flow;
    this.#facts = flow.facts;
    this.#checker = flow.checker;
    this.#mentions = flow.mentions;
    this.#hasShapes = shapes;
  }

  collect(files: readonly ts.SourceFile[]): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = this.#size;
      for (const file of files) {
        this.#flow.project.guard(fileOf(file), () => this.#collectIn(file));
      }
      if (this.#size === before) return;
    }
  }

  get #size(): number {
    const { values, elements, expected } = this.#facts;
    return values.size + elements.size + expected.size;
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
    if (args === undefined || !args.some(carries)) return;
    if (ts.isCallExpression(node)) this.#collectWriter(node);
    const declaration = this.#checker.getResolvedSignature(node)?.declaration;
    if (declaration === undefined || ts.isJSDocSignature(declaration)) {
      this.#collectExpectedByFlow(node, args);
      return;
    }
    const isSdk = this.#flow.project.isStub(declaration.getSourceFile());
    args.forEach((argument, index) => {
      const parameter = declaration.parameters[index];
      if (parameter === undefined) return;
      if (isSdk) this.#expect(argument, this.#checker.getTypeAtLocation(parameter));
      else this.#feed(parameter, argument);
    });
  }

  /** `daytona.create(params)` on a receiver known only by flow. */
  #collectExpectedByFlow(
    node: ts.CallExpression | ts.NewExpression,
    args: readonly ts.Expression[],
  ): void {
    const callee = this.#flow.typeOf(node.expression);
    if (callee === undefined || callee.sure) return;
    const kind = ts.isNewExpression(node) ? ts.SignatureKind.Construct : ts.SignatureKind.Call;
    const signature = this.#checker.getSignaturesOfType(callee.type, kind)[0];
    if (
      !signature?.declaration ||
      !this.#flow.project.isStub(signature.declaration.getSourceFile())
    )
      return;
    args.forEach((argument, index) => {
      const parameter = signature.parameters[index];
      if (parameter) this.#expect(argument, this.#checker.getTypeOfSymbol(parameter));
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
    const symbol = this.#flow.resolved(
      ts.isShorthandPropertyAssignment(inner.parent)
        ? this.#checker.getShorthandAssignmentValueSymbol(inner.parent)
        : this.#flow.symbolAt(inner),
    );
    if (symbol === undefined || this.#facts.expected.has(symbol)) return;
    // What is declared to be Daytona's says so itself; a literal with a Daytona value in it does not.
    const own = this.#checker.getTypeOfSymbol(symbol);
    const declaration = symbol.valueDeclaration;
    const isAnnotated =
      declaration !== undefined && ts.isVariableDeclaration(declaration) && !!declaration.type;
    if (this.#mentions.isSdk(own) || (isAnnotated && this.#mentions.inType(own))) return;
    this.#facts.expected.set(symbol, type);
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
      const owner = owners.find(
        (part) => this.#checker.getPropertyOfType(part, name) !== undefined,
      );
      const target = owner && this.#checker.getPropertyOfType(owner, name);
      const wanted = target && this.#checker.getTypeOfSymbol(target);
      if (wanted !== undefined && this.#mentions.inType(wanted)) this.#expectName(value, wanted);
    }
  }

  #feed(parameter: ts.ParameterDeclaration, argument: ts.Expression): void {
    const lookAlike = this.#isLookAlike(this.#checker.getTypeAtLocation(parameter));
    if (!lookAlike && !isUntyped(parameter, this.#checker)) return;
    if (ts.isObjectBindingPattern(parameter.name) && ts.isObjectLiteralExpression(argument)) {
      this.#feedPattern(parameter.name, argument);
    }
    const symbol = symbolOf(parameter);
    if (symbol === undefined || this.#facts.values.has(symbol)) return;
    const typed = this.#flow.typeOf(argument);
    if (typed !== undefined && this.#mentions.inType(typed.type)) {
      this.#facts.values.set(symbol, { type: typed.type, sure: false });
      this.#facts.lookAlikes ||= lookAlike;
    }
  }

  /** A type of the user's own with methods that only Daytona has, itself or one level down. */
  #isLookAlike(type: ts.Type): boolean {
    if (!this.#hasShapes || !(type.flags & ts.TypeFlags.Object)) return false;
    if (this.#mentions.inType(type)) return false;
    const names = distinctiveMembers();
    return this.#checker
      .getPropertiesOfType(type)
      .some(
        (property) =>
          names.has(property.name) ||
          this.#checker
            .getPropertiesOfType(this.#checker.getTypeOfSymbol(property))
            .some((inner) => names.has(inner.name)),
      );
  }

  /** `run({ box })` into `function run({ box })`: the literal's own type may be `any` for the name. */
  #feedPattern(pattern: ts.ObjectBindingPattern, literal: ts.ObjectLiteralExpression): void {
    for (const element of pattern.elements) {
      const symbol = symbolOf(element);
      const name = element.propertyName ?? element.name;
      if (symbol === undefined || this.#facts.values.has(symbol) || !ts.isIdentifier(name))
        continue;
      const property = literal.properties.find(
        (candidate) => candidate.name !== undefined && candidate.name.getText() === name.text,
      );
      const value =
        property && ts.isPropertyAssignment(property) ? property.initializer : property?.name;
      const typed = value && this.#flow.typeOf(value);
      if (typed !== undefined && this.#mentions.inType(typed.type)) {
        this.#facts.values.set(symbol, { type: typed.type, sure: false });
      }
    }
  }

  #collectAssignment(left: ts.Expression, right: ts.Expression): void {
    if (ts.isElementAccessExpression(left) && !ts.isStringLiteralLike(left.argumentExpression)) {
      this.#put(left.expression, right);
      return;
    }
    const symbol = this.#flow.resolved(this.#flow.symbolAt(nameOf(left)));
    if (symbol === undefined || this.#facts.values.has(symbol)) return;
    if (!isUnknown(this.#checker.getTypeOfSymbol(symbol))) return;
    const typed = this.#flow.typeOf(right);
    if (typed !== undefined && this.#mentions.inType(typed.type)) {
      this.#facts.values.set(symbol, { type: typed.type, sure: false });
    }
  }

  /** `const box: BoxLike = await daytona.get(id)` */
  #collectVariable(node: ts.VariableDeclaration): void {
    if (node.type === undefined || node.initializer === undefined) return;
    const symbol = symbolOf(node);
    if (symbol === undefined || this.#facts.values.has(symbol)) return;
    if (!this.#isLookAlike(this.#checker.getTypeAtLocation(node))) return;
    const typed = this.#flow.typeOf(node.initializer);
    if (typed !== undefined && this.#mentions.inType(typed.type)) {
      this.#facts.values.set(symbol, { type: typed.type, sure: false });
      this.#facts.lookAlikes = true;
    }
  }

  /** `push({ box })` where the parameter's type says `box: BoxLike`. */
  #collectLiteral(node: ts.ObjectLiteralExpression): void {
    const type = this.#checker.getContextualType(node);
    if (type === undefined || isUnknown(type)) return;
    for (const property of node.properties) {
      if (!ts.isPropertyAssignment(property) && !ts.isShorthandPropertyAssignment(property))
        continue;
      const target = this.#checker.getPropertyOfType(type, property.name.getText());
      if (target === undefined || this.#facts.values.has(target)) continue;
      if (!this.#isLookAlike(this.#checker.getTypeOfSymbol(target))) continue;
      const typed = this.#flow.typeOf(
        ts.isPropertyAssignment(property) ? property.initializer : property.name,
      );
      if (typed !== undefined && this.#mentions.inType(typed.type)) {
        this.#facts.values.set(target, { type: typed.type, sure: false });
        this.#facts.lookAlikes = true;
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
    const symbol = this.#flow.resolved(this.#flow.symbolAt(nameOf(container)));
    if (symbol === undefined || this.#facts.elements.has(symbol)) return;
    const type = this.#checker.getTypeAtLocation(container);
    if (this.#mentions.inType(type)) return;
    const typed = this.#flow.typeOf(value);
    if (typed !== undefined && this.#mentions.inType(typed.type)) {
      this.#facts.elements.set(symbol, { type: typed.type, sure: false });
    }
  }
}

function isUntyped(parameter: ts.ParameterDeclaration, checker: ts.TypeChecker): boolean {
  if (ts.isObjectBindingPattern(parameter.name)) return parameter.type === undefined;
  return isUnknown(checker.getTypeAtLocation(parameter));
}

/** False for constants: most calls pass nothing else, and resolving a call costs. */
function carries(argument: ts.Expression): boolean {
  return !(
    ts.isStringLiteralLike(argument) ||
    ts.isNumericLiteral(argument) ||
    ts.isTemplateExpression(argument) ||
    ts.isRegularExpressionLiteral(argument)
  );
}
