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
  if (ts.isIdentifier(inner)) {
    const declaration = context.checker.getSymbolAtLocation(inner)?.valueDeclaration;
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

/** Functions that put a parameter behind the address of Daytona's API. */
export function findRestHelpers(contexts: readonly Context[]): RestHelper[] {
  const helpers: RestHelper[] = [];
  for (const context of contexts) {
    if (!DAYTONA_BASE.test(context.text)) continue;
    const visit = (node: ts.Node): void => {
      const path = startsWithBase(node, context) ? node.templateSpans[1]?.expression : undefined;
      const helper = path && helperOf(path, context);
      if (helper !== undefined) helpers.push(helper);
      ts.forEachChild(node, visit);
    };
    visit(context.source);
  }
  return helpers;
}

function helperOf(path: ts.Expression, context: Context): RestHelper | undefined {
  if (!ts.isIdentifier(path)) return undefined;
  const parameter = context.checker.getSymbolAtLocation(path)?.valueDeclaration;
  if (parameter === undefined || !ts.isParameter(parameter)) return undefined;
  const declaration = parameter.parent;
  return { declaration, index: declaration.parameters.indexOf(parameter) };
}

/** `daytonaCall('/sandbox', 'GET')`: the path is here, the address elsewhere. */
export function detectRest(node: ts.Node, context: Context): void {
  if (ts.isTemplateExpression(node)) {
    if (isJoin(node, context)) {
      context.report(node, 'DT902', {
        confidence: 'likely',
        message: 'Joins the address of the Daytona API and a path.',
      });
    }
    return;
  }
  if (!ts.isCallExpression(node) || context.restHelpers.length === 0) return;
  const declaration = context.checker.getResolvedSignature(node)?.declaration;
  const helper = context.restHelpers.find((candidate) => candidate.declaration === declaration);
  const path = helper && node.arguments[helper.index];
  if (path === undefined || !(ts.isStringLiteralLike(path) || ts.isTemplateExpression(path)))
    return;
  context.report(path, 'DT902', {
    confidence: 'likely',
    message: 'Path of a Daytona REST call.',
  });
}

/** `${base}${path}`: no path to match on, so the place itself is the coupling. */
function isJoin(node: ts.TemplateExpression, context: Context): boolean {
  const [base, ...rest] = node.templateSpans;
  return rest.length > 0 && base?.literal.text === '' && startsWithBase(node, context);
}
