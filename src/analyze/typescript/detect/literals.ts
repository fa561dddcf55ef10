import { describeEnv, matchText } from '../../text/index.ts';
import { ts } from '../compiler.ts';
import { moduleSpecifier } from '../syntax.ts';
import { type Context, propertyText } from './context.ts';
import { isModuleMock } from './mocks.ts';
import { isJoin, isRestPath, startsWithBase } from './rest.ts';

/** Daytona's environment variables, with the prefixes that bundlers and apps put before them. */
const ENVIRONMENT_NAME = /^(?:[A-Z][A-Z0-9]*_)*DAYTONA_[A-Z0-9_]+$/;

/** Objects that hold environment variables, by the last name before the dot. */
const ENVIRONMENTS = /^(?:env|environ|environment|processEnv|secrets|vars|config|cfg)$/i;

/** What strings and names say: environment variables, hosts, paths, headers, images, embedded code. */
export function detectLiterals(node: ts.Node, context: Context): void {
  if (ts.isPropertyAccessExpression(node)) environmentRead(node, context);
  else if (
    ts.isPropertyAssignment(node) ||
    ts.isPropertySignature(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isBindingElement(node)
  ) {
    environmentKey(node, context);
  } else if (isText(node) && !isSpecifier(node)) {
    text(node, context);
  }
}

function environmentRead(node: ts.PropertyAccessExpression, context: Context): void {
  if (!ENVIRONMENT_NAME.test(node.name.text)) return;
  const holder = node.expression.getText(context.source);
  const last = holder.split('.').pop() ?? '';
  if (!ENVIRONMENTS.test(last)) return;
  variable(node.name, node.name.text, /^(?:process|import\.meta|Bun)\.env$/.test(holder), context);
}

function environmentKey(
  node:
    | ts.PropertyAssignment
    | ts.PropertySignature
    | ts.ShorthandPropertyAssignment
    | ts.BindingElement,
  context: Context,
): void {
  const key = ts.isBindingElement(node) ? (node.propertyName ?? node.name) : node.name;
  const name = propertyText(key as ts.PropertyName);
  if (name === undefined || !ENVIRONMENT_NAME.test(name)) return;
  variable(key, name, false, context);
}

function variable(place: ts.Node, name: string, sure: boolean, context: Context): void {
  const { message, becomes } = describeEnv(name);
  context.report(place, 'DT901', {
    confidence: sure ? 'certain' : 'likely',
    message,
    ...(becomes === undefined ? {} : { becomes }),
  });
}

function text(node: ts.Node, context: Context): void {
  const start = node.getStart(context.source);
  // The raw text keeps offsets exact; escapes do not occur in what is looked for.
  const raw = context.text.slice(start, node.getEnd());
  if (ts.isRegularExpressionLiteral(node)) {
    pattern(node, raw, start, context);
    return;
  }
  const isPath = isRestPath(node, context);
  if (isPath || isJoin(node, context)) {
    const message = isPath
      ? 'Path of a Daytona REST call.'
      : 'Joins the address of the Daytona API and a path.';
    context.report(node, 'DT902', { confidence: 'likely', message });
  }
  const isApi = startsWithBase(node, context);
  for (const match of matchText(raw, 'literal', { daytonaHost: isApi || context.namesHost })) {
    if (isPath && match.rule === 'DT902') continue;
    const sure = isApi && match.rule === 'DT902';
    context.reportText(node, start, sure ? { ...match, confidence: 'likely' } : match);
  }
}

/** A pattern escapes its dots and lists alternatives, so the whole of it is the place. */
function pattern(node: ts.Node, raw: string, start: number, context: Context): void {
  const [match] = matchText(raw.replace(/\\(?=[./-])/g, ''), 'literal');
  if (match !== undefined) {
    context.reportText(node, start, { ...match, start: 0, end: raw.length });
  } else if (/daytona\\?\./i.test(raw)) {
    context.report(node, 'DT904', {
      confidence: 'likely',
      message: 'Recognises Daytona by its host names.',
    });
  }
}

function isEnvironmentName(node: ts.Node): boolean {
  return ts.isStringLiteral(node) && ENVIRONMENT_NAME.test(node.text);
}

function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateExpression(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node)
  );
}

/** Module names and property names are told elsewhere. */
function isSpecifier(node: ts.Node): boolean {
  const parent = node.parent;
  return (
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isExternalModuleReference(parent) ||
    ts.isModuleDeclaration(parent) ||
    (ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent)) ||
    (ts.isPropertyAssignment(parent) && parent.name === node && isEnvironmentName(node)) ||
    (ts.isCallExpression(parent) && moduleSpecifier(parent) === node) ||
    (ts.isCallExpression(parent) && isModuleMock(parent) && parent.arguments[0] === node)
  );
}
