import { distinctiveMembers } from '../../catalog/index.ts';
import { ts } from './compiler.ts';
import { Flow, isUnknown } from './flow.ts';
import type { Project } from './program.ts';
import { fileOf } from './source.ts';
import {
  forEachUnloaded,
  modulesBehind,
  rootIdentifier,
  unloadedImports,
  usesUnloaded,
} from './unloaded.ts';

/** Import chains longer than this were not seen; the limit bounds work, not correctness of what is found. */
const MAX_ROUNDS = 12;

/** Which files import a given file, answered from specifiers alone, before anything is parsed. */
export interface Importers {
  of(file: string): readonly string[];
  /** Raw text of a file that may not be parsed yet. */
  read(file: string): string | undefined;
}

/**
 * Grows the project until no further file can hold a coupling: importers of every export whose type
 * mentions Daytona, and modules that a Daytona value is handed to. Types lead the way first; what
 * flows is collected when they lead no further, since that looks at every call.
 * @returns the flow analysis of the final program, and the files that export something coupled.
 */
export function close(
  project: Project,
  importers: Importers,
  collect: (flow: Flow) => void,
): { flow: Flow; coupled: ReadonlySet<string> } {
  const spread = new Map<string, ReadonlySet<string>>();
  for (let round = 0; ; round++) {
    closeByType(project, importers, spread);
    const flow = new Flow(project);
    collect(flow);
    const added = round < MAX_ROUNDS ? step(project.files, flow, importers, spread) : [];
    if (added.length === 0) {
      const coupled = [...spread].filter(([, names]) => names.size > 0).map(([file]) => file);
      return { flow, coupled: new Set(coupled) };
    }
  }
}

type Spread = Map<string, ReadonlySet<string>>;

function closeByType(project: Project, importers: Importers, spread: Spread): void {
  let pending = project.files.filter((file) => !spread.has(file));
  for (let round = 0; round < MAX_ROUNDS && pending.length > 0; round++) {
    pending = step(pending, new Flow(project), importers, spread);
  }
}

/**
 * Looks at files once: loads what they need, and who imports their coupled exports.
 * @returns the files to look at next: those loaded, and those whose types they complete.
 */
function step(
  files: readonly string[],
  flow: Flow,
  importers: Importers,
  spread: Spread,
): string[] {
  const { project } = flow;
  const next = new Set<string>();
  for (const file of files) {
    const source = project.parse(file);
    if (source === undefined) continue;
    for (const wanted of project.guard(file, () => demands(source, flow)) ?? []) {
      if (project.load(wanted)) next.add(wanted).add(file);
    }
    const names = project.guard(file, () => coupledExports(source, flow)) ?? new Set<string>();
    const before = spread.get(file)?.size ?? 0;
    spread.set(file, names);
    if (names.size > before) {
      for (const importer of loadImporters(file, names, project, importers)) next.add(importer);
    }
  }
  return [...next];
}

/** Names of the exports of a module whose types mention Daytona. */
function coupledExports(source: ts.SourceFile, flow: Flow): Set<string> {
  const { checker, mentions } = flow;
  const names = new Set<string>();
  const module = checker.getSymbolAtLocation(source);
  if (module === undefined) return names;
  for (const symbol of checker.getExportsOfModule(module)) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (isCoupled(target, flow)) names.add(symbol.name);
  }
  // `module.exports = x` and `export =` have one nameless export.
  const assigned = module.exports?.get(ts.InternalSymbolName.ExportEquals);
  if (assigned && mentions.inType(checker.getTypeOfSymbol(assigned))) names.add('default');
  return names;
}

function isCoupled(symbol: ts.Symbol, flow: Flow): boolean {
  const { checker, mentions } = flow;
  if (symbol.declarations?.some((d) => flow.project.isStub(d.getSourceFile()))) return true;
  const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0;
  if (isType && mentions.inType(checker.getDeclaredTypeOfSymbol(symbol))) return true;
  if ((symbol.flags & ts.SymbolFlags.Value) === 0) return false;
  const type = checker.getTypeOfSymbol(symbol);
  if (!isUnknown(type)) return mentions.inType(type);
  const declaration = symbol.valueDeclaration;
  const flowed = declaration && flow.typeOf(nameOfDeclaration(declaration));
  return flowed !== undefined && mentions.inType(flowed.type);
}

function nameOfDeclaration(declaration: ts.Declaration): ts.Node {
  return ts.getNameOfDeclaration(declaration) ?? declaration;
}

function loadImporters(
  file: string,
  names: ReadonlySet<string>,
  project: Project,
  importers: Importers,
): string[] {
  const added: string[] = [];
  const byName = !names.has('default');
  for (const importer of importers.of(file)) {
    if (project.has(importer)) continue;
    if (byName) {
      const text = importers.read(importer);
      // A named import spells the name; `export *` hands all of them on.
      if (text === undefined || !spells(text, names)) continue;
    }
    const source = project.parse(importer);
    if (source !== undefined && importsAny(source, file, names, project)) {
      if (project.load(importer)) added.push(importer);
    } else {
      project.forget(importer);
    }
  }
  return added;
}

function spells(text: string, names: ReadonlySet<string>): boolean {
  for (const name of names) if (text.includes(name)) return true;
  return /export\s*\*/.test(text);
}

