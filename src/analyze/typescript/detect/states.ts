import { findSymbol, membersOf } from '../../../catalog/index.ts';
import { ts } from '../compiler.ts';
import { type Context, memberName } from './context.ts';

/** Daytona state names as strings: compared, or given where a state is expected. */
export function detectStates(node: ts.Node, context: Context): void {
  if (!ts.isStringLiteral(node) || !stateNames().has(node.text)) return;
  const other = comparedWith(node);
  if (other !== undefined) {
    // `sandbox.state === 'started'` is told once, at the property.
    if (isStateRead(other)) return;
    const typed = context.flow.typeOf(other);
    if (typed !== undefined && isState(typed.type, context)) {
      report(node, `Compares with the Daytona state "${node.text}".`, typed.sure, context);
    }
    return;
  }
  const expected = context.checker.getContextualType(node);
  if (expected !== undefined && isState(expected, context)) {
    report(node, `Gives the Daytona state "${node.text}".`, true, context);
  }
}

function report(node: ts.StringLiteral, message: string, sure: boolean, context: Context): void {
  const symbol = findSymbol('SandboxState');
  if (symbol === undefined) return;
  context.reportSymbol(node, symbol, { confidence: sure ? 'certain' : 'likely', message });
}

let names: ReadonlySet<string> | undefined;

/** The states' names on the wire. */
function stateNames(): ReadonlySet<string> {
  names ??= new Set(membersOf('SandboxState').map(([, member]) => member.type.replaceAll("'", '')));
  return names;
}

/** The state enumeration, also after earlier comparisons have narrowed it. */
function isState(type: ts.Type, context: Context): boolean {
  // Which part of a union comes first depends on what was checked before.
  return [type, ...(type.isUnion() ? type.types : [])].some((candidate) => {
    const symbol = context.catalogType(candidate);
    return symbol?.id === 'SandboxState' || symbol?.owner === 'SandboxState';
  });
}

/** What a literal is compared with: the other side of ===, the subject of its switch, or the
 * argument of `['started'].includes(…)`. */
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
  if (!ts.isArrayLiteralExpression(parent)) return undefined;
  const access = parent.parent;
  if (!ts.isPropertyAccessExpression(access) || access.name.text !== 'includes') return undefined;
  return ts.isCallExpression(access.parent) ? access.parent.arguments[0] : undefined;
}

function isStateRead(node: ts.Expression): boolean {
  return (
    (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
    memberName(node) === 'state' &&
    !ts.isCaseClause(node.parent) &&
    !ts.isSwitchStatement(node.parent)
  );
}
