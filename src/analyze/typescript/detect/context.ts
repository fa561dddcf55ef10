import { allSymbols, currentId, findSymbol } from '../../../catalog/index.ts';
import type { CatalogSymbol } from '../../../catalog/types.ts';
import type { Confidence, Detection } from '../../../model/finding.ts';
import { namesDaytonaHost, type TextMatch } from '../../text/index.ts';
import { ts } from '../compiler.ts';
import type { Flow, Typed } from '../flow.ts';

import type { ErrorHelper } from './errors.ts';
import type { RestHelper } from './rest.ts';

/** A use of a catalogue member, or of a name its owner never had. */
export type MemberUse =
  | { kind: 'known'; symbol: CatalogSymbol; sure: boolean }
  | { kind: 'missing'; owner: string; name: string; sure: boolean };

export interface ReportOptions {
  rule?: string;
  confidence?: Confidence;
  message?: string;
  fix?: Detection['fix'];
  becomes?: string;
}

/** What every detector needs to look at one file: the types, the catalogue and a place to report to. */
export class Context {
  readonly source: ts.SourceFile;
  readonly flow: Flow;
  /** The text as the user wrote it. */
  readonly text: string;
  /** SDK release the nearest manifest would install, or null when unknown. */
  readonly sdkVersion: string | null;
  /** Files that export something of Daytona's. */
  readonly coupledFiles: ReadonlySet<string>;
  /** The file's own text says Daytona somewhere. */
  readonly namesDaytona: boolean;
  /** The file's own text names a Daytona host, so bare REST paths in it are Daytona's. */
  readonly namesHost: boolean;
  readonly isJavaScript: boolean;
  /** Local names that imports give to names of Daytona's. */
  readonly renamed: ReadonlySet<string>;
  readonly detections: Detection[] = [];
  /** Functions that call Daytona's REST API with a path they are given. */
  readonly restHelpers: RestHelper[] = [];
  /** Functions of other files that are given an error of a Daytona call here. */
  readonly errorHelpers: ErrorHelper[] = [];
  readonly #members = new Map<ts.Node, MemberUse | undefined>();
  readonly #signatures = new Map<ts.Node, ts.Signature | undefined>();

  constructor(
    source: ts.SourceFile,
    flow: Flow,
    about: { text: string; sdkVersion: string | null; coupledFiles: ReadonlySet<string> },
  ) {
    this.source = source;
    this.flow = flow;
    this.text = about.text;
    this.sdkVersion = about.sdkVersion;
    this.coupledFiles = about.coupledFiles;
    this.namesDaytona = /daytona/i.test(about.text);
    this.namesHost = namesDaytonaHost(about.text);
    this.renamed = renamedImports(source);
    this.isJavaScript = /\.[mc]?jsx?$/.test(source.fileName);
  }

  get checker(): ts.TypeChecker {
    return this.flow.checker;
  }

  /** Reports a place under a rule. */
  report(node: ts.Node, rule: string, options: Omit<ReportOptions, 'rule'> = {}): void {
    this.#push(node, { rule, confidence: options.confidence ?? 'certain', ...pick(options) });
  }

  /** Reports a place that no node of the program stands for. */
  reportAt(start: number, end: number, rule: string, options: { message: string }): void {
    this.detections.push({ start, end, rule, confidence: 'certain', ...options });
  }

