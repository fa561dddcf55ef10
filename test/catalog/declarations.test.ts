import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { daytonaDeclarations, libDeclarations } from '../../src/catalog/declarations.ts';
import { findSymbol } from '../../src/catalog/index.ts';
import { SAMPLES } from './samples.ts';

const LIB = '/lib.d.ts';
const STUB = '/daytona.d.ts';

/** The options of the analyser: nothing of TypeScript's own library, nothing of node_modules. */
const OPTIONS: ts.CompilerOptions = {
  noLib: true,
  strict: false,
  noImplicitAny: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  esModuleInterop: true,
  types: [],
};

function compile(samples: Readonly<Record<string, string>>): ts.Program {
  const texts = new Map([
    [LIB, libDeclarations()],
    [STUB, daytonaDeclarations()],
    ...Object.entries(samples).map(([name, text]): [string, string] => [`/${name}.ts`, text]),
  ]);
  const host: ts.CompilerHost = {
    getSourceFile: (name, version) => {
      const text = texts.get(name);
      return text === undefined ? undefined : ts.createSourceFile(name, text, version, true);
    },
    getDefaultLibFileName: () => '/none',
    writeFile: () => undefined,
    getCurrentDirectory: () => '/',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (name) => texts.has(name),
    readFile: (name) => texts.get(name),
    resolveModuleNameLiterals: (literals) =>
      literals.map(({ text }) => ({
        resolvedModule: text.startsWith('@daytona')
          ? { resolvedFileName: STUB, extension: ts.Extension.Dts }
          : undefined,
      })),
  };
  return ts.createProgram([...texts.keys()], OPTIONS, host);
}

/** Catalogue ids of the members a file uses, in source order. */
function uses(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const ids: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== undefined) {
      const id = idOf(bound(checker, name) ?? checker.getSymbolAtLocation(name));
      if (id !== undefined) ids.push(id);
    }
    ts.forEachChild(node, visit);
  };
  if (source !== undefined) visit(source);
  return ids;
}

function nameOf(node: ts.Node): ts.Identifier | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.name)) return node.name;
  if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
    const key = node.propertyName ?? node.name;
    return ts.isIdentifier(key) ? key : undefined;
  }
  return undefined;
}

/** The property a destructured name is taken from. */
function bound(checker: ts.TypeChecker, name: ts.Identifier): ts.Symbol | undefined {
  const pattern = name.parent.parent;
  return ts.isObjectBindingPattern(pattern)
    ? checker.getTypeAtLocation(pattern).getProperty(name.text)
    : undefined;
}

function idOf(symbol: ts.Symbol | undefined): string | undefined {
  const declaration = symbol?.declarations?.find((d) => d.getSourceFile().fileName === STUB);
  const parent = declaration?.parent;
  if (parent === undefined || !('name' in parent)) return undefined;
  const owner = parent.name as ts.Identifier | undefined;
  return owner && symbol && `${owner.text}.${symbol.name}`;
}

let program: ts.Program;

beforeAll(() => {
  program = compile(Object.fromEntries(SAMPLES.map(({ name, code }) => [name, code])));
});

describe('the declarations made from the catalogue', () => {
  it.each([LIB, STUB])('have no diagnostics: %s', (file) => {
    const source = program.getSourceFile(file);
    const found = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
      ...program.getGlobalDiagnostics(),
    ];
    expect(found.map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'))).toEqual([]);
  });

  it('declare every catalogue id under its own name', () => {
    const checker = program.getTypeChecker();
    const source = program.getSourceFile(STUB);
    const module = source && checker.getSymbolAtLocation(source);
    const names = module ? checker.getExportsOfModule(module).map(({ name }) => name) : [];
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name) => findSymbol(name) === undefined)).toEqual([]);
  });

  it.each(SAMPLES.map(({ name, ids }) => ({ name, ids })))('resolve $name', ({ name, ids }) => {
    expect(uses(program, `/${name}.ts`)).toEqual(ids);
  });

  it('are the same text each time', () => {
    expect(daytonaDeclarations()).toBe(daytonaDeclarations());
    expect(libDeclarations()).toBe(libDeclarations());
  });
});
