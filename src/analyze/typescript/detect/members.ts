import type { CatalogSymbol } from '../../../catalog/types.ts';
import { ts } from '../compiler.ts';
import { type Context, type MemberUse, memberName, nameNode, propertyText } from './context.ts';

/** Calls and reads on Daytona objects, destructured ones included. */
export function detectMembers(node: ts.Node, context: Context): void {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    memberAccess(node, context);
  } else if (ts.isBindingElement(node)) {
    bindingElement(node, context);
  } else if (ts.isNewExpression(node)) {
    construction(node, context);
  } else if (ts.isIdentifier(node)) {
    classValue(node, context);
  }
}

function memberAccess(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  context: Context,
): void {
  const use = context.member(node) ?? expectedMember(node, context);
  if (use === undefined || (!isLegacy(use) && isInsideKnownChain(node, context))) return;
  if (use.kind === 'known' && use.symbol.kind === 'method' && isTestDouble(node)) {
    context.reportSymbol(nameNode(node), use.symbol, { rule: 'DT806' });
    return;
  }
  reportUse(nameNode(node), use, context, isWrite(node));
}

function reportUse(place: ts.Node, use: MemberUse, context: Context, isWrite = false): void {
  if (use.kind === 'known') {
    // Writing an option builds a parameter; reading one back is not worth a word.
    if (use.symbol.quiet && use.symbol.until === undefined) return;
    if (use.symbol.optionKey && !isWrite && use.symbol.kind === 'property') return;
    context.reportSymbol(place, use.symbol, { confidence: use.sure ? 'certain' : 'likely' });
    return;
  }
  context.report(place, 'DT010', {
    confidence: use.sure ? 'certain' : 'likely',
    fix: 'manual',
    message: `No SDK release has ${use.owner}.${use.name}.${pythonHint(use.owner, use.name, context)}`,
  });
}

/** Functions of test runners that take a double instead of calling it. */
const TAKES_DOUBLE = /^(?:expect|(?:vi|jest|vitest)\.(?:mocked|spyOn)|mocked|sinon\.\w+)$/;

/** `expect(box.process.executeCommand)` and `box.stop.mockResolvedValue()` execute nothing. */
function isTestDouble(node: ts.Expression): boolean {
  let outer: ts.Node = node;
  while (
    ts.isParenthesizedExpression(outer.parent) ||
    ts.isNonNullExpression(outer.parent) ||
    ts.isAsExpression(outer.parent)
  ) {
    outer = outer.parent;
  }
  const parent = outer.parent;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === outer) {
    return /^mock(?:[A-Z]|$)/.test(parent.name.text);
  }
  return (
    ts.isCallExpression(parent) &&
    parent.arguments.some((argument) => argument === outer) &&
    TAKES_DOUBLE.test(parent.expression.getText())
  );
}

function isLegacy(use: MemberUse): boolean {
  return use.kind === 'known' && use.symbol.until !== undefined;
}

/** `sandbox.process` in `sandbox.process.exec()` is told by its end. */
function isInsideKnownChain(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  context: Context,
): boolean {
  let outer: ts.Node = node;
  while (ts.isParenthesizedExpression(outer.parent) || ts.isNonNullExpression(outer.parent)) {
    outer = outer.parent;
  }
  const parent = outer.parent;
  return (
    (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) &&
    parent.expression === outer &&
    context.member(parent) !== undefined
  );
}

/** `params.name = …` on an object that is later passed to the SDK untyped. */
function expectedMember(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  context: Context,
): MemberUse | undefined {
  const name = memberName(node);
  if (name === undefined || !isWrite(node) || !ts.isIdentifier(node.expression)) return undefined;
  const expected = context.flow.expectedType(context.flow.symbolAt(node.expression));
  if (expected === undefined) return undefined;
  for (const part of expected.isUnion() ? expected.types : [expected]) {
    const use = context.memberOf({ type: part, sure: false }, name);
    if (use?.kind === 'known') return use;
  }
  return undefined;
}

function isWrite(node: ts.Expression): boolean {
  return (
    ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  );
}

function bindingElement(node: ts.BindingElement, context: Context): void {
  if (!ts.isObjectBindingPattern(node.parent) || node.dotDotDotToken !== undefined) return;
  const place = node.propertyName ?? node.name;
  const name = propertyText(place as ts.PropertyName);
  const source = name === undefined ? undefined : context.flow.bindingSource(node);
  if (source === undefined || name === undefined) return;
  const use = context.memberOf(source, name);
  if (use !== undefined) reportUse(place, use, context);
}

function construction(node: ts.NewExpression, context: Context): void {
  const signature = context.sdkSignature(node);
  const symbol = signature && context.catalogType(signature.getReturnType());
  if (symbol === undefined) return;
  const callee = context.flow.typeOf(node.expression);
  context.reportSymbol(node.expression, symbol, {
    confidence: callee?.sure ? 'certain' : 'likely',
  });
}

/** A Daytona class used as a value other than by `new` or a static member, e.g. in instanceof. */
function classValue(node: ts.Identifier, context: Context): void {
  // Asking for every identifier costs; classes are written large, or renamed by an import.
  if (!/^[A-Z_$]/.test(node.text) && !context.renamed.has(node.text)) return;
  if (!isValueReference(node)) return;
  const symbol =
    context.catalogSymbol(context.checker.getSymbolAtLocation(node)) ?? loadedClass(node, context);
  if (symbol === undefined || symbol.owner !== undefined) return;
  if (symbol.kind !== 'class' && symbol.kind !== 'enum' && symbol.kind !== 'const') return;
  context.reportSymbol(node, symbol, isTestDouble(node) ? { rule: 'DT806' } : {});
}

/** A class that came out of import() or require() is a variable here. */
function loadedClass(node: ts.Identifier, context: Context): CatalogSymbol | undefined {
  if (!/^[A-Z]/.test(node.text)) return undefined;
  const type = context.flow.typeOf(node)?.type;
  const isClass =
    type !== undefined &&
    context.checker.getSignaturesOfType(type, ts.SignatureKind.Construct).length > 0;
  return isClass ? context.catalogType(type) : undefined;
}

function isValueReference(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return false;
  if (ts.isElementAccessExpression(parent)) return parent.expression !== node;
  if (ts.isNewExpression(parent) && parent.expression === node) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isExpressionWithTypeArguments(parent)) {
    return (
      ts.isHeritageClause(parent.parent) && parent.parent.token === ts.SyntaxKind.ExtendsKeyword
    );
  }
  return isExpressionPosition(node, parent);
}

function isExpressionPosition(node: ts.Identifier, parent: ts.Node): boolean {
  return (
    (ts.isBinaryExpression(parent) && (parent.left === node || parent.right === node)) ||
    (ts.isCallExpression(parent) && parent.arguments.some((argument) => argument === node)) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    (ts.isVariableDeclaration(parent) && parent.initializer === node) ||
    (ts.isArrayLiteralExpression(parent) && parent.elements.some((element) => element === node)) ||
    (ts.isReturnStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    (ts.isAsExpression(parent) && parent.expression === node) ||
    (ts.isArrowFunction(parent) && parent.body === node) ||
    (ts.isParenthesizedExpression(parent) && parent.expression === node) ||
    (ts.isExportAssignment(parent) && parent.expression === node)
  );
}

/** Python names are the usual reason for a method that TypeScript never had. */
function pythonHint(owner: string, name: string, context: Context): string {
  const typescript = context.typescriptName(owner, name);
  return typescript === undefined ? '' : ` That is the Python name of ${typescript}.`;
}
