import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A declaration and what its comment says. */
export interface Documented {
  name: string;
  /** As it is called, without a body; empty for types. */
  signature: string;
  /** What an interface extends. */
  bases: string[];
  text: string;
  throws: string[];
  members: Documented[];
}

/** What a file of the sandbox package exports: classes, interfaces, types and functions. */
export function exportsOf(path: string): Documented[] {
  const file = fileURLToPath(new URL(`../../shims/src/${path}`, import.meta.url));
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return source.statements.flatMap((node) => {
    if (!isExported(node)) return [];
    if (ts.isClassDeclaration(node)) return [documented(node, '', membersOf(node.members))];
    if (ts.isInterfaceDeclaration(node)) return [documented(node, '', membersOf(node.members))];
    if (ts.isTypeAliasDeclaration(node)) return [documented(node, '')];
    return ts.isFunctionDeclaration(node) ? [documented(node, callOf(node))] : [];
  });
}

type Member = ts.ClassElement | ts.TypeElement;
type Named = ts.Declaration & { name?: ts.DeclarationName | undefined };

/** Those that callers see, not those for backends. Of a method with several forms, its body is none. */
function membersOf(members: ts.NodeArray<Member>): Documented[] {
  const forms = new Set(
    members
      .filter((one) => ts.isMethodDeclaration(one) && !one.body && !isAbstract(one))
      .map(nameOf),
  );
  const all = members.flatMap((member) => {
    if (isHidden(member)) return [];
    if (ts.isMethodDeclaration(member) && member.body && forms.has(nameOf(member))) return [];
    if (ts.isMethodDeclaration(member) || ts.isMethodSignature(member)) {
      return [documented(member, callOf(member))];
    }
    const isValue =
      ts.isPropertyDeclaration(member) ||
      ts.isPropertySignature(member) ||
      ts.isGetAccessorDeclaration(member);
    return isValue ? [documented(member, fieldOf(member))] : [];
  });
  return all.filter(({ text }) => !text.startsWith('For backends'));
}

function documented(node: Named, signature: string, members: Documented[] = []): Documented {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return {
    name: nameOf(node),
    signature,
    bases: basesOf(node),
    text: plain(comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join('\n')),
    throws: ts
      .getJSDocTags(node)
      .filter(ts.isJSDocThrowsTag)
      .map(({ comment }) => plain(ts.getTextOfJSDocComment(comment) ?? '')),
    members,
  };
}

function callOf(node: ts.SignatureDeclaration): string {
  const parameters = node.parameters.map((parameter) => {
    const { name, questionToken, initializer, type } = parameter;
    // Options that are taken apart have no name of their own.
    const shown = ts.isIdentifier(name) ? name.text.replace(/^_/, '') : 'options';
    const isOptional = questionToken !== undefined || initializer !== undefined;
    return `${shown}${isOptional ? '?' : ''}: ${squeezed(type, isOptional)}`;
  });
  const generic = node.typeParameters?.map((one) => one.getText()).join(', ');
  const name = `${nameOf(node)}${generic === undefined ? '' : `<${generic}>`}`;
  return `${name}(${parameters.join(', ')}): ${squeezed(node.type)}`;
}

function fieldOf(
  node: ts.PropertyDeclaration | ts.PropertySignature | ts.GetAccessorDeclaration,
): string {
  const isOptional = 'questionToken' in node && node.questionToken !== undefined;
  return `${nameOf(node)}${isOptional ? '?' : ''}: ${squeezed(node.type, isOptional)}`;
}

function squeezed(type: ts.TypeNode | undefined, isOptional = false): string {
  const text = (type?.getText() ?? 'unknown').replaceAll(/\s+/g, ' ');
  // Spelled out for the compiler's sake; for readers that is what the question mark says.
  return isOptional ? text.replace(/^\(?(.*?)\)? \| undefined$/, '$1') : text;
}

function basesOf(node: ts.Node): string[] {
  if (!ts.isInterfaceDeclaration(node)) return [];
  return (node.heritageClauses ?? []).flatMap(({ types }) => types.map((one) => one.getText()));
}

function nameOf(node: Named): string {
  return node.name?.getText() ?? '';
}

function isHidden(member: Member): boolean {
  const hides = modifiersOf(member).some((kind) => HIDING.has(kind));
  return hides || !/^[a-z]/i.test(nameOf(member));
}

const HIDING = new Set([
  ts.SyntaxKind.ProtectedKeyword,
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.OverrideKeyword,
]);

function isAbstract(member: Member): boolean {
  return modifiersOf(member).includes(ts.SyntaxKind.AbstractKeyword);
}

function isExported(node: ts.Statement): boolean {
  return modifiersOf(node).includes(ts.SyntaxKind.ExportKeyword);
}

function modifiersOf(node: ts.Node): ts.SyntaxKind[] {
  return ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []).map(({ kind }) => kind) : [];
}

/** Comments as Markdown: links are names, and lines belong together unless a list begins. */
function plain(text: string): string {
  return text
    .replaceAll(/\{@link\s+([^}]+)\}/g, '`$1`')
    .replaceAll(/\n(?!\n|- |\d\. )(?<!\n\n)/g, ' ')
    .trim();
}
