import { matchPackage } from '../../../catalog/packages.ts';
import { ts } from '../compiler.ts';
import { fileOf, hiddenStubs } from '../source.ts';
import { moduleSpecifier } from '../syntax.ts';
import { type Context, propertyText } from './context.ts';

/** Imports, re-exports, requires and ambient declarations of Daytona's packages. */
export function detectImports(node: ts.Node, context: Context): void {
  if (ts.isImportDeclaration(node)) importDeclaration(node, context);
  else if (ts.isExportDeclaration(node)) exportDeclaration(node, context);
  else if (ts.isImportEqualsDeclaration(node)) importEquals(node, context);
  else if (ts.isImportTypeNode(node)) importType(node, context);
  else if (ts.isCallExpression(node)) loadCall(node, context);
}

/** `declare module '@daytona…'`: hidden from the program, so reported from the side. */
export function detectModuleStubs(context: Context): void {
  for (const stub of hiddenStubs(context.source)) {
    context.reportAt(stub.name.getStart(), stub.name.end, 'DT108', {
      message: `Hides the types of ${stub.name.text} from the compiler.`,
    });
  }
}

interface ImportUse {
  /** The specifier's text. */
  specifier: string;
  rule: string;
}

/** The rule of a specifier; `plain` is the rule where the SDK's root is imported. */
function classify(
  specifier: string | undefined,
  plain: string,
  context: Context,
): ImportUse | undefined {
  const match = specifier === undefined ? undefined : matchPackage(specifier);
  if (match === undefined || specifier === undefined) return undefined;
  if (match.kind === 'wrapper') {
    // A package of this repository is no third party: its own code is in the report.
    const isOwn = context.flow.project.resolve(specifier, fileOf(context.source)) !== undefined;
    return isOwn ? undefined : { specifier, rule: 'DT110' };
  }
  if (match.kind === 'api-client') return { specifier, rule: 'DT109' };
  return { specifier, rule: match.subpath === '' ? plain : 'DT107' };
}

function importDeclaration(node: ts.ImportDeclaration, context: Context): void {
  const clause = node.importClause;
  const typeOnly = clause !== undefined && isTypeOnly(clause);
  const plain = typeOnly ? 'DT102' : 'DT101';
  const use = classify(textOf(node.moduleSpecifier), plain, context);
  if (use === undefined) return;
  const bindings = clause?.namedBindings;
  if (use.rule === 'DT109' && bindings && ts.isNamedImports(bindings)) {
    // Models and enumerations are the SDK's too; only the clients themselves bypass it.
    if (bindings.elements.every((element) => isModel(element, context))) use.rule = plain;
  }
  if (bindings !== undefined && ts.isNamedImports(bindings)) {
    reportNames(node, use, bindings.elements, context);
  } else {
    context.report(node.moduleSpecifier, use.rule, {
      message: bindings
        ? `Imports everything from ${use.specifier} as ${bindings.name.text}.`
        : `Imports ${clause?.name?.text ?? 'for its side effects'} from ${use.specifier}.`,
    });
  }
}

function isModel(element: ts.ImportSpecifier, context: Context): boolean {
  const symbol = context.catalogSymbol(context.checker.getSymbolAtLocation(element.name));
  return symbol !== undefined && symbol.rule !== 'DT902';
}

function isTypeOnly(clause: ts.ImportClause): boolean {
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  return (
    clause.name === undefined &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.length > 0 &&
    bindings.elements.every((element) => element.isTypeOnly)
  );
}

function exportDeclaration(node: ts.ExportDeclaration, context: Context): void {
  const use = classify(textOf(node.moduleSpecifier), 'DT106', context);
  if (use === undefined || node.moduleSpecifier === undefined) return;
  const rule = use.rule === 'DT107' ? 'DT106' : use.rule;
  const clause = node.exportClause;
  if (clause !== undefined && ts.isNamedExports(clause)) {
    reportNames(node, { ...use, rule }, clause.elements, context, 'Re-exports');
  } else {
    context.report(node.moduleSpecifier, rule, {
      message: `Re-exports everything from ${use.specifier}.`,
    });
  }
}

/** One finding a declaration; a name that newer SDKs dropped is told with it. */
function reportNames(
  node: ts.ImportDeclaration | ts.ExportDeclaration,
  use: ImportUse,
  elements: ts.NodeArray<ts.ImportSpecifier> | ts.NodeArray<ts.ExportSpecifier>,
  context: Context,
  verb = 'Imports',
): void {
  const names = elements.map((element) => propertyText(nameOf(element)) ?? '');
  const symbols = [...elements].map((element) =>
    context.catalogSymbol(context.checker.getSymbolAtLocation(element.name)),
  );
  const old = symbols.find((symbol) => symbol?.until !== undefined);
  const specifier = node.moduleSpecifier as ts.Expression;
  const message = `${verb} ${names.join(', ')} from ${use.specifier}.`;
  if (old !== undefined) context.reportSymbol(specifier, old, { rule: use.rule, message });
  else context.report(specifier, use.rule, { message });
}

function nameOf(element: ts.ImportSpecifier | ts.ExportSpecifier): ts.PropertyName {
  return (element.propertyName ?? element.name) as ts.PropertyName;
}

function importEquals(node: ts.ImportEqualsDeclaration, context: Context): void {
  if (!ts.isExternalModuleReference(node.moduleReference)) return;
  const expression = node.moduleReference.expression;
  const use = classify(textOf(expression), 'DT105', context);
  if (use !== undefined) {
    context.report(expression, use.rule, { message: `Requires ${use.specifier}.` });
  }
}

function importType(node: ts.ImportTypeNode, context: Context): void {
  if (!ts.isLiteralTypeNode(node.argument)) return;
  const use = classify(textOf(node.argument.literal), 'DT103', context);
  if (use === undefined) return;
  const symbol =
    node.qualifier &&
    context.catalogSymbol(context.checker.getSymbolAtLocation(rightmost(node.qualifier)));
  if (symbol !== undefined) context.reportSymbol(node, symbol, { rule: use.rule });
  else context.report(node, use.rule);
}

function rightmost(name: ts.EntityName): ts.Identifier {
  return ts.isIdentifier(name) ? name : name.right;
}

function loadCall(node: ts.CallExpression, context: Context): void {
  const argument = moduleSpecifier(node);
  if (argument === undefined || isTestLoader(node)) return;
  const plain = node.expression.kind === ts.SyntaxKind.ImportKeyword ? 'DT104' : 'DT105';
  const constant = context.flow.constantText(argument);
  // require(path.join(dir, 'node_modules/@daytonaio/sdk')): the path names the package.
  const inPath = constant === undefined ? packageInPath(argument) : undefined;
  const use = classify(constant ?? inPath, plain, context);
  if (use === undefined) return;
  context.report(argument, use.rule, {
    ...(inPath === undefined ? {} : { confidence: 'likely' }),
    message: `Loads ${use.specifier} at run time.`,
  });
}

/** vi.importActual and its kin belong to the mock they stand in. */
function isTestLoader(node: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(node.expression);
}

function packageInPath(node: ts.Expression): string | undefined {
  let found: string | undefined;
  const visit = (child: ts.Node): void => {
    if (found === undefined && ts.isStringLiteralLike(child)) {
      const match = /(?:^|\/)node_modules\/(@daytona(?:io)?\/[^/]+)/.exec(child.text);
      found = match?.[1];
    }
    ts.forEachChild(child, visit);
  };
  visit(node);
  return found;
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}
