import { ts } from '../compiler.ts';
import { type Context, memberName } from './context.ts';

/** String methods that take a URL apart. */
const TAKES_APART = new Set(['replace', 'replaceAll', 'split', 'match', 'slice', 'substring']);
/** Parts of a parsed URL that have Daytona's host in them. */
const HOST_PARTS = new Set(['hostname', 'host', 'origin']);

/**
 * Preview URLs taken apart by hand: the port or the sandbox id is read from, or written into, a host
 * that has another shape on other backends.
 */
export function detectPreviews(node: ts.Node, context: Context): void {
  if (!ts.isPropertyAccessExpression(node)) return;
  const name = memberName(node) ?? '';
  const subject = node.expression;
  const isPart = TAKES_APART.has(name) && ts.isCallExpression(node.parent);
  if (isPart && isPreviewUrl(subject, context)) report(node, context);
  else if (HOST_PARTS.has(name) && ts.isNewExpression(subject)) {
    const [url] = subject.arguments ?? [];
    if (url !== undefined && isPreviewUrl(url, context)) report(node, context);
  }
}

function isPreviewUrl(node: ts.Expression, context: Context): boolean {
  if (!ts.isPropertyAccessExpression(node)) return false;
  const use = context.member(node);
  return use?.kind === 'known' && /PreviewUrl\.url$/.test(use.symbol.id);
}

function report(node: ts.PropertyAccessExpression, context: Context): void {
  context.report(node.name, 'DT904', {
    confidence: 'likely',
    message: 'Takes the host of a preview URL apart; other backends have <port>-<id>.<domain>.',
  });
}
