import { compare } from '../../compare.ts';
import type { Detection } from '../../model/finding.ts';
import { close, type Importers } from './closure.ts';
import { collectFlows } from './collect.ts';
import { ts } from './compiler.ts';
import { Context } from './detect/context.ts';
import { detectErrorHelpers, detectErrors } from './detect/errors.ts';
import { detectImports, detectModuleStubs } from './detect/imports.ts';
import { detectLiterals } from './detect/literals.ts';
import { detectMembers } from './detect/members.ts';
import { detectMocks } from './detect/mocks.ts';
import { detectOptions } from './detect/options.ts';
import { detectPreviews } from './detect/previews.ts';
import { findRestHelpers } from './detect/rest.ts';
import { detectStates } from './detect/states.ts';
import { detectStructural } from './detect/structural.ts';
import { detectTraps } from './detect/traps.ts';
import { detectTypes } from './detect/types.ts';
import type { Flow } from './flow.ts';
import { type Loader, Project } from './program.ts';
import { fileOf, syntaxErrors, textOf } from './source.ts';

export interface TypeScriptInput extends Loader, Importers {
  /** Files whose text names Daytona; the closure adds others. Sorted. */
  files: readonly string[];
  /** SDK release that applies to a file, or null when unknown. */
  sdkVersion(file: string): string | null;
}

export interface FileAnalysis {
  file: string;
  text: string;
  detections: Detection[];
  /** Why the analysis of the file is not complete: its first syntax error, or what broke on it. */
  problem?: { message: string; start: number };
}

/**
 * Loads what every analysis needs, the compiler's slow first steps included. Worth it while another
 * thread is busy anyway.
 */
export function warmUp(): void {
  void new Project({ read: () => undefined, resolve: () => undefined }).checker;
}

type Detect = (node: ts.Node, context: Context) => void;

const K = ts.SyntaxKind;

/** Detectors by the kinds of nodes they look at: most nodes interest none of them. */
const DETECTORS = byKind([
  [
    detectImports,
    K.ImportDeclaration,
    K.ExportDeclaration,
    K.ImportEqualsDeclaration,
    K.ImportType,
    K.CallExpression,
  ],
  [
    detectMembers,
    K.PropertyAccessExpression,
    K.ElementAccessExpression,
    K.BindingElement,
    K.NewExpression,
    K.Identifier,
  ],
  [detectOptions, K.ObjectLiteralExpression],
  [detectErrors, K.TryStatement, K.CallExpression],
  [detectMocks, K.CallExpression, K.PropertyAssignment, K.MethodDeclaration],
  [detectTraps, K.CallExpression, K.ObjectLiteralExpression],
  [detectPreviews, K.PropertyAccessExpression],
  [detectStates, K.StringLiteral],
  [
    detectStructural,
    K.InterfaceDeclaration,
    K.TypeAliasDeclaration,
    K.PropertyAccessExpression,
    K.ElementAccessExpression,
  ],
  [
    detectLiterals,
    K.PropertyAccessExpression,
    K.PropertyAssignment,
    K.PropertySignature,
    K.ShorthandPropertyAssignment,
    K.BindingElement,
    K.StringLiteral,
    K.NoSubstitutionTemplateLiteral,
    K.TemplateExpression,
    K.RegularExpressionLiteral,
    K.JsxText,
  ],
]);

function byKind(
  table: readonly (readonly [Detect, ...ts.SyntaxKind[]])[],
): ReadonlyMap<ts.SyntaxKind, readonly Detect[]> {
  const map = new Map<ts.SyntaxKind, Detect[]>();
  for (const [detect, ...kinds] of table) {
    for (const kind of kinds) map.set(kind, [...(map.get(kind) ?? []), detect]);
  }
  return map;
}

/**
 * Finds every Daytona coupling in TypeScript and JavaScript files, by type, across modules, without
 * `node_modules`. Analyses the given files and all others their coupled exports reach.
 */
export function analyzeTypeScript(input: TypeScriptInput): FileAnalysis[] {
  const project = new Project(input);
  for (const file of input.files) project.load(file);
  let results: FileAnalysis[];
  let failed: number;
  do {
    failed = project.failed.length;
    project.dropFailed();
    results = analyzeProgram(project, input);
    // A file that broke the checker may have spoilt the others: once more, without it.
  } while (project.failed.length > failed);
  for (const file of project.failed) results.push(failure(file, project, input));
  return results.sort((a, b) => compare(a.file, b.file));
}

function analyzeProgram(project: Project, input: TypeScriptInput): FileAnalysis[] {
  const { flow, coupled } = close(project, input, (started) =>
    collectFlows(started, sourcesOf(project)),
  );
  const contexts = sourcesOf(project).map((source) => contextOf(source, flow, coupled, input));
  const helpers = findRestHelpers(contexts);
  for (const context of contexts) context.restHelpers.push(...helpers);
  for (const context of contexts) project.guard(fileOf(context.source), () => detect(context));
  detectErrorHelpers(contexts);
  return contexts.map(resultOf);
}

function failure(file: string, project: Project, input: TypeScriptInput): FileAnalysis {
  const message = project.failureOf(file) ?? '';
  return { file, text: input.read(file) ?? '', detections: [], problem: { message, start: 0 } };
}

function sourcesOf(project: Project): ts.SourceFile[] {
  return project.files.map((file) => project.parse(file)).filter((source) => source !== undefined);
}

function contextOf(
  source: ts.SourceFile,
  flow: Flow,
  coupledFiles: ReadonlySet<string>,
  input: TypeScriptInput,
): Context {
  const sdkVersion = input.sdkVersion(fileOf(source));
  return new Context(source, flow, { text: textOf(source), sdkVersion, coupledFiles });
}

function resultOf({ source, text, detections }: Context): FileAnalysis {
  const error = syntaxErrors(source)[0];
  const problem = error && {
    message: ts.flattenDiagnosticMessageText(error.messageText, ' '),
    start: error.start ?? 0,
  };
  return { file: fileOf(source), text, detections, ...(problem === undefined ? {} : { problem }) };
}

function detect(context: Context): void {
  detectModuleStubs(context);
  const visit = (node: ts.Node): void => {
    for (const detector of DETECTORS.get(node.kind) ?? []) detector(node, context);
    if (detectTypes(node, context)) return;
    ts.forEachChild(node, visit);
    // In JavaScript the types are in the comments.
    if (context.isJavaScript) {
      for (const doc of ts.getJSDocCommentsAndTags(node)) if (doc.parent === node) visit(doc);
    }
  };
  visit(context.source);
}
