import { ts } from '../compiler.ts';
import { stripCasts } from '../syntax.ts';
import type { Context } from './context.ts';

/** What makes a value the address of Daytona's API: its variables, or the address itself. */
const DAYTONA_BASE =
  /DAYTONA_(?:API|SERVER|BASE)_URL|\b(?:app|api|proxy)\.(?:app\.)?daytona\.(?:io|dev)\b/;

/** A function of the user's that calls the API, and which of its arguments is the path. */
export interface RestHelper {
  declaration: ts.SignatureDeclaration;
  index: number;
}

/**
 * True for a template that starts with the address of Daytona's API, e.g.
 * `${process.env.DAYTONA_API_URL}/sandbox/${id}`: whatever follows is a path of that API.
 */
export function startsWithBase(node: ts.Node, context: Context): node is ts.TemplateExpression {
  return (
    ts.isTemplateExpression(node) &&
    node.head.text === '' &&
    isBase(node.templateSpans[0]?.expression, context)
  );
}

function isBase(node: ts.Expression | undefined, context: Context, depth = 0): boolean {
  if (node === undefined || depth > 4) return false;
  const inner = stripCasts(node);
  if (ts.isPropertyAccessExpression(inner) && inner.expression.kind === ts.SyntaxKind.ThisKeyword) {
    // The address came through a constructor; the class says whose it is.
    const owner = ts.findAncestor(inner, ts.isClassLike)?.name?.text ?? '';
    if (/daytona/i.test(owner) && /url|base|endpoint|host/i.test(inner.name.text)) return true;
  }
  if (ts.isIdentifier(inner)) {
    const declaration = context.checker.getSymbolAtLocation(inner)?.valueDeclaration;
    if (declaration !== undefined && ts.isBindingElement(declaration)) {
      return comesFromConfig(declaration, context);
    }
    const value =
      declaration !== undefined &&
      (ts.isVariableDeclaration(declaration) || ts.isParameter(declaration))
        ? declaration.initializer
        : undefined;
    return isBase(value, context, depth + 1);
  }
  if (ts.isCallExpression(inner)) {
    // apiUrl.replace(/\/$/, ''), or a function of the user's that answers with the address
    const callee = inner.expression;
    if (ts.isPropertyAccessExpression(callee)) return isBase(callee.expression, context, depth + 1);
  }
  return DAYTONA_BASE.test(inner.getText(context.source));
}

/** `const { baseUrl } = getConfig()`, where the function reads Daytona's address. */
function comesFromConfig(element: ts.BindingElement, context: Context): boolean {
  const holder = element.parent.parent;
  const call = ts.isVariableDeclaration(holder) ? holder.initializer : undefined;
  if (call === undefined || !ts.isCallExpression(call)) return false;
  const declaration = context.checker.getResolvedSignature(call)?.declaration;
  return declaration !== undefined && DAYTONA_BASE.test(declaration.getText());
}

/** Functions that put a parameter behind the address of Daytona's API. */
export function findRestHelpers(contexts: readonly Context[]): RestHelper[] {
  const helpers: RestHelper[] = [];
  for (const context of contexts) {
    if (!/daytona/i.test(context.text)) continue;
    const visit = (node: ts.Node): void => {
      const path = startsWithBase(node, context) ? node.templateSpans[1]?.expression : undefined;
      const helper = path && helperOf(path, context);
      if (helper !== undefined) helpers.push(helper);
      ts.forEachChild(node, visit);
    };
    visit(context.source);
  }
  for (let i = 0; i < helpers.length; i++) {
    helpers.push(...callersOf(helpers[i] as RestHelper, contexts));
  }
  return helpers;
}

/** Functions of its own file that hand a parameter on to a helper: `get(path)` before `send(path)`. */
function callersOf(helper: RestHelper, contexts: readonly Context[]): RestHelper[] {
  const file = helper.declaration.getSourceFile();
  const context = contexts.find((candidate) => candidate.source === file);
  const found: RestHelper[] = [];
  const visit = (node: ts.Node): void => {
    if (context !== undefined && ts.isCallExpression(node)) {
      const path = node.arguments[helper.index];
      const isCall =
        path !== undefined &&
        ts.isIdentifier(path) &&
        context.checker.getResolvedSignature(node)?.declaration === helper.declaration;
      const caller = isCall ? helperOf(path, context) : undefined;
      if (caller !== undefined && caller.declaration !== helper.declaration) found.push(caller);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function helperOf(path: ts.Expression, context: Context): RestHelper | undefined {
  if (!ts.isIdentifier(path)) return undefined;
  const parameter = context.checker.getSymbolAtLocation(path)?.valueDeclaration;
  if (parameter === undefined || !ts.isParameter(parameter)) return undefined;
  const declaration = parameter.parent;
  return { declaration, index: declaration.parameters.indexOf(parameter) };
}

/** The path in `daytonaCall('/sandbox', 'GET')`, whose address is in the helper. */
export function isRestPath(node: ts.Node, context: Context): boolean {
  const call = node.parent;
  if (context.restHelpers.length === 0 || !ts.isCallExpression(call)) return false;
  const declaration = context.checker.getResolvedSignature(call)?.declaration;
  const helper = context.restHelpers.find((candidate) => candidate.declaration === declaration);
  return helper !== undefined && call.arguments[helper.index] === node;
}

/** `${base}${path}`: no path to match on, so the place itself is the coupling. */
export function isJoin(node: ts.Node, context: Context): boolean {
  if (!ts.isTemplateExpression(node)) return false;
  const [base, ...rest] = node.templateSpans;
  return rest.length > 0 && base?.literal.text === '' && startsWithBase(node, context);
}
