import type { Fix, VerdictNote } from '../model/finding.ts';

/** A CubeSandbox release from which a verdict holds, and the one that holds before it. */
export interface SinceVerdict {
  since: string;
  then: VerdictNote;
  before: VerdictNote;
}

/** Verdicts of one symbol; a target that is not listed takes {@link SymbolVerdicts.e2b}. */
export interface SymbolVerdicts {
  e2b: VerdictNote;
  cube?: VerdictNote | SinceVerdict;
  local?: VerdictNote;
}

/** What a symbol turns into and what that costs. Shared by classes (as defaults) and members. */
export interface Migration {
  /** Rule id the finding is reported under. */
  rule: string;
  /** The replacement in the neutral interface, as code; null when nothing replaces it. */
  becomes: string | null;
  fix: Fix;
  /** Minutes for a person; derived from `fix` when absent. */
  effortMinutes?: number;
  verdicts: SymbolVerdicts;
}

/** SDK releases: `since` is the first that has the symbol, `until` the first that no longer has it. */
export interface Lifetime {
  since?: string;
  until?: string;
  /** Current symbol id of an old name, e.g. `Daytona.delete` for `Daytona.remove`. */
  replacedBy?: string;
}

export interface MemberEntry extends Partial<Migration>, Lifetime {
  kind: 'method' | 'property' | 'static';
  /**
   * TypeScript shape in our own words, wide enough for every generation: for a method everything
   * after the name, e.g. `(id: string): Promise<Sandbox>`; for a property its type.
   */
  type: string;
  optional?: boolean;
  /** Python name where it is not the mechanical snake_case one; null when Python has no such member. */
  py?: string | null;
  /** True for members users never need to be told about, e.g. `PtyHandle.sessionId`. */
  quiet?: boolean;
  /** The method name alone identifies Daytona, so a call on an untyped value is worth reporting. */
  distinctive?: boolean;
}

/** The generated REST clients; one stub module declares their names too. */
type ClientPackage = 'api-client' | 'toolbox-api-client';

/** Another name of a type: an old one (`until` set) or one of a generated client. */
export interface FormerName extends Lifetime {
  name: string;
  client?: ClientPackage;
}

export interface TypeEntry extends Migration, Lifetime {
  /** Name in current terms, e.g. `Process`. */
  name: string;
  kind: 'class' | 'interface' | 'enum' | 'alias' | 'const';
  /** Exported from the SDK's root under this name. */
  exported: boolean;
  /** A name of ours for a shape the SDK leaves unnamed, e.g. the second argument of `create()`. */
  ours?: true;
  /** The generated client that exports the name, where people import it from there. */
  client?: ClientPackage;
  /** Type parameters, heritage: what stands between the name and the body, e.g. `extends DaytonaError`. */
  heritage?: string;
  /** Constructor parameters of a class. */
  construct?: string;
  /** Body of an alias or type of a const. */
  type?: string;
  /** Old exported names of the same thing, with their lifetimes. */
  formerly?: readonly FormerName[];
  /** Python name where it differs; null when Python has no such type. */
  py?: string | null;
  /** Further Python names of the same thing, e.g. `AsyncSandbox`. */
  pyAlso?: readonly string[];
  /** `each`: an object literal or property write with one of its keys is a finding per key. */
  options?: 'each';
  members?: Readonly<Record<string, MemberEntry>>;
}

/** Everything known about one symbol after defaults are filled in. */
export interface CatalogSymbol extends Migration, Lifetime {
  /** `Process` or `Process.executeCommand`. */
  id: string;
  owner?: string;
  name: string;
  kind: TypeEntry['kind'] | MemberEntry['kind'];
  quiet: boolean;
  /** True when the method name alone identifies Daytona. */
  distinctive: boolean;
  /** True when a key of this type is reported on its own. */
  optionKey: boolean;
  /** Python name of the type or member (without its owner); null when Python has none. */
  py: string | null;
  /** Title of the area it belongs to, as the documentation groups symbols. */
  area: string;
}
