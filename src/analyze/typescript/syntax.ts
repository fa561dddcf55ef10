import { distinctiveMembers } from '../../catalog/index.ts';
import { ts } from './compiler.ts';

const carriersOf = new WeakMap<ts.SourceFile, readonly ts.Node[]>();

/** The nodes of a file that carry values from one place to another, in order. */
export function carriers(file: ts.SourceFile): readonly ts.Node[] {
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
export function hasShapes(file: ts.SourceFile): boolean {
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

/** The expression below parentheses, casts and assertions. */
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

export function isAssignment(node: ts.Node): node is ts.BinaryExpression {
  return (
    ts.isBinaryExpression(node) &&
    (node.operatorToken.kind === ts.SyntaxKind.EqualsToken ||
      node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionEqualsToken ||
      node.operatorToken.kind === ts.SyntaxKind.BarBarEqualsToken)
  );
}

/** `x` in `x.method()`. */
export function calleeBase(node: ts.CallExpression): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(node.expression) ? node.expression.expression : undefined;
}

/** The node whose symbol an expression stands for: the name of a member access. */
export function nameOf(node: ts.Expression): ts.Node {
  const inner = stripCasts(node);
  return ts.isPropertyAccessExpression(inner) ? inner.name : inner;
}

/** The symbol a declaration introduces; the field is internal but every binder sets it. */
export function symbolOf(declaration: ts.Declaration): ts.Symbol | undefined {
  return (declaration as { symbol?: ts.Symbol }).symbol;
}
