import { isOptionType } from '../../../catalog/index.ts';
import type { CatalogSymbol } from '../../../catalog/types.ts';
import { ts } from '../compiler.ts';
import type { Typed } from '../flow.ts';
import { stripCasts } from '../syntax.ts';
import { type Context, propertyText } from './context.ts';

/** Keys of object literals that the SDK receives: creation parameters, client options, requests. */
export function detectOptions(node: ts.Node, context: Context): void {
  if (!ts.isObjectLiteralExpression(node)) return;
  const typed = literalType(node, context);
  if (typed === undefined) return;
  const owners = ownersOf(typed.type, context);
  if (owners === undefined) return;
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) continue;
    const name = propertyText(property.name);
    if (name !== undefined) reportKey(property.name, name, owners, typed.sure, context);
  }
}

/** The Daytona types among the constituents, or undefined when others are among them. */
interface Owners {
  symbols: CatalogSymbol[];
  types: ts.Type[];
  /** Every constituent is Daytona's, so a key none of them has is one no SDK has. */
  closed: boolean;
}

function ownersOf(type: ts.Type, context: Context): Owners | undefined {
  const parts = type.isUnion() ? type.types : [type];
  const owners: Owners = { symbols: [], types: [], closed: true };
  for (const part of parts) {
    // A user's own intersection adds keys of its own; Daytona's part is still checked.
    const inner = part.isIntersection() ? part.types : [part];
    if (part.isIntersection()) owners.closed = false;
    for (const candidate of inner) {
      const symbol = context.catalogType(candidate);
      if (symbol === undefined || symbol.owner !== undefined || symbol.kind === 'class') {
        if (candidate.flags & ts.TypeFlags.Object) owners.closed = false;
        continue;
      }
      owners.symbols.push(symbol);
      owners.types.push(candidate);
    }
  }
  return owners.symbols.length > 0 ? owners : undefined;
}

function reportKey(
  place: ts.Node,
  name: string,
  owners: Owners,
  sure: boolean,
  context: Context,
): void {
  const confidence = sure ? 'certain' : 'likely';
  const isOptions = owners.symbols.every((symbol) => isOptionType(symbol.id));
  for (const type of owners.types) {
    const property = context.checker.getPropertyOfType(type, name);
    const symbol = property && context.catalogSymbol(property);
    if (symbol === undefined) continue;
    const isOld = symbol.until !== undefined || symbol.replacedBy !== undefined;
    if (!symbol.quiet || isOld) context.reportSymbol(place, symbol, { confidence });
    return;
  }
  if (isOptions && owners.closed) {
    context.report(place, 'DT010', {
      confidence,
      fix: 'manual',
      message: `No SDK release knows the option ${owners.symbols[0]?.name}.${name}; it is ignored.`,
    });
  }
}

/** The SDK type an object literal is for: by its context, or by where it flows. */
function literalType(node: ts.ObjectLiteralExpression, context: Context): Typed | undefined {
  const contextual = context.checker.getContextualType(node);
  if (contextual !== undefined && ownersOf(contextual, context) !== undefined) {
    return { type: contextual, sure: true };
  }
  return expectedOf(node, context);
}

/** What an expression is expected to be by the SDK call that it ends up in. */
function expectedOf(node: ts.Expression, context: Context): Typed | undefined {
  const outer = outermost(node);
  const argument = argumentType(outer, context);
  if (argument !== undefined) return argument;
  const holder = outer.parent;
  if (ts.isVariableDeclaration(holder) && ts.isIdentifier(holder.name)) {
    return named(holder.name, context);
  }
  if (ts.isBinaryExpression(holder) && holder.right === outer) {
    const target = stripCasts(holder.left);
    return ts.isIdentifier(target) ? named(target, context) : undefined;
  }
  const mapped = mappedTo(holder, outer, context);
  if (mapped !== undefined) return mapped;
  const builder = enclosingFunction(holder, outer);
  if (builder !== undefined) return named(builder, context);
  if (ts.isSpreadAssignment(holder)) return expectedOf(holder.parent, context);
  if (ts.isArrayLiteralExpression(holder)) {
    const array = expectedOf(holder, context);
    const element = array && context.checker.getIndexTypeOfType(array.type, ts.IndexKind.Number);
    return element && { type: element, sure: false };
  }
  if (ts.isPropertyAssignment(holder)) {
    const owner = expectedOf(holder.parent, context);
    return owner && propertyType(owner.type, propertyText(holder.name), context);
  }
  return undefined;
}

