import { createHash } from 'node:crypto';
import { findSymbol } from '../catalog/index.ts';
import { ruleById } from '../catalog/rules.ts';
import { type Target, verdictFor } from '../catalog/targets.ts';
import { compare } from '../compare.ts';
import type { Detection, Finding, Fix, VerdictNote } from '../model/finding.ts';

/** Minutes a person needs where the catalogue gives no figure of its own. */
const EFFORT: Readonly<Record<Fix, number>> = { automatic: 0, review: 5, manual: 30, none: 0 };

const SNIPPET_LENGTH = 120;

/**
 * Turns what the analysers saw in one file into findings: position, identity, and what the catalogue
 * knows about the symbol. One place reported twice under a rule is one finding.
 */
export function enrich(
  file: string,
  text: string,
  detections: readonly Detection[],
  targets: readonly Target[],
): Finding[] {
  const lines = lineStarts(text);
  const sorted = unique(detections);
  const seen = new Map<string, number>();
  return sorted.map((detection) => {
    const start = position(lines, detection.start);
    const end = position(lines, detection.end);
    const snippet = lineAt(text, lines, start.line);
    const key = [detection.rule, file, detection.scope ?? '', detection.symbol ?? '', snippet].join(
      '\n',
    );
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    return {
      id: createHash('sha256').update(`${key}\n${ordinal}`).digest('hex').slice(0, 16),
      rule: detection.rule,
      file,
      start: detection.start,
      end: detection.end,
      line: start.line,
      column: start.column,
      endLine: end.line,
      endColumn: end.column,
      ...optional(detection),
      confidence: detection.confidence,
      message: detection.message ?? `${ruleById(detection.rule).title}.`,
      snippet,
      ...migration(detection, targets),
    };
  });
}

function optional(detection: Detection): Pick<Finding, 'symbol' | 'legacyName' | 'scope'> {
  return {
    ...(detection.symbol === undefined ? {} : { symbol: detection.symbol }),
    ...(detection.legacyName === undefined ? {} : { legacyName: detection.legacyName }),
    ...(detection.scope === undefined ? {} : { scope: detection.scope }),
  };
}

/** What the place becomes, who does it, how long it takes and how each target fares. */
function migration(
  detection: Detection,
  targets: readonly Target[],
): Pick<Finding, 'becomes' | 'fix' | 'effortMinutes' | 'verdicts'> {
  const symbol = detection.symbol === undefined ? undefined : findSymbol(detection.symbol);
  const rule = ruleById(detection.rule);
  // A type reference mentions a symbol, but the work there is that of the mention.
  const isOwn = symbol !== undefined && symbol.rule === detection.rule;
  const fix = limit(detection.fix ?? (isOwn ? symbol.fix : rule.fix), detection);
  const becomes = detection.becomes ?? symbol?.becomes ?? undefined;
  const effort = isOwn ? (symbol.effortMinutes ?? EFFORT[fix]) : EFFORT[fix];
  const verdicts: Record<string, VerdictNote> = {};
  for (const target of targets) {
    verdicts[target.name] = symbol ? verdictFor(symbol.verdicts, target) : rule.verdict;
  }
  return {
    ...(becomes === undefined ? {} : { becomes }),
    fix,
    effortMinutes: fix === 'automatic' || fix === 'none' ? 0 : Math.max(effort, 1),
    verdicts,
  };
}

/** Only what is certain is rewritten without a person. */
function limit(fix: Fix, detection: Detection): Fix {
  return fix === 'automatic' && detection.confidence !== 'certain' ? 'review' : fix;
}

function unique(detections: readonly Detection[]): Detection[] {
  const places = new Map<string, Detection>();
  for (const detection of detections) {
    const key = `${detection.rule}:${detection.start}:${detection.end}`;
    if (!places.has(key)) places.set(key, detection);
  }
  return [...places.values()].sort(
    (a, b) => a.start - b.start || a.end - b.end || compare(a.rule, b.rule),
  );
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

function position(lines: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
}

function lineAt(text: string, lines: readonly number[], line: number): string {
  const content = text.slice(lines[line - 1], lines[line]).trim();
  return content.length > SNIPPET_LENGTH ? `${content.slice(0, SNIPPET_LENGTH - 1)}…` : content;
}
