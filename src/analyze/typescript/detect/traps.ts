import { compareVersions } from '../../../catalog/targets.ts';
import { ts } from '../compiler.ts';
import { stripCasts } from '../syntax.ts';
import { type Context, propertyText } from './context.ts';

/**
 * Parameters that take seconds, by symbol and position. Source: SDK declarations 0.12 to 0.218;
 * only `requestTimeoutMs` takes milliseconds.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'Process.executeCommand': 3,
  'Process.codeRun': 2,
  'Process.executeSessionCommand': 2,
  'FileSystem.uploadFile': 2,
  'FileSystem.uploadFiles': 1,
  'FileSystem.downloadFiles': 1,
  'Sandbox.start': 0,
  'Sandbox.stop': 0,
  'Sandbox.delete': 0,
  'Sandbox.waitUntilStarted': 0,
  'Sandbox.waitUntilStopped': 0,
};

/** An hour and a half in seconds; larger literals ending in three zeros are milliseconds. */
const SUSPICIOUS_SECONDS = 5_000;
/** Intervals are minutes; a day has 1440 and the documented maximum is 30 days. */
const SUSPICIOUS_MINUTES = 43_200;

const MINUTE_OPTIONS = new Set([
  'autoStopInterval',
  'autoPauseInterval',
  'autoArchiveInterval',
  'autoDeleteInterval',
  'ttlMinutes',
]);

/** Code that runs without an error and does something else than it says. */
export function detectTraps(node: ts.Node, context: Context): void {
  if (ts.isCallExpression(node)) call(node, context);
  else if (ts.isObjectLiteralExpression(node)) literal(node, context);
}

function call(node: ts.CallExpression, context: Context): void {
  if (!ts.isPropertyAccessExpression(node.expression)) return;
  const use = context.member(node.expression);
  if (use?.kind !== 'known') return;
  const confidence = use.sure ? 'certain' : 'likely';
  const id = use.symbol.id;
  wrongShape(node, context, confidence);
  if (id === 'Process.executeCommand' && isNumeric(node.arguments[2], context)) {
    context.report(node.arguments[2] as ts.Node, 'DT011', { confidence, fix: 'review' });
  }
  if (id === 'FileSystem.uploadFile') uploadOrder(node, context, confidence);
  const position = SECONDS[id];
  if (position !== undefined) seconds(node.arguments[position], context);
}

/** `executeCommand({ command })`: an object where every release takes a string. */
function wrongShape(
  node: ts.CallExpression,
  context: Context,
  confidence: 'certain' | 'likely',
): void {
  const signature = context.sdkSignature(node);
  node.arguments.forEach((argument, index) => {
    const parameter = signature?.parameters[index];
    if (parameter === undefined || !ts.isObjectLiteralExpression(stripCasts(argument))) return;
    const type = context.checker.getTypeOfSymbol(parameter);
    if ((type.flags & (ts.TypeFlags.String | ts.TypeFlags.Number)) === 0) return;
    context.report(argument, 'DT010', {
      confidence,
      fix: 'manual',
      message: `No SDK release takes an object as ${parameter.name}; it takes a ${context.checker.typeToString(type)}.`,
    });
  });
}

function uploadOrder(
  node: ts.CallExpression,
  context: Context,
  confidence: 'certain' | 'likely',
): void {
  const [first, second] = node.arguments;
  if (first !== undefined && ts.isObjectLiteralExpression(first)) {
    context.report(first, 'DT010', {
      confidence,
      fix: 'manual',
      message: 'No SDK release takes an object as the source of uploadFile.',
    });
  }
  if (first === undefined || second === undefined) return;
  const oldSdk = context.sdkVersion !== null && compareVersions(context.sdkVersion, '0.18.0') < 0;
  if (oldSdk || isContent(second, context)) {
    context.report(second, 'DT012', {
      confidence: isContent(second, context) ? confidence : 'likely',
      fix: 'review',
    });
  }
}

/** True for an expression that is data, not a path: a Buffer, a File, a Blob, bytes. */
function isContent(node: ts.Expression, context: Context): boolean {
  const inner = stripCasts(node);
  if (ts.isNewExpression(inner)) {
    return /^(?:File|Blob|Uint8Array)$/.test(inner.expression.getText(context.source));
  }
  if (ts.isCallExpression(inner)) return /^Buffer\./.test(inner.expression.getText(context.source));
  const type = context.flow.typeOf(inner)?.type;
  return /^(?:Buffer|Uint8Array|File|Blob)\b/.test(type?.symbol?.name ?? '');
}

