import type { CatalogSymbol } from '../../../catalog/types.ts';
import { ts } from '../compiler.ts';
import type { Context } from './context.ts';

/** Utility types that make a new type out of one of Daytona's. */
const DERIVING = new Set([
  'Awaited',
  'ReturnType',
  'Parameters',
  'ConstructorParameters',
  'InstanceType',
  'Pick',
  'Omit',
  'Partial',
  'Required',
  'Readonly',
  'NonNullable',
  'Extract',
  'Exclude',
]);

/**
 * Daytona types in type positions: plain references, and types derived from them.
 * @returns true when the node was reported whole and its inside must not be reported again.
 */
export function detectTypes(node: ts.Node, context: Context): boolean {
  if (isDeriving(node)) {
    const symbol = firstReference(node, context);
    if (symbol === undefined) return false;
    context.reportSymbol(node, symbol, { rule: 'DT802' });
    return true;
  }
  if (ts.isTypeReferenceNode(node)) reference(node.typeName, context);
  else if (ts.isExpressionWithTypeArguments(node) && isTypeHeritage(node)) {
    reference(node.expression, context);
  }
  return false;
}

function reference(name: ts.Node, context: Context): void {
  const place = ts.isQualifiedName(name) ? name.right : name;
  const symbol = referenced(place, context);
  if (symbol !== undefined) context.reportSymbol(place, symbol, { rule: 'DT801' });
}

function referenced(name: ts.Node, context: Context): CatalogSymbol | undefined {
  const symbol = context.catalogSymbol(context.checker.getSymbolAtLocation(name));
  return symbol?.owner === undefined ? symbol : undefined;
}

/** `implements X` and `interface A extends X`; `class A extends X` is a value. */
function isTypeHeritage(node: ts.ExpressionWithTypeArguments): boolean {
  const clause = node.parent;
  return (
    ts.isHeritageClause(clause) &&
    (clause.token === ts.SyntaxKind.ImplementsKeyword || ts.isInterfaceDeclaration(clause.parent))
  );
}

function isDeriving(node: ts.Node): boolean {
  if (ts.isTypeReferenceNode(node)) {
    return ts.isIdentifier(node.typeName) && DERIVING.has(node.typeName.text);
  }
  return (
    ts.isIndexedAccessTypeNode(node) || ts.isTypeOperatorNode(node) || ts.isTypeQueryNode(node)
  );
}

/** The first Daytona symbol inside a derived type: a type, a member, or the type of a value. */
function firstReference(node: ts.Node, context: Context): CatalogSymbol | undefined {
  if (ts.isTypeReferenceNode(node)) {
    const name = ts.isQualifiedName(node.typeName) ? node.typeName.right : node.typeName;
    const symbol = referenced(name, context);
    if (symbol !== undefined) return symbol;
  }
  if (ts.isImportTypeNode(node) && node.qualifier !== undefined) {
    const name = ts.isIdentifier(node.qualifier) ? node.qualifier : node.qualifier.right;
    const symbol = referenced(name, context);
    if (symbol !== undefined) return symbol;
  }
  if (ts.isTypeQueryNode(node)) return queried(node, context);
  if (ts.isIndexedAccessTypeNode(node)) {
    const member = indexed(node, context);
    if (member !== undefined) return member;
  }
  let found: CatalogSymbol | undefined;
  ts.forEachChild(node, (child) => {
    found ??= ts.isTypeNode(child) ? firstReference(child, context) : undefined;
  });
  return found;
}

/** `Daytona['create']` is the member, `Daytona['snapshot']['get']` that of the member's type. */
function indexed(node: ts.IndexedAccessTypeNode, context: Context): CatalogSymbol | undefined {
  const index = node.indexType;
  if (!ts.isLiteralTypeNode(index) || !ts.isStringLiteral(index.literal)) return undefined;
  const type = context.checker.getTypeFromTypeNode(node.objectType);
  const use = context.memberOf({ type, sure: true }, index.literal.text);
  return use?.kind === 'known' ? use.symbol : undefined;
}

/** `typeof daytona.create`, `typeof client`, `typeof Daytona`. */
function queried(node: ts.TypeQueryNode, context: Context): CatalogSymbol | undefined {
  const name = ts.isQualifiedName(node.exprName) ? node.exprName.right : node.exprName;
  const symbol = context.catalogSymbol(context.checker.getSymbolAtLocation(name));
  if (symbol !== undefined) return symbol;
  return context.catalogType(context.checker.getTypeAtLocation(name));
}