  /** Reports a place that uses a catalogue symbol, in current terms. */
  reportSymbol(node: ts.Node, symbol: CatalogSymbol, options: ReportOptions = {}): void {
    const current = findSymbol(currentId(symbol.id)) ?? symbol;
    this.#push(node, {
      rule: options.rule ?? current.rule,
      symbol: current.id,
      confidence: options.confidence ?? 'certain',
      ...(current.id !== symbol.id || symbol.until !== undefined
        ? { legacyName: symbol.name }
        : {}),
      ...pick(options),
    });
  }

  /** Reports what was found inside a string; `start` is where the searched text begins. */
  reportText(node: ts.Node, start: number, match: TextMatch): void {
    const { start: from, end: to, ...rest } = match;
    const scope = scopeOf(node);
    this.detections.push({
      ...rest,
      start: start + from,
      end: start + to,
      ...(scope === undefined ? {} : { scope }),
    });
  }

  #push(node: ts.Node, detection: Omit<Detection, 'start' | 'end' | 'scope'>): void {
    const scope = scopeOf(node);
    this.detections.push({
      ...detection,
      start: node.getStart(this.source),
      end: node.getEnd(),
      ...(scope === undefined ? {} : { scope }),
    });
  }

  /** The catalogue symbol that a program symbol is declared as, following imports. */
  catalogSymbol(symbol: ts.Symbol | undefined): CatalogSymbol | undefined {
    const id = this.#idOf(symbol);
    return id === undefined ? undefined : findSymbol(id);
  }

  /** The catalogue type that a type is, e.g. `Sandbox`; for a class object, the class. */
  catalogType(type: ts.Type): CatalogSymbol | undefined {
    return this.catalogSymbol(type.aliasSymbol) ?? this.catalogSymbol(type.symbol);
  }

  /** What `a.b` or `a['b']` is in the catalogue; undefined when it is not Daytona's. */
  member(node: ts.PropertyAccessExpression | ts.ElementAccessExpression): MemberUse | undefined {
    // Several detectors ask about the same access, and about its parent.
    if (!this.#members.has(node)) this.#members.set(node, this.#findMember(node));
    return this.#members.get(node);
  }

  #findMember(
    node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  ): MemberUse | undefined {
    const name = memberName(node);
    if (name === undefined) return undefined;
    const nameNode = ts.isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
    const own = this.checker.getSymbolAtLocation(nameNode);
    if (own !== undefined) {
      const symbol = this.catalogSymbol(own);
      if (symbol?.owner !== undefined) return { kind: 'known', symbol, sure: this.#onlyStub(own) };
      if (own.declarations?.length && !own.declarations.some(isShape)) return undefined;
    }
    const flowed = own && this.flow.facts.values.get(own);
    const behind = flowed && this.catalogSymbol(flowed.type.symbol);
    if (behind?.owner !== undefined) return { kind: 'known', symbol: behind, sure: false };
    const base = this.flow.typeOf(node.expression);
    const use = base && this.memberOf(base, name);
    // The member of a look-alike is Daytona's only when a Daytona value is known to be behind it.
    return own?.declarations?.length && use?.kind === 'missing' ? undefined : use;
  }

  /** The member of a type by name. */
  memberOf(base: Typed, name: string): MemberUse | undefined {
    const type = this.checker.getApparentType(base.type);
    const property = this.checker.getPropertyOfType(type, name);
    if (property !== undefined) {
      const symbol = this.catalogSymbol(property);
      return symbol?.owner === undefined ? undefined : { kind: 'known', symbol, sure: base.sure };
    }
    // A name nobody declared: only a class of Daytona's own can be asked for something it never had.
    const owner = type.symbol && this.catalogSymbol(type.symbol);
    if (owner === undefined || owner.owner !== undefined || owner.kind !== 'class')
      return undefined;
    return { kind: 'missing', owner: owner.name, name, sure: base.sure };
  }

  /** The SDK function a call leads to, with its declared parameters. */
  sdkSignature(node: ts.CallExpression | ts.NewExpression): ts.Signature | undefined {
    if (!this.#signatures.has(node)) this.#signatures.set(node, this.#findSignature(node));
    return this.#signatures.get(node);
  }

  #findSignature(node: ts.CallExpression | ts.NewExpression): ts.Signature | undefined {
    const kind = ts.isNewExpression(node) ? ts.SignatureKind.Construct : ts.SignatureKind.Call;
    const callee = this.flow.typeOf(node.expression);
    const signature = callee && this.checker.getSignaturesOfType(callee.type, kind)[0];
    const declaration = signature?.declaration;
    return declaration && this.flow.project.isStub(declaration.getSourceFile())
      ? signature
      : undefined;
  }

  /** The TypeScript member that has this name in Python, e.g. `executeCommand` for `exec`. */
  typescriptName(owner: string, python: string): string | undefined {
    return allSymbols().find((symbol) => symbol.owner === owner && symbol.py === python)?.name;
  }

  #idOf(symbol: ts.Symbol | undefined): string | undefined {
    if (symbol === undefined) return undefined;
    let target = symbol;
    while (target.flags & ts.SymbolFlags.Alias) {
      const old = this.#stubAlias(target);
      if (old !== undefined) return old;
      const next = this.checker.getImmediateAliasedSymbol(target);
      if (next === undefined) break;
      target = next;
    }
    for (const declaration of target.declarations ?? []) {
      const id = this.flow.project.isStub(declaration.getSourceFile())
        ? idOfDeclaration(declaration)
        : undefined;
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** An old name that the declarations export for a current one. */
  #stubAlias(symbol: ts.Symbol): string | undefined {
    const declaration = symbol.declarations?.find(
      (d) => ts.isExportSpecifier(d) && this.flow.project.isStub(d.getSourceFile()),
    );
    return declaration && ts.getNameOfDeclaration(declaration)?.getText();
  }

  /** False for a member of a union with a type that is not Daytona's. */
  #onlyStub(symbol: ts.Symbol): boolean {
    return symbol.declarations?.every((d) => this.flow.project.isStub(d.getSourceFile())) ?? false;
  }
}

