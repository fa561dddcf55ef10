import type { Confidence, Finding, Fix, Verdict } from './finding.ts';

/** Raised when a field changes meaning or disappears; additions do not raise it. */
export const REPORT_SCHEMA_VERSION = 1;

/** Why a file was not analysed in full. The first group makes the run incomplete, the second does not. */
export type SkipReason =
  | 'unreadable'
  | 'unparsable'
  | 'too-large'
  | 'binary'
  | 'generated'
  | 'symlink'
  | 'vanished';

export interface SkippedFile {
  file: string;
  reason: SkipReason;
  /** True when the skip may hide a coupling, so the run is incomplete. */
  incomplete: boolean;
  detail?: string;
}

/** One manifest that depends on a Daytona package, with the version that would be installed. */
export interface SdkUse {
  package: string;
  /** Path of the package.json that names it. */
  manifest: string;
  /** The range as written there. */
  range: string;
  /** The resolved version, or null when neither the lockfile nor the range tells. */
  version: string | null;
  /** Where the version was taken from: a lockfile's path, `range` for an exact range, or null. */
  source: string | null;
  /** Which API generation that version speaks, in words; null when the version is unknown. */
  generation: string | null;
}

export interface TargetSummary {
  target: string;
  verdicts: Record<Verdict, number>;
  /** Symbols that stop the move to this target, most used first. */
  blockers: Blocker[];
}

export interface Blocker {
  symbol: string;
  rule: string;
  sites: number;
  files: number;
  /** What to do instead. */
  instead: string;
}

export interface ReportSummary {
  filesListed: number;
  /** Files whose text names Daytona or that the import closure reached. */
  filesAnalysed: number;
  filesCoupled: number;
  sites: number;
  byConfidence: Record<Confidence, number>;
  byFix: Record<Fix, number>;
  /** Sites by rule id, rule ids sorted. */
  byRule: Record<string, number>;
  effortMinutes: number;
  targets: TargetSummary[];
  /** What to do first, most useful first. */
  nextSteps: string[];
}

export interface ScanReport {
  $schema: string;
  schemaVersion: typeof REPORT_SCHEMA_VERSION;
  tool: { name: 'cubeshift'; version: string };
  targets: string[];
  /** False when some file could not be read or parsed: such a run never looks green. */
  complete: boolean;
  sdk: SdkUse[];
  summary: ReportSummary;
  /** Sorted by file, then start, then rule. */
  findings: Finding[];
  skipped: SkippedFile[];
  /** Configuration that could not be used, e.g. a tsconfig that does not parse; sorted. */
  warnings: string[];
  suppressions: SuppressionSummary;
  baseline?: BaselineSummary;
}

export interface SuppressionSummary {
  /** Findings hidden by a comment. */
  used: number;
  unused: UnusedSuppression[];
}

export interface UnusedSuppression {
  file: string;
  line: number;
  /** The rule the comment names, or `*` for all. */
  rule: string;
}

export interface BaselineSummary {
  file: string;
  new: number;
  known: number;
  /** In the baseline, no longer in the code. */
  fixed: BaselineEntry[];
}

export interface BaselineEntry {
  id: string;
  rule: string;
  file: string;
  snippet: string;
}