/** `files.map((f) => ({ … }))`: each literal is an element of what the list is expected to be. */
function mappedTo(holder: ts.Node, returned: ts.Expression, context: Context): Typed | undefined {
  const callback = returningFunction(holder, returned);
  const call = callback?.parent;
  if (call === undefined || !ts.isCallExpression(call)) return undefined;
  if (!ts.isPropertyAccessExpression(call.expression)) return undefined;
  if (!/^(?:flatMap|map)$/.test(call.expression.name.text)) return undefined;
  const array = expectedOf(call, context);
  const element = array && context.checker.getIndexTypeOfType(array.type, ts.IndexKind.Number);
  return element && { type: element, sure: false };
}

function propertyType(
  type: ts.Type,
  name: string | undefined,
  context: Context,
): Typed | undefined {
  if (name === undefined) return undefined;
  for (const part of type.isUnion() ? type.types : [type]) {
    const property = context.checker.getPropertyOfType(part, name);
    if (property !== undefined) {
      return { type: context.checker.getTypeOfSymbol(property), sure: false };
    }
  }
  return undefined;
}

function named(name: ts.Identifier, context: Context): Typed | undefined {
  const type = context.flow.expectedType(context.flow.symbolAt(name));
  return type && { type, sure: false };
}

/** The name of the function that returns this expression. */
function enclosingFunction(holder: ts.Node, returned: ts.Expression): ts.Identifier | undefined {
  const found = returningFunction(holder, returned);
  const name =
    found !== undefined && ts.isVariableDeclaration(found.parent) ? found.parent.name : found?.name;
  return name !== undefined && ts.isIdentifier(name) ? name : undefined;
}

function returningFunction(
  holder: ts.Node,
  returned: ts.Expression,
): ts.SignatureDeclaration | undefined {
  const returns =
    ts.isReturnStatement(holder) || (ts.isArrowFunction(holder) && holder.body === returned);
  return returns ? ts.findAncestor(holder, ts.isFunctionLike) : undefined;
}

/** Casts, conditionals and `??` around a literal do not change what it is for. */
function outermost(node: ts.Expression): ts.Expression {
  let outer = node;
  for (;;) {
    const parent = outer.parent;
    if (
      ts.isParenthesizedExpression(parent) ||
      ts.isAsExpression(parent) ||
      ts.isSatisfiesExpression(parent) ||
      ts.isNonNullExpression(parent) ||
      (ts.isConditionalExpression(parent) && parent.condition !== outer) ||
      (ts.isBinaryExpression(parent) &&
        (parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken ||
          parent.operatorToken.kind === ts.SyntaxKind.BarBarToken ||
          parent.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken))
    ) {
      outer = parent;
    } else {
      return outer;
    }
  }
}

/** `create({…} as any)` or a receiver known only by flow: the parameter still says what it is. */
function argumentType(node: ts.Expression, context: Context): Typed | undefined {
  const call = node.parent;
  if (!ts.isCallExpression(call) && !ts.isNewExpression(call)) return undefined;
  const index = call.arguments?.indexOf(node) ?? -1;
  if (index < 0) return undefined;
  const parameter = context.sdkSignature(call)?.parameters[index];
  return parameter && { type: context.checker.getTypeOfSymbol(parameter), sure: false };
}
