import { ts } from '../compiler.ts';
import { type Context, memberName } from './context.ts';

/** String tests that read an error's words. */
const TEXT_TESTS = new Set(['includes', 'startsWith', 'endsWith', 'indexOf', 'match', 'search']);
/**
 * Words that Daytona's API, its SDK and its sandboxes are known to fail with. Source: the texts that
 * real code bases match on. Other words may come from the user's own code.
 */
const DAYTONA_WORDS =
  /not.?found|404|does not exist|no such|timed? ?out|timeout|quota|maximum allowed|limit|already exists|runner|sandbox is|started|stopped|no ip address|state change|unauthorized|forbidden|40[0139]|409|conflict|gone|429|rate|too many|50[0234]|unavailable|enoent|eacces|eisdir|permission|econn|network/i;

/** Fields that carry an HTTP status or a vendor's code. */
const STATUS_FIELDS = new Set(['status', 'statusCode', 'errorCode', 'code']);

/**
 * Decisions taken on the words or the status of an error that came from a Daytona call. Types do
 * not reach into `catch`, so what the guarded code calls is what tells.
 */
export function detectErrors(node: ts.Node, context: Context): void {
  if (ts.isTryStatement(node) && node.catchClause?.variableDeclaration !== undefined) {
    if (callsSdk(node.tryBlock, context)) {
      handler(node.catchClause.variableDeclaration.name, node.catchClause.block, context);
    }
  } else if (ts.isCallExpression(node)) {
    rejection(node, context);
  }
}

/** `daytona.get(id).catch((error) => …)` */
function rejection(node: ts.CallExpression, context: Context): void {
  if (!ts.isPropertyAccessExpression(node.expression)) return;
  const name = node.expression.name.text;
  const callback =
    name === 'catch' ? node.arguments[0] : name === 'then' ? node.arguments[1] : undefined;
  if (callback === undefined || !isFunction(callback)) return;
  const parameter = callback.parameters[0];
  if (parameter !== undefined && callsSdk(node.expression.expression, context)) {
    handler(parameter.name, callback.body, context);
  }
}

/** Looks for tests on an error, and follows it one call into the user's own helpers. */
function handler(name: ts.BindingName, body: ts.Node, context: Context, depth = 0): void {
  if (!ts.isIdentifier(name)) return;
  const names = new Set([name.text]);
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      // const message = error instanceof Error ? error.message : String(error)
      if (mentionsAny(node.initializer, names)) names.add(node.name.text);
    }
    if (ts.isCallExpression(node)) {
      textTest(node, names, context);
      if (depth === 0) helper(node, names, context);
    } else if (ts.isBinaryExpression(node)) {
      comparison(node, names, context);
    } else if (ts.isSwitchStatement(node) && isStatusRead(node.expression, names)) {
      report(node.expression, 'DT805', context);
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
}

function textTest(node: ts.CallExpression, names: ReadonlySet<string>, context: Context): void {
  if (!ts.isPropertyAccessExpression(node.expression)) return;
  const { name, expression } = node.expression;
  const isTest = TEXT_TESTS.has(name.text) && mentionsAny(expression, names);
  const isRegExp =
    name.text === 'test' &&
    node.arguments[0] !== undefined &&
    mentionsAny(node.arguments[0], names);
  if (isTest || isRegExp) report(node, 'DT804', context);
}

/** How likely it is that the words tested for are the backend's. */
function wordsOf(node: ts.Node): 'likely' | 'possible' {
  return DAYTONA_WORDS.test(node.getText()) ? 'likely' : 'possible';
}

