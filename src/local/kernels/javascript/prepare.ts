import type Compiler from 'typescript';

type Ts = typeof Compiler;

/**
 * Makes a cell out of JavaScript or TypeScript: types go, and module syntax, which no console
 * evaluates, becomes calls of the driver's loader. This happens outside of the sandbox, because only
 * we are sure to have a compiler; plain code without module syntax never loads it.
 */
export async function prepareJavaScript(
  code: string,
  { types }: { types: boolean },
): Promise<string> {
  if (!types && !/\b(?:import|export)\b/.test(code)) return code;
  const { ts } = await import('../../../analyze/typescript/compiler.ts');
  return withoutModuleSyntax(ts, types ? withoutTypes(ts, code) : code);
}

/** For a fresh process that runs CommonJS: `import` becomes `require`. */
export async function toCommonJs(code: string): Promise<string> {
  const { ts } = await import('../../../analyze/typescript/compiler.ts');
  return transpile(ts, code, { module: ts.ModuleKind.CommonJS, esModuleInterop: true });
}

function withoutTypes(ts: Ts, code: string): string {
  // Imports stay even if this cell does not use them: the next one may.
  return transpile(ts, code, { module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true });
}

function transpile(ts: Ts, code: string, options: Compiler.CompilerOptions): string {
  const { outputText, diagnostics = [] } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, ...options },
    reportDiagnostics: true,
  });
  const wrong = diagnostics.find(({ category }) => category === ts.DiagnosticCategory.Error);
  if (wrong === undefined) return outputText;
  const text = ts.flattenDiagnosticMessageText(wrong.messageText, '\n');
  const at = wrong.file?.getLineAndCharacterOfPosition(wrong.start ?? 0);
  const place = at === undefined ? '' : ` (${at.line + 1}:${at.character + 1})`;
  throw new SyntaxError(`${text}${place}`);
}

interface Splice {
  start: number;
  end: number;
  text: string;
}

const LOAD = '__cubeshift_import__';

function withoutModuleSyntax(ts: Ts, code: string): string {
  const file = ts.createSourceFile('cell.mjs', code, ts.ScriptTarget.Latest, true);
  const splices: Splice[] = [];
  const visit = (node: Compiler.Node): void => {
    const splice = spliceFor(ts, node, file);
    if (splice !== undefined) splices.push(splice);
    if (!ts.isImportDeclaration(node)) ts.forEachChild(node, visit);
  };
  visit(file);
  let result = code;
  for (const { start, end, text } of splices.reverse()) {
    result = result.slice(0, start) + text + result.slice(end);
  }
  return result;
}

function spliceFor(ts: Ts, node: Compiler.Node, file: Compiler.SourceFile): Splice | undefined {
  const start = node.getStart(file);
  if (ts.isImportDeclaration(node)) return { start, end: node.end, text: asLoad(ts, node, file) };
  if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent)) {
    return { start, end: node.end, text: LOAD };
  }
  if (ts.isExportDeclaration(node)) return { start, end: node.end, text: '' };
  if (ts.isExportAssignment(node)) return { start, end: node.expression.getStart(file), text: '' };
  if (node.kind === ts.SyntaxKind.ExportKeyword || node.kind === ts.SyntaxKind.DefaultKeyword) {
    return ts.isCaseOrDefaultClause(node.parent) ? undefined : { start, end: node.end, text: '' };
  }
  return undefined;
}

/** `import a, { b as c } from 'm'` as a declaration that a console can repeat. */
function asLoad(ts: Ts, node: Compiler.ImportDeclaration, file: Compiler.SourceFile): string {
  const { importClause: clause, moduleSpecifier, attributes } = node;
  const module = moduleSpecifier.getText(file);
  const options =
    attributes === undefined
      ? ''
      : `, { with: { ${attributes.elements.map((one) => one.getText(file)).join(', ')} } }`;
  const load = `await ${LOAD}(${module}${options})`;
  if (clause === undefined) return `${load};`;
  const bindings = clause.namedBindings;
  const names = clause.name === undefined ? [] : [`default: ${clause.name.text}`];
  if (bindings !== undefined && ts.isNamespaceImport(bindings)) {
    const whole = bindings.name.text;
    const first = names.length === 0 ? '' : ` const { ${names.join()} } = ${whole};`;
    return `const ${whole} = ${load};${first}`;
  }
  for (const { name, propertyName } of bindings?.elements ?? []) {
    names.push(
      propertyName === undefined ? name.text : `${propertyName.getText(file)}: ${name.text}`,
    );
  }
  return `const { ${names.join(', ')} } = ${load};`;
}
