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
}

export interface TypeEntry extends Migration, Lifetime {
  /** Name in current terms, e.g. `Process`. */
  name: string;
  kind: 'class' | 'interface' | 'enum' | 'alias' | 'const';
  /** Exported from the SDK's root under this name. */
  exported: boolean;
  /** Type parameters, heritage: what stands between the name and the body, e.g. `extends DaytonaError`. */
  heritage?: string;
  /** Constructor parameters of a class. */
  construct?: string;
  /** Body of an alias or type of a const. */
  type?: string;
  /** Old exported names of the same thing, with their lifetimes. */
  formerly?: readonly ({ name: string } & Lifetime)[];
  /** Python name where it differs; null when Python has no such type. */
  py?: string | null;
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
  /** True when a key of this type is reported on its own. */
  optionKey: boolean;
}
