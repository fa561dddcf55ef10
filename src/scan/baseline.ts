import { readFileSync } from 'node:fs';
import { compare } from '../compare.ts';
import { CONFIDENCES, type Confidence, type Finding } from '../model/finding.ts';
import type { BaselineEntry, ScanReport } from '../model/report.ts';

/** Name used where the user does not choose one. */
export const BASELINE_FILE = 'cubeshift-baseline.json';

/** Raised when older versions of cubeshift could not understand the file. */
const BASELINE_VERSION = 1;

/** Findings a team has accepted, by identity: moving code does not make a known finding new. */
export interface Baseline {
  version: typeof BASELINE_VERSION;
  /** Findings less sure than this were not recorded, so nothing can be said about them. */
  minConfidence: Confidence;
  /** Sorted by file, then rule, then id. */
  findings: BaselineEntry[];
}

/** Which part of the repository and which rules a run looks at. */
export interface BaselineScope {
  includes: (entry: BaselineEntry) => boolean;
  minConfidence: Confidence;
}

/** A baseline that is missing or cannot be used; the message says what to do. */
export class BaselineError extends Error {
  override name = 'BaselineError';
}

/**
 * Reads a baseline file. `shownAs` is the path in messages.
 * @throws {BaselineError} when it is missing, broken or of a newer version.
 */
export function readBaseline(path: string, shownAs = path): Baseline {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT') throw new BaselineError(`Cannot read baseline ${shownAs} (${code})`);
    throw new BaselineError(
      `No baseline at ${shownAs}. Run again with --update-baseline to record the findings of today.`,
    );
  }
  return parseBaseline(text, shownAs);
}

/** The text of a baseline file: sorted and one finding a line, so that version control merges it. */
export function formatBaseline(baseline: Baseline): string {
  const lines = [...baseline.findings]
    .sort(inOrder)
    .map(({ id, rule, file, snippet }) => `    ${JSON.stringify({ id, rule, file, snippet })}`);
  const findings = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`;
  const head = `"version": ${baseline.version},\n  "minConfidence": "${baseline.minConfidence}"`;
  return `{\n  ${head},\n  "findings": ${findings}\n}\n`;
}

/**
 * Marks each finding as new or known and lists what is gone. Entries outside of what the run looked
 * at are never called fixed.
 */
export function applyBaseline(
  report: ScanReport,
  baseline: Baseline,
  file: string,
  scope: BaselineScope,
): ScanReport {
  const known = new Set(baseline.findings.map((entry) => entry.id));
  const present = new Set(report.findings.map((finding) => finding.id));
  const findings = report.findings.map((finding): Finding => {
    return { ...finding, baseline: known.has(finding.id) ? 'known' : 'new' };
  });
  const count = findings.filter((finding) => finding.baseline === 'known').length;
  const sawAll = rank(scope.minConfidence) >= rank(baseline.minConfidence);
  const fixed = sawAll
    ? baseline.findings.filter((entry) => !present.has(entry.id) && scope.includes(entry))
    : [];
  return {
    ...report,
    findings,
    baseline: { file, new: findings.length - count, known: count, fixed: fixed.sort(inOrder) },
  };
}

/**
 * The baseline that makes every finding of the report known. Entries of `previous` that the run did
 * not look at are kept, so that a scan of one folder does not forget the others.
 */
export function updateBaseline(
  report: ScanReport,
  previous: Baseline | undefined,
  scope: BaselineScope,
): Baseline {
  const entries = new Map<string, BaselineEntry>();
  for (const entry of previous?.findings ?? []) {
    if (!scope.includes(entry)) entries.set(entry.id, entry);
  }
  for (const finding of report.findings) entries.set(finding.id, toEntry(finding));
  return {
    version: BASELINE_VERSION,
    minConfidence: scope.minConfidence,
    findings: [...entries.values()].sort(inOrder),
  };
}

function toEntry({ id, rule, file, snippet }: Finding): BaselineEntry {
  return { id, rule, file, snippet };
}

function parseBaseline(text: string, shownAs: string): Baseline {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    const conflict = /^(?:<{7}|={7}|>{7})/m.test(text);
    const why = conflict ? 'it has unresolved merge conflicts' : 'it is not valid JSON';
    throw broken(shownAs, why);
  }
  const { version, minConfidence, findings } = (data ?? {}) as Partial<Record<string, unknown>>;
  if (typeof version !== 'number') throw broken(shownAs, 'it has no version');
  if (version > BASELINE_VERSION) {
    throw new BaselineError(
      `Baseline ${shownAs} has version ${version}, this cubeshift knows up to ${BASELINE_VERSION}. Update cubeshift.`,
    );
  }
  const confidence = CONFIDENCES.find((candidate) => candidate === minConfidence);
  if (confidence === undefined) throw broken(shownAs, 'minConfidence is missing or unknown');
  if (!Array.isArray(findings)) throw broken(shownAs, 'it has no list of findings');
  const bad = findings.findIndex((entry) => !isEntry(entry));
  if (bad >= 0) throw broken(shownAs, `findings[${bad}] lacks id, rule, file or snippet`);
  return { version: BASELINE_VERSION, minConfidence: confidence, findings };
}

function broken(shownAs: string, why: string): BaselineError {
  return new BaselineError(
    `Baseline ${shownAs} cannot be used: ${why}. Restore it from version control, or delete it and run with --update-baseline.`,
  );
}

function isEntry(value: unknown): value is BaselineEntry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Record<string, unknown>;
  return ['id', 'rule', 'file', 'snippet'].every((key) => typeof entry[key] === 'string');
}

/** 0 for certain, higher for less sure. */
function rank(confidence: Confidence): number {
  return CONFIDENCES.indexOf(confidence);
}

function inOrder(a: BaselineEntry, b: BaselineEntry): number {
  return compare(a.file, b.file) || compare(a.rule, b.rule) || compare(a.id, b.id);
}
