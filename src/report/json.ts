import { compare } from '../compare.ts';
import type { Finding, VerdictNote } from '../model/finding.ts';
import type {
  BaselineEntry,
  BaselineSummary,
  Blocker,
  ReportSummary,
  ScanReport,
  SdkUse,
  SkippedFile,
  SuppressionSummary,
  TargetSummary,
  UnusedSuppression,
} from '../model/report.ts';
import type { Reporter } from './reporter.ts';

/**
 * The report as JSON with keys in a fixed order, so that two reports can be compared as text.
 * `schema/report.schema.json` describes it.
 */
export const jsonReporter: Reporter = (report) =>
  `${JSON.stringify(orderedReport(report), null, 2)}\n`;

/**
 * The fields of a type in the order they are written: plain fields as `true`, others with the
 * function that orders what is inside. The type makes sure that no field is forgotten.
 */
type Fields<T> = { [K in keyof T]-?: true | ((value: NonNullable<T[K]>) => unknown) };

/** Builds a function that copies an object with its keys in the order of `fields`. */
function ordered<T extends object>(fields: Fields<T>): (value: T) => Record<string, unknown> {
  const keys = Object.keys(fields) as (keyof T & string)[];
  return (value) => {
    const copy: Record<string, unknown> = {};
    for (const key of keys) {
      const inner = value[key];
      const field = fields[key];
      if (inner === undefined) continue;
      copy[key] = field === true || inner === null ? inner : field(inner);
    }
    return copy;
  };
}

/** The same for every item of a list. */
function each<T>(order: (value: T) => unknown): (values: readonly T[]) => unknown[] {
  return (values) => values.map(order);
}

const sortedKeys = (record: Record<string, number>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => compare(a, b)));

const sdkUse = ordered<SdkUse>({
  package: true,
  manifest: true,
  range: true,
  version: true,
  source: true,
  generation: true,
});

const blocker = ordered<Blocker>({
  symbol: true,
  rule: true,
  sites: true,
  files: true,
  instead: true,
});

const targetSummary = ordered<TargetSummary>({
  target: true,
  verdicts: ordered({ native: true, adapted: true, emulated: true, unsupported: true }),
  blockers: each(blocker),
});

const summary = ordered<ReportSummary>({
  filesListed: true,
  filesAnalysed: true,
  filesCoupled: true,
  sites: true,
  byConfidence: ordered({ certain: true, likely: true, possible: true }),
  byFix: ordered({ automatic: true, review: true, manual: true, none: true }),
  byRule: sortedKeys,
  effortMinutes: true,
  targets: each(targetSummary),
  nextSteps: true,
});

const verdictNote = ordered<VerdictNote>({ verdict: true, note: true });

const finding = ordered<Finding>({
  id: true,
  rule: true,
  file: true,
  line: true,
  column: true,
  endLine: true,
  endColumn: true,
  start: true,
  end: true,
  symbol: true,
  legacyName: true,
  confidence: true,
  message: true,
  snippet: true,
  scope: true,
  becomes: true,
  fix: true,
  effortMinutes: true,
  // Targets keep the order in which they were asked for.
  verdicts: (verdicts) =>
    Object.fromEntries(Object.entries(verdicts).map(([t, note]) => [t, verdictNote(note)])),
  baseline: true,
});

const skippedFile = ordered<SkippedFile>({
  file: true,
  reason: true,
  incomplete: true,
  detail: true,
});

const suppressions = ordered<SuppressionSummary>({
  used: true,
  unused: each(ordered<UnusedSuppression>({ file: true, line: true, rule: true })),
});

const baseline = ordered<BaselineSummary>({
  file: true,
  new: true,
  known: true,
  fixed: each(ordered<BaselineEntry>({ id: true, rule: true, file: true, snippet: true })),
});

const orderedReport = ordered<ScanReport>({
  $schema: true,
  schemaVersion: true,
  tool: ordered({ name: true, version: true }),
  targets: true,
  complete: true,
  sdk: each(sdkUse),
  summary,
  findings: each(finding),
  skipped: each(skippedFile),
  warnings: true,
  suppressions,
  baseline,
});
