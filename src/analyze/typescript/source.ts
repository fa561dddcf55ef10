import { matchPackage } from '../../catalog/packages.ts';
import { ts } from './compiler.ts';

/** Deeper nesting was never seen in written code, and the compiler's binder recurses over it. */
const MAX_NESTING = 1_000;

/** @throws {Error} for code that would overflow the compiler's stack. */
export function checkDepth(source: ts.SourceFile): void {
  const visit = (node: ts.Node, depth: number): void => {
    if (depth > MAX_NESTING) throw new Error('Code is nested too deeply to be analysed.');
    ts.forEachChild(node, (child) => visit(child, depth + 1));
  };
  visit(source, 0);
}

/** Path of a program file relative to the repository root. */
export function fileOf(source: ts.SourceFile): string {
  return listedName(source.fileName);
}

/** TypeScript takes a backslash for a separator; in file names on Linux it is a character. */
const BACKSLASH = '\uf05c';

/** What a listed file is called inside the program. */
export function programName(file: string): string {
  return `/${file.replaceAll('\\', BACKSLASH)}`;
}

/** The listed file that a name inside the program stands for. */
export function listedName(name: string): string {
  return name.slice(1).replaceAll(BACKSLASH, '\\');
}

const COMMONJS = /\brequire\s*\(|\bmodule\.exports\b|\bexports\.\w/;

/**
 * Parses one file. Every file is a module: two scripts must not see each other's top level, and
 * a user's global declaration must not merge with ours.
 */
export function parseSource(file: string, text: string): ts.SourceFile {
  const isDeclaration = /\.d\.[mc]?ts$/.test(file);
  const isCommonJs = /\.(?:js|cjs|jsx)$/.test(file) && COMMONJS.test(text);
  const parse = (content: string): ts.SourceFile =>
    ts.createSourceFile(
      programName(file),
      content,
      {
        languageVersion: ts.ScriptTarget.ESNext,
        ...(!isDeclaration &&
          !isCommonJs && {
            setExternalModuleIndicator: (parsed: ts.SourceFile) => {
              // The field is internal; TypeScript's own moduleDetection "force" sets it the same way.
              (parsed as { externalModuleIndicator?: unknown }).externalModuleIndicator = parsed;
            },
          }),
      },
      true,
      // Flow and JSX are legal in .js; Flow annotations then parse as TypeScript ones.
      /\.(?:js|mjs|cjs)$/.test(file) ? ts.ScriptKind.JSX : undefined,
    );
  const parsed = parse(text);
  const stubs = moduleStubs(parsed);
  if (stubs.length === 0) return parsed;
  const blanked = parse(blank(text, stubs));
  moduleStubsOf.set(blanked, stubs);
  originalText.set(blanked, text);
  return blanked;
}

const moduleStubsOf = new WeakMap<ts.SourceFile, readonly ts.ModuleDeclaration[]>();
const originalText = new WeakMap<ts.SourceFile, string>();

/** `declare module '@daytona…'` blocks that were hidden from the program; positions are still right. */
export function hiddenStubs(source: ts.SourceFile): readonly ts.ModuleDeclaration[] {
  return moduleStubsOf.get(source) ?? [];
}

/** The text as the user wrote it. */
export function textOf(source: ts.SourceFile): string {
  return originalText.get(source) ?? source.text;
}

/** An ambient module would win over our declarations and turn the whole SDK into `any`. */
function moduleStubs(source: ts.SourceFile): ts.ModuleDeclaration[] {
  return source.statements.filter(
    (statement): statement is ts.ModuleDeclaration =>
      ts.isModuleDeclaration(statement) &&
      ts.isStringLiteral(statement.name) &&
      (matchPackage(statement.name.text) !== undefined ||
        /^@daytona(?:io)?\/\*$/.test(statement.name.text)),
  );
}

function blank(text: string, nodes: readonly ts.Node[]): string {
  let result = text;
  for (const node of nodes) {
    const start = node.getStart();
    const hidden = text.slice(start, node.end).replace(/[^\r\n]/g, ' ');
    result = result.slice(0, start) + hidden + result.slice(node.end);
  }
  return result;
}

/** Syntax errors, as the parser found them. */
export function syntaxErrors(source: ts.SourceFile): readonly ts.Diagnostic[] {
  // `parseDiagnostics` is internal but stable since TypeScript 1.0; the public route needs a program.
  return (source as unknown as { parseDiagnostics: readonly ts.Diagnostic[] }).parseDiagnostics;
}
