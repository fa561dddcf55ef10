import { distinctiveMembers, findDistinctive, findSymbol } from '../../../catalog/index.ts';
import type { CatalogSymbol } from '../../../catalog/types.ts';
import { ts } from '../compiler.ts';
import { isUnknown } from '../flow.ts';
import { type Context, isShape, memberName, nameNode, propertyText } from './context.ts';

/** Names of Daytona's sub-objects; a distinctive method below one of them is no accident. */
const NAMESPACES = new Set(['process', 'fs', 'git', 'codeInterpreter', 'computerUse']);

/** Types and calls in Daytona's shape that no type links to Daytona. */
export function detectStructural(node: ts.Node, context: Context): void {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
    if (mirrorsDaytona(node) || mirrorsRecord(node)) {
      context.report(node.name, 'DT807', {
        confidence: 'possible',
        message: `${node.name.text} has the shape of a Daytona object.`,
      });
    }
  } else if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    untypedCall(node, context);
  }
}

/** Creation parameters that nobody else calls so. */
const CREATE_KEYS = new Set([
  'autoStopInterval',
  'autoArchiveInterval',
  'autoDeleteInterval',
  'autoPauseInterval',
  'envVars',
  'snapshot',
  'ephemeral',
  'networkBlockAll',
  'networkAllowList',
]);

/** Three creation parameters, or the two fields of a command result. */
function mirrorsRecord(node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration): boolean {
  const members = ts.isInterfaceDeclaration(node)
    ? node.members
    : ts.isTypeLiteralNode(node.type)
      ? node.type.members
      : [];
  const names = members.map((member) => propertyText(member.name) ?? '');
  if (names.filter((name) => CREATE_KEYS.has(name)).length >= 3) return true;
  return names.includes('exitCode') && names.includes('result');
}

/** A distinctive method under a sub-object's name, or in a type that carries Daytona's own. */
function mirrorsDaytona(node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration): boolean {
  const named = /daytona/i.test(node.name.text);
  let found = false;
  let known = 0;
  const visit = (child: ts.Node, inNamespace: boolean): void => {
    if (found) return;
    if (ts.isPropertySignature(child) || ts.isMethodSignature(child)) {
      const name = propertyText(child.name) ?? '';
      // A type that says Daytona in its name needs less to give itself away.
      if (named && isMethodName(name)) known++;
      if (known >= 2 || (distinctiveMembers().has(name) && (inNamespace || named))) {
        found = true;
        return;
      }
      ts.forEachChild(child, (inner) => visit(inner, inNamespace || NAMESPACES.has(name)));
      return;
    }
    ts.forEachChild(child, (inner) => visit(inner, inNamespace));
  };
  ts.forEachChild(node, (child) =>
    visit(child, /^Sandbox(?:Process|Fs|FileSystem|Git)/.test(node.name.text)),
  );
  return found;
}

/** Methods of the client and of what hangs below a sandbox, e.g. `create` and `uploadFile`. */
const OWNERS = ['Daytona', 'Sandbox', 'Process', 'FileSystem', 'PtyHandle'];

function isMethodName(name: string): boolean {
  return OWNERS.some((owner) => findSymbol(`${owner}.${name}`)?.kind === 'method');
}

function untypedCall(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  context: Context,
): void {
  const name = memberName(node);
  const symbol = name === undefined ? undefined : symbolFor(node, name);
  if (symbol === undefined || context.member(node) !== undefined) return;
  const own = context.checker.getSymbolAtLocation(nameNode(node));
  if (own?.declarations?.length) {
    // The user's own class may have the name; only a bare shape is Daytona seen from afar.
    if (!own.declarations.some(isShape) || !isUnderNamespace(node)) return;
    context.reportSymbol(nameNode(node), symbol, { rule: 'DT808', confidence: 'possible' });
    return;
  }
  if (!isUnknown(context.checker.getTypeAtLocation(node.expression))) return;
  context.reportSymbol(nameNode(node), symbol, {
    rule: 'DT808',
    confidence: isUnderNamespace(node) ? 'likely' : 'possible',
  });
}

/** The symbol a name stands for by itself, or below the sub-object of that name. */
function symbolFor(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  name: string,
): CatalogSymbol | undefined {
  if (distinctiveMembers().has(name)) return findDistinctive(name);
  const base = node.expression;
  const service = ts.isPropertyAccessExpression(base) && base.name.text === 'fs';
  const symbol = service ? findSymbol(`FileSystem.${name}`) : undefined;
  return symbol?.kind === 'method' ? symbol : undefined;
}

/** `x.process.executeCommand`, `x.fs.uploadFile`, or a destructured `process`. */
function isUnderNamespace(node: ts.PropertyAccessExpression | ts.ElementAccessExpression): boolean {
  const base = node.expression;
  if (ts.isIdentifier(base)) return NAMESPACES.has(base.text);
  return ts.isPropertyAccessExpression(base) && NAMESPACES.has(base.name.text);
}