/** True when the module takes one of these names, or everything, from the file. */
function importsAny(
  source: ts.SourceFile,
  file: string,
  names: ReadonlySet<string>,
  project: Project,
): boolean {
  const leadsThere = (specifier: ts.Expression | undefined): boolean =>
    specifier !== undefined &&
    ts.isStringLiteralLike(specifier) &&
    project.resolve(specifier.text, fileOf(source)) === file;
  let found = false;
  const visit = (node: ts.Node): void => {
    if (found) return;
    if (ts.isImportDeclaration(node)) {
      found = leadsThere(node.moduleSpecifier) && takes(node.importClause, names);
    } else if (ts.isExportDeclaration(node)) {
      const clause = node.exportClause;
      found =
        leadsThere(node.moduleSpecifier) &&
        (clause === undefined ||
          !ts.isNamedExports(clause) ||
          clause.elements.some((e) => names.has((e.propertyName ?? e.name).text)));
    } else if (ts.isImportEqualsDeclaration(node)) {
      found =
        ts.isExternalModuleReference(node.moduleReference) &&
        leadsThere(node.moduleReference.expression);
    } else if (ts.isImportTypeNode(node)) {
      found = ts.isLiteralTypeNode(node.argument) && leadsThere(node.argument.literal);
    } else if (ts.isCallExpression(node)) {
      // import(), require() and the module mocks of test runners.
      found = leadsThere(node.arguments[0]);
    }
    if (!found) ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
}

function takes(clause: ts.ImportClause | undefined, names: ReadonlySet<string>): boolean {
  if (clause === undefined) return false;
  if (clause.name !== undefined && names.has('default')) return true;
  const bindings = clause.namedBindings;
  if (bindings === undefined) return false;
  return (
    ts.isNamespaceImport(bindings) ||
    bindings.elements.some((element) => names.has((element.propertyName ?? element.name).text))
  );
}

/**
 * Local modules this file needs before its own types are right: generic wrappers and helpers that
 * a Daytona value or callback is passed to, base classes, generic types over Daytona's, and
 * constants used as SDK arguments.
 */
function demands(source: ts.SourceFile, flow: Flow): Set<string> {
  const { checker, mentions, project } = flow;
  const wanted = new Set<string>();
  const unloaded = unloadedImports(source, project);
  if (unloaded.size === 0) return wanted;

  const want = (node: ts.Node): void => {
    const root = rootIdentifier(node);
    const imported = root && unloaded.get(root.text);
    if (imported === undefined) return;
    for (const file of modulesBehind(imported, project)) wanted.add(file);
  };
  const mentioned = (node: ts.Node): boolean => {
    const typed = flow.typeOf(node);
    return typed !== undefined && mentions.inType(typed.type);
  };

  const overDaytona = (types: readonly ts.TypeNode[] | undefined): boolean =>
    types?.some((type) => mentions.inType(checker.getTypeFromTypeNode(type))) ?? false;

  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const root = rootIdentifier(node.expression);
      if (root !== undefined && unloaded.has(root.text)) {
        if (overDaytona(node.typeArguments) || node.arguments?.some(mentioned)) {
          want(node.expression);
        }
      } else if (
        node.arguments?.some((argument) => usesUnloaded(argument, unloaded)) &&
        isSdkCall(node, flow)
      ) {
        for (const argument of node.arguments) forEachUnloaded(argument, unloaded, want);
      }
    } else if (ts.isPropertyAccessExpression(node) && distinctiveMembers().has(node.name.text)) {
      origin(node.expression, flow, (from) => forEachUnloaded(from, unloaded, want));
    } else if (ts.isCatchClause(node)) {
      handedError(node, flow, want);
    } else if (ts.isExpressionWithTypeArguments(node)) {
      if (overDaytona(node.typeArguments)) want(node.expression);
    } else if (ts.isTypeReferenceNode(node)) {
      if (overDaytona(node.typeArguments)) want(node.typeName);
    } else if (
      ts.isJsxAttribute(node) &&
      node.initializer &&
      ts.isJsxExpression(node.initializer)
    ) {
      const value = node.initializer.expression;
      if (value !== undefined && mentioned(value)) want(node.parent.parent.tagName);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return wanted;
}

/** Functions that a caught error is passed to may decide on its words. */
function handedError(clause: ts.CatchClause, flow: Flow, want: (callee: ts.Node) => void): void {
  const name = clause.variableDeclaration?.name;
  if (name === undefined || !ts.isIdentifier(name)) return;
  if (!callsSdk(clause.parent.tryBlock, flow)) return;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const isHanded = node.arguments.some((a) => ts.isIdentifier(a) && a.text === name.text);
      if (isHanded) want(node.expression);
    }
    ts.forEachChild(node, visit);
  };
  visit(clause.block);
}

function callsSdk(node: ts.Node, flow: Flow): boolean {
  if (ts.isCallExpression(node) && isSdkCall(node, flow)) return true;
  return ts.forEachChild(node, (child) => callsSdk(child, flow) || undefined) ?? false;
}

/** What the type of an untyped receiver depends on: its own text, and its declaration's. */
function origin(node: ts.Expression, flow: Flow, visit: (from: ts.Node) => void): void {
  if (flow.typeOf(node) !== undefined) return;
  visit(node);
  let root: ts.Node = node;
  while (ts.isPropertyAccessExpression(root)) root = root.expression;
  const declaration = flow.symbolAt(root)?.valueDeclaration;
  if (declaration === undefined) return;
  if (ts.isParameter(declaration) || ts.isVariableDeclaration(declaration)) {
    if (declaration.type) visit(declaration.type);
    if (declaration.initializer) visit(declaration.initializer);
  }
}

function isSdkCall(node: ts.CallExpression | ts.NewExpression, flow: Flow): boolean {
  const callee = flow.typeOf(node.expression);
  const kind = ts.isNewExpression(node) ? ts.SignatureKind.Construct : ts.SignatureKind.Call;
  const declaration = callee && flow.checker.getSignaturesOfType(callee.type, kind)[0]?.declaration;
  return declaration !== undefined && flow.project.isStub(declaration.getSourceFile());
}
