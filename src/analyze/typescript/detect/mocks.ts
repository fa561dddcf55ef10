import { distinctiveMembers, findSymbol } from '../../../catalog/index.ts';
import { matchPackage } from '../../../catalog/packages.ts';
import { ts } from '../compiler.ts';
import { fileOf } from '../source.ts';
import { moduleSpecifier } from '../syntax.ts';
import { type Context, propertyText } from './context.ts';

/** Module mocks of the common runners, by the text of the callee. */
const MODULE_MOCKS =
  /^(?:vi|vitest|jest)\.(?:mock|doMock|unmock|doUnmock|hoisted|setMock|unstable_mockModule|mockModule|createMockFromModule)$|^mock\.module$|^td\.replace(?:Esm)?$|^(?:vi|jest)\.(?:importActual|importMock|requireActual|requireMock)$/;

/** Functions that make a test double. */
const DOUBLES =
  /^(?:vi|jest|mock|sinon|sandbox)\.(?:fn|stub|mock|spy)\b|^(?:fn|stub|mock|td\.func)\b/;

/** Test doubles of the SDK: mocked modules, and hand-made objects in its shape. */
export function detectMocks(node: ts.Node, context: Context): void {
  if (ts.isCallExpression(node)) moduleMock(node, context);
  else if (ts.isPropertyAssignment(node)) shapedDouble(node, node.initializer, context);
  else if (ts.isMethodDeclaration(node) && ts.isObjectLiteralExpression(node.parent)) {
    shapedDouble(node, node, context);
  }
}

/** True for `vi.mock('…')` and its kin in other runners. */
export function isModuleMock(node: ts.CallExpression): boolean {
  return MODULE_MOCKS.test(node.expression.getText());
}

function moduleMock(node: ts.CallExpression, context: Context): void {
  if (!isModuleMock(node)) return;
  const argument = moduleSpecifier(node) ?? node.arguments[0];
  // vi.mock(import('…')) names the module with an import expression.
  const specifier = argument && ts.isCallExpression(argument) ? argument.arguments[0] : argument;
  const text = context.flow.constantText(specifier);
  if (text === undefined || specifier === undefined) return;
  if (matchPackage(text) !== undefined) {
    context.report(specifier, 'DT806', { message: `Mocks the module ${text}.` });
    return;
  }
  const file = context.flow.project.resolve(text, fileOf(context.source));
  if (file !== undefined && context.coupledFiles.has(file)) {
    context.report(specifier, 'DT806', {
      confidence: 'possible',
      message: `Mocks ${file}, whose exports have Daytona types.`,
    });
  }
}

const TEST_FILE = /(?:[._-](?:test|spec|e2e)\.|\/__(?:tests|mocks)__\/|\/tests?\/)/;

/** Sub-objects of a sandbox by the key a double has them under. */
const SERVICES: Readonly<Record<string, string>> = {
  process: 'Process',
  fs: 'FileSystem',
  git: 'Git',
  codeInterpreter: 'CodeInterpreter',
};

/** `{ executeCommand: vi.fn() }`: no type says so, but only Daytona has the name there. */
function shapedDouble(
  node: ts.PropertyAssignment | ts.MethodDeclaration,
  value: ts.Node,
  context: Context,
): void {
  const name = propertyText(node.name);
  if (name === undefined || !isDaytonaName(node, name)) return;
  const isFake = ts.isFunctionLike(value) && TEST_FILE.test(context.source.fileName);
  const double = ts.isExpression(value) && isDouble(value, context);
  if (!double && !isFake) return;
  context.report(node.name, 'DT806', {
    confidence: double ? 'likely' : 'possible',
    message: `A test double of ${name}.`,
  });
}

/** The name alone, its service, or its siblings say that it is Daytona's. */
function isDaytonaName(node: ts.ObjectLiteralElementLike, name: string): boolean {
  if (distinctiveMembers().has(name)) return true;
  const literal = node.parent;
  const key = ts.isPropertyAssignment(literal.parent)
    ? propertyText(literal.parent.name)
    : undefined;
  const service = key === undefined ? undefined : SERVICES[key];
  if (service !== undefined) return findSymbol(`${service}.${name}`) !== undefined;
  if (!ts.isObjectLiteralExpression(literal)) return false;
  const looksLikeSandbox = literal.properties.some((sibling) => {
    const siblingName = propertyText(sibling.name as ts.PropertyName | undefined);
    return siblingName !== undefined && (siblingName === 'process' || siblingName === 'fs');
  });
  return looksLikeSandbox && findSymbol(`Sandbox.${name}`)?.kind === 'method';
}

function isDouble(node: ts.Expression, context: Context): boolean {
  if (ts.isIdentifier(node)) {
    const declaration = context.checker.getSymbolAtLocation(node)?.valueDeclaration;
    const made =
      declaration !== undefined && ts.isVariableDeclaration(declaration)
        ? declaration.initializer
        : undefined;
    return made !== undefined && !ts.isIdentifier(made) && isDouble(made, context);
  }
  let inner = node;
  while (ts.isCallExpression(inner) || ts.isPropertyAccessExpression(inner)) {
    // A chain may be split over lines.
    if (DOUBLES.test(inner.getText(context.source).replace(/\s+/g, ''))) return true;
    inner = inner.expression;
  }
  return false;
}
