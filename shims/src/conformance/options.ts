import type { SandboxProvider } from '../provider/provider.ts';

/** What the cases are run against, and how. */
export interface ConformanceOptions {
  /** Makes the provider. Called once, when the first case runs; it is closed at the end. */
  provider(): SandboxProvider | Promise<SandboxProvider>;
  /** What sandboxes start from; the provider's own template if unset. */
  template?: string | undefined;
  /** Cases that are left out: their names, and why. A name that no case has is an error. */
  skips?: Readonly<Record<string, string>> | undefined;
  /** Longest time of a case. Defaults to two minutes. */
  caseTimeoutMs?: number | undefined;
  /** How long to wait for what takes effect by and by. Defaults to 15 seconds. */
  settleTimeoutMs?: number | undefined;
  /**
   * How long commands take that have to be seen while they run; more for backends that are far away.
   * Defaults to 3 seconds.
   */
  paceMs?: number | undefined;
  /** A port of the template that can be reached. Defaults to any, anew for each case. */
  port?: number | undefined;
  /** Makes requests to ports; for names that this machine cannot look up. Defaults to `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Is told what was seen: what a backend refused, and how; what was measured. */
  onEvidence?: ((evidence: Evidence) => void) | undefined;
}

/** Something that a case saw, besides that it passed. */
export interface Evidence {
  readonly case: string;
  readonly seen: string;
}

/** One case, for any test runner. */
export interface ConformanceCase {
  readonly name: string;
  /** Why it is left out. `run` does nothing then. */
  readonly skip?: string;
  /** Rejects with what is wrong. Cases wait for one another, whoever calls them at once. */
  run(): Promise<void>;
}

export interface Conformance {
  readonly cases: readonly ConformanceCase[];
  /** Longest time of a case, for runners that want to know. */
  readonly caseTimeoutMs: number;
  /** Deletes what is left and closes the provider. To be called at the end, also after failures. */
  close(): Promise<void>;
}
