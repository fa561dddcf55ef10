import { ts } from './compiler.ts';
import type { Project } from './program.ts';
import { fileOf } from './source.ts';

/** A name and the listed file it is imported from. */
export interface ImportedName {
  file: string;
  name: string;
}

/** Local names bound to imports whose files are not all part of the program yet. */
export type UnloadedNames = ReadonlyMap<string, ImportedName>;

/** Finds the imports of a module that the program cannot follow yet. */
export function unloadedImports(source: ts.SourceFile, project: Project): UnloadedNames {
  const names = new Map<string, ImportedName>();
  const bind = (
    name: ts.Identifier | undefined,
    file: string,
    imported?: ts.ModuleExportName,
  ): void => {
    if (name === undefined) return;
    const original = imported?.text ?? name.text;
    if (missingModule(file, original, project) !== undefined) {
      names.set(name.text, { file, name: original });
    }
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
  for (const { target, original } of reExports(file, name, project)) {
    const missing = missingModule(target, original, project, visited);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/**
 * The module and all those behind it that re-export on the way to a name, so that a chain of
 * barrels is loaded at once. Exported `*` are followed until one declares the name.
 */
export function modulesBehind({ file, name }: ImportedName, project: Project): string[] {
  const visited = new Set<string>();
  const follow = (module: string, wanted: string): string[] | undefined => {
    if (visited.has(module)) return undefined;
    visited.add(module);
    if (declares(module, wanted, project)) return [module];
    for (const { target, original } of reExports(module, wanted, project)) {
      const rest = follow(target, original);
      if (rest !== undefined) return [module, ...rest];
    }
    return undefined;
  };
  return follow(file, name) ?? [file];
}

function declares(file: string, name: string, project: Project): boolean {
  return (project.parse(file)?.statements ?? []).some((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      const isLocal = statement.moduleSpecifier === undefined;
      return (
        isLocal &&
        clause !== undefined &&
        ts.isNamedExports(clause) &&
        clause.elements.some((element) => element.name.text === name)
      );
    }
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.some((d) => d.name.getText() === name);
    }
    const declared = (statement as { name?: ts.Node }).name;
    return declared !== undefined && ts.isIdentifier(declared) && declared.text === name;
  });
}

/** Where a module may have a name from: the module that is named for it, else every `*`. */
function reExports(
  file: string,
  name: string,
  project: Project,
): { target: string; original: string }[] {
  const found: { target: string; original: string }[] = [];
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
    if (target !== undefined) found.push({ target, original });
  }
  return found;
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

/** `a` in `a.b.c`, of values and of types. */
export function rootIdentifier(node: ts.Node): ts.Identifier | undefined {
  let root = node;
  while (ts.isPropertyAccessExpression(root)) root = root.expression;
  while (ts.isQualifiedName(root)) root = root.left;
  return ts.isIdentifier(root) ? root : undefined;
}

/** True when some name below a node is not known yet. */
export function usesUnloaded(node: ts.Node, unloaded: UnloadedNames): boolean {
  let found = false;
  forEachUnloaded(node, unloaded, () => {
    found = true;
  });
  return found;
}

/** Calls back for every use of an unloaded import below a node. */
export function forEachUnloaded(
  node: ts.Node,
  unloaded: UnloadedNames,
  then: (node: ts.Node) => void,
): void {
  if (ts.isIdentifier(node) && unloaded.has(node.text)) then(node);
  ts.forEachChild(node, (child) => forEachUnloaded(child, unloaded, then));
}
