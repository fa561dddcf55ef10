import { ts } from '../compiler.ts';
import { type Context, memberName } from './context.ts';

/** Daytona state names that are compared as strings, away from the property they came from. */
export function detectStates(node: ts.Node, context: Context): void {
  if (!ts.isStringLiteral(node)) return;
  const other = comparedWith(node);
  if (other === undefined || isStateRead(other)) return;
  const typed = context.flow.typeOf(other);
  if (typed === undefined || !isState(typed.type, context)) return;
  context.report(node, 'DT303', {
    confidence: typed.sure ? 'certain' : 'likely',
    message: `Compares with the Daytona state "${node.text}".`,
  });
}

/** The state enumeration, also after earlier comparisons have narrowed it. */
function isState(type: ts.Type, context: Context): boolean {
  const part = type.isUnion() ? type.types[0] : undefined;
  return [type, part].some((candidate) => {
    const symbol = candidate && context.catalogType(candidate);
    return symbol?.id === 'SandboxState' || symbol?.owner === 'SandboxState';
  });
}

/** What a literal is compared with: the other side of ===, or the subject of its switch. */
function comparedWith(node: ts.StringLiteral): ts.Expression | undefined {
  const parent = node.parent;
  if (ts.isBinaryExpression(parent)) {
    const kind = parent.operatorToken.kind;
    const isComparison =
      kind === ts.SyntaxKind.EqualsEqualsEqualsToken ||
      kind === ts.SyntaxKind.EqualsEqualsToken ||
      kind === ts.SyntaxKind.ExclamationEqualsEqualsToken ||
      kind === ts.SyntaxKind.ExclamationEqualsToken;
    if (!isComparison) return undefined;
    return parent.left === node ? parent.right : parent.left;
  }
  if (ts.isCaseClause(parent)) return parent.parent.parent.expression;
  return undefined;
}

/** `sandbox.state === 'started'` is told once, at the property. */
function isStateRead(node: ts.Expression): boolean {
  return (
    (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
    memberName(node) === 'state' &&
    !ts.isCaseClause(node.parent) &&
    !ts.isSwitchStatement(node.parent)
  );
}