function seconds(argument: ts.Expression | undefined, context: Context): void {
  if (argument === undefined) return;
  const value = constantNumber(argument, context);
  const isLarge = value !== undefined && value >= SUSPICIOUS_SECONDS && value % 1000 === 0;
  if (isLarge || namesMilliseconds(argument)) milliseconds(argument, context);
}

function literal(node: ts.ObjectLiteralExpression, context: Context): void {
  const type = context.checker.getContextualType(node);
  if (type === undefined) return;
  const owner = (type.isUnion() ? type.types : [type]).map((part) => context.catalogType(part));
  const isCreate = owner.some((symbol) => symbol !== undefined && /^CreateSandbox/.test(symbol.id));
  const isCreateOptions = owner.some((symbol) => symbol?.id === 'CreateOptions');
  if (!isCreate && !isCreateOptions) return;
  const keys = new Map<string, ts.ObjectLiteralElementLike>();
  for (const property of node.properties) {
    const name = property.name && propertyText(property.name as ts.PropertyName);
    if (name !== undefined) keys.set(name, property);
  }
  if (isCreateOptions) {
    const timeout = keys.get('timeout');
    if (timeout && ts.isPropertyAssignment(timeout)) seconds(timeout.initializer, context);
    return;
  }
  imageAndSnapshot(keys, context);
  for (const [name, property] of keys) {
    if (!MINUTE_OPTIONS.has(name) || !ts.isPropertyAssignment(property)) continue;
    const value = constantNumber(property.initializer, context);
    if (value !== undefined && value > SUSPICIOUS_MINUTES)
      milliseconds(property.initializer, context);
    else if (namesMilliseconds(property.initializer)) milliseconds(property.initializer, context);
  }
}

function imageAndSnapshot(
  keys: ReadonlyMap<string, ts.ObjectLiteralElementLike>,
  context: Context,
): void {
  const image = keys.get('image');
  if (image === undefined) return;
  const snapshot = keys.get('snapshot');
  if (snapshot !== undefined) {
    context.report(snapshot.name ?? snapshot, 'DT014', {
      fix: 'manual',
      message: 'Both image and snapshot are given; only one can be what the sandbox starts from.',
    });
  } else if (context.sdkVersion !== null && compareVersions(context.sdkVersion, '0.21.0') < 0) {
    context.report(image.name ?? image, 'DT014', {
      confidence: 'likely',
      fix: 'review',
      message: `SDK ${context.sdkVersion} reads image as the name of a snapshot.`,
    });
  }
}

function milliseconds(node: ts.Node, context: Context): void {
  context.report(node, 'DT013', { confidence: 'likely', fix: 'review' });
}

function namesMilliseconds(node: ts.Expression): boolean {
  const inner = stripCasts(node);
  const name = ts.isIdentifier(inner)
    ? inner.text
    : ts.isPropertyAccessExpression(inner)
      ? inner.name.text
      : '';
  return /(?:Ms|_MS|Millis|Milliseconds|_MILLISECONDS)$/.test(name);
}

function isNumeric(node: ts.Expression | undefined, context: Context): boolean {
  if (node === undefined) return false;
  const type = context.checker.getTypeAtLocation(node);
  return (type.flags & ts.TypeFlags.NumberLike) !== 0;
}

/** The value of a number expression, following constants, products and fall-backs. */
function constantNumber(node: ts.Expression, context: Context, depth = 0): number | undefined {
  const inner = stripCasts(node);
  if (ts.isNumericLiteral(inner)) return Number(inner.text);
  if (depth > 4) return undefined;
  if (ts.isBinaryExpression(inner)) {
    const right = constantNumber(inner.right, context, depth + 1);
    if (
      inner.operatorToken.kind === ts.SyntaxKind.BarBarToken ||
      inner.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken
    ) {
      return right;
    }
    const left = constantNumber(inner.left, context, depth + 1);
    return inner.operatorToken.kind === ts.SyntaxKind.AsteriskToken &&
      left !== undefined &&
      right !== undefined
      ? left * right
      : undefined;
  }
  if (!ts.isIdentifier(inner)) return undefined;
  const symbol = context.checker.getSymbolAtLocation(inner);
  const declaration = symbol?.valueDeclaration;
  return declaration && ts.isVariableDeclaration(declaration) && declaration.initializer
    ? constantNumber(declaration.initializer, context, depth + 1)
    : undefined;
}
