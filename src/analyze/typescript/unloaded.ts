import { ts } from './compiler.ts';
import type { Project } from './program.ts';
import { fileOf } from './source.ts';

/** Local names bound to imports of listed files that are not part of the program yet. */
export function unloadedImports(source: ts.SourceFile, project: Project): Map<string, string> {
  const names = new Map<string, string>();
  const bind = (
    name: ts.Identifier | undefined,
    file: string,
    imported?: ts.ModuleExportName,
  ): void => {
    if (name === undefined) return;
    const missing = missingModule(file, imported?.text ?? name.text, project);
    if (missing !== undefined) names.set(name.text, missing);
  };
  // The files of type-only imports matter too: a parameter's type may be all that is known of it.
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
      continue;
    const file = project.resolve(statement.moduleSpecifier.text, fileOf(source));
    if (file === undefined) continue;
    const clause = statement.importClause;
    bind(clause?.name, file);
    const bindings = clause?.namedBindings;
    if (bindings === undefined) continue;
    if (ts.isNamespaceImport(bindings)) bind(bindings.name, file);
    else {
      for (const element of bindings.elements) bind(element.name, file, element.propertyName);
    }
  }
  // CommonJS: const { helper } = require('./helper')
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      const file = initializer && requiredFile(initializer, source, project);
      if (file === undefined) continue;
      if (ts.isIdentifier(name)) bind(name, file);
      else if (ts.isObjectBindingPattern(name)) {
        for (const element of name.elements)
          if (ts.isIdentifier(element.name)) bind(element.name, file);
      }
    }
  }
  return names;
}

/** The file that keeps a name from being known: the module itself, or what it re-exports it from. */
function missingModule(
  file: string,
  name: string,
  project: Project,
  visited = new Set<string>(),
): string | undefined {
  if (!project.has(file)) return file;
  if (visited.has(file)) return undefined;
  visited.add(file);
  for (const statement of project.parse(file)?.statements ?? []) {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) continue;
    if (!ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const clause = statement.exportClause;
    const element =
      clause !== undefined && ts.isNamedExports(clause)
        ? clause.elements.find((candidate) => candidate.name.text === name)
        : undefined;
    if (clause !== undefined && element === undefined) continue;
    const target = project.resolve(statement.moduleSpecifier.text, file);
    const original = element?.propertyName?.text ?? name;
    const missing = target && missingModule(target, original, project, visited);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function requiredFile(
  node: ts.Expression,
  source: ts.SourceFile,
  project: Project,
): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined;
  const specifier = node.arguments[0];
  if (node.expression.text !== 'require' || !specifier || !ts.isStringLiteralLike(specifier)) {
    return undefined;
  }
  return project.resolve(specifier.text, fileOf(source));
}

export function rootIdentifier(node: ts.Node): ts.Identifier | undefined {
  let root = node;
  while (ts.isPropertyAccessExpression(root)) root = root.expression;
  while (ts.isQualifiedName(root)) root = root.left;
  return ts.isIdentifier(root) ? root : undefined;
}

export function usesUnloaded(node: ts.Node, unloaded: ReadonlyMap<string, string>): boolean {
  let found = false;
  forEachUnloaded(node, unloaded, () => {
    found = true;
  });
  return found;
}

/** Calls back for every use of an unloaded import below a node. */
export function forEachUnloaded(
  node: ts.Node,
  unloaded: ReadonlyMap<string, string>,
  then: (node: ts.Node) => void,
): void {
  if (ts.isIdentifier(node) && unloaded.has(node.text)) then(node);
  ts.forEachChild(node, (child) => forEachUnloaded(child, unloaded, then));
}