function comparison(node: ts.BinaryExpression, names: ReadonlySet<string>, context: Context): void {
  if (!isEquality(node.operatorToken.kind)) return;
  for (const [side, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    if (isStatusRead(side, names) && isConstant(other) && !isTyped(side, context)) {
      report(node, 'DT805', context);
      return;
    }
    if (isMessageRead(side, names) && ts.isStringLiteralLike(other)) {
      report(node, 'DT804', context);
      return;
    }
  }
}

function isEquality(kind: ts.SyntaxKind): boolean {
  return (
    kind === ts.SyntaxKind.EqualsEqualsEqualsToken ||
    kind === ts.SyntaxKind.EqualsEqualsToken ||
    kind === ts.SyntaxKind.ExclamationEqualsEqualsToken ||
    kind === ts.SyntaxKind.ExclamationEqualsToken ||
    kind === ts.SyntaxKind.GreaterThanEqualsToken ||
    kind === ts.SyntaxKind.LessThanToken
  );
}

/** `isNotFound(error)`: the test is in the helper. */
function helper(node: ts.CallExpression, names: ReadonlySet<string>, context: Context): void {
  const index = node.arguments.findIndex(
    (argument) => ts.isIdentifier(argument) && names.has(argument.text),
  );
  if (index < 0) return;
  const declaration = context.checker.getResolvedSignature(node)?.declaration;
  if (declaration === undefined || ts.isJSDocSignature(declaration)) return;
  const file = declaration.getSourceFile();
  if (file === context.source) follow({ declaration, index }, context);
  else if (!file.isDeclarationFile) context.errorHelpers.push({ declaration, index });
}

/** A user's function that is given a Daytona error, and as which argument. */
export interface ErrorHelper {
  declaration: ts.SignatureDeclaration;
  index: number;
}

/** Looks into the helpers that the handlers of other files call. */
export function detectErrorHelpers(contexts: readonly Context[]): void {
  const byFile = new Map(contexts.map((context) => [context.source, context]));
  for (const helper of contexts.flatMap((context) => context.errorHelpers)) {
    const context = byFile.get(helper.declaration.getSourceFile());
    if (context !== undefined) follow(helper, context);
  }
}

function follow({ declaration, index }: ErrorHelper, context: Context): void {
  const parameter = declaration.parameters[index];
  const body = 'body' in declaration ? declaration.body : undefined;
  if (parameter !== undefined && body !== undefined) handler(parameter.name, body, context, 1);
}

function report(node: ts.Node, rule: 'DT804' | 'DT805', context: Context): void {
  const start = node.getStart(context.source);
  // A helper used by several handlers is one place.
  if (context.detections.some((d) => d.rule === rule && d.start === start)) return;
  context.report(node, rule, { confidence: rule === 'DT804' ? wordsOf(node) : 'likely' });
}

function isStatusRead(node: ts.Expression, names: ReadonlySet<string>): boolean {
  return (
    ts.isPropertyAccessExpression(node) &&
    STATUS_FIELDS.has(memberName(node) ?? '') &&
    mentionsAny(node.expression, names)
  );
}

/** A field of a narrowed Daytona error is told as a member. */
function isTyped(node: ts.Expression, context: Context): boolean {
  return ts.isPropertyAccessExpression(node) && context.member(node) !== undefined;
}

function isMessageRead(node: ts.Expression, names: ReadonlySet<string>): boolean {
  return (
    ts.isPropertyAccessExpression(node) &&
    node.name.text === 'message' &&
    mentionsAny(node.expression, names)
  );
}

function isConstant(node: ts.Expression): boolean {
  return ts.isNumericLiteral(node) || ts.isStringLiteralLike(node);
}

function isFunction(node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}

function mentionsAny(node: ts.Node, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(node)) return names.has(node.text) && !isPropertyName(node);
  let found = false;
  ts.forEachChild(node, (child) => {
    found ||= mentionsAny(child, names);
  });
  return found;
}

function isPropertyName(node: ts.Identifier): boolean {
  return ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
}

/** True when the code calls the SDK itself, outside of functions it only defines. */
function callsSdk(node: ts.Node, context: Context): boolean {
  let found = false;
  const visit = (child: ts.Node): void => {
    if (found) return;
    if (ts.isCallExpression(child) && context.sdkSignature(child) !== undefined) {
      found = true;
      return;
    }
    ts.forEachChild(child, visit);
  };
  visit(node);
  return found;
}