const ids = new WeakMap<ts.Declaration, string>();

/** `Process.executeCommand` for a member, `Process` for a type. */
function idOfDeclaration(declaration: ts.Declaration): string | undefined {
  const known = ids.get(declaration);
  if (known !== undefined) return known;
  const name = ts.getNameOfDeclaration(declaration)?.getText();
  if (name === undefined) return undefined;
  const parent = declaration.parent;
  const owner =
    ts.isClassDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isEnumDeclaration(parent)
      ? parent.name?.text
      : undefined;
  const id = owner === undefined ? name : `${owner}.${name}`;
  ids.set(declaration, id);
  return id;
}

function pick(options: ReportOptions): Pick<Detection, 'message' | 'fix' | 'becomes'> {
  return {
    ...(options.message === undefined ? {} : { message: options.message }),
    ...(options.fix === undefined ? {} : { fix: options.fix }),
    ...(options.becomes === undefined ? {} : { becomes: options.becomes }),
  };
}

function renamedImports(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    for (const { propertyName, name } of bindings.elements) if (propertyName) names.add(name.text);
  }
  return names;
}

/** A member that is only declared, in an interface or a type literal. */
export function isShape(declaration: ts.Declaration): boolean {
  return ts.isMethodSignature(declaration) || ts.isPropertySignature(declaration);
}

/** The name in `a.b` or `a['b']`. */
export function memberName(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
}

/** The place to show for a member access: its name. */
export function nameNode(node: ts.PropertyAccessExpression | ts.ElementAccessExpression): ts.Node {
  return ts.isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
}

/** Text of a property name that is known without evaluation. */
export function propertyText(
  name: ts.PropertyName | ts.BindingName | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) {
    return name.text;
  }
  return undefined;
}

/** Names of the functions, classes and variables around a node, outermost first. */
function scopeOf(node: ts.Node): string | undefined {
  const names: string[] = [];
  for (let outer = node.parent; outer && !ts.isSourceFile(outer); outer = outer.parent) {
    const named =
      ts.isFunctionLike(outer) || ts.isClassLike(outer) || ts.isInterfaceDeclaration(outer)
        ? outer
        : undefined;
    const name =
      named?.name ??
      (named && ts.isVariableDeclaration(outer.parent) ? outer.parent.name : undefined);
    const text = name && propertyText(name as ts.PropertyName);
    if (text !== undefined) names.unshift(text);
    else if (named && ts.isConstructorDeclaration(named)) names.unshift('constructor');
  }
  return names.length > 0 ? names.join('.') : undefined;
}
