import { ruleById } from '../catalog/rules.ts';
import type { Target } from '../catalog/targets.ts';
import { compare } from '../compare.ts';
import { CONFIDENCES, FIXES, type Finding, VERDICTS, type Verdict } from '../model/finding.ts';
import type {
  Blocker,
  ReportSummary,
  SdkUse,
  SkippedFile,
  TargetSummary,
} from '../model/report.ts';

export interface SummaryInput {
  findings: readonly Finding[];
  skipped: readonly SkippedFile[];
  sdk: readonly SdkUse[];
  targets: readonly Target[];
  filesListed: number;
  filesAnalysed: number;
}

/** Answers the questions a person plans a migration with. */
export function summarize(input: SummaryInput): ReportSummary {
  const { findings, targets } = input;
  const summaries = targets.map((target) => summarizeTarget(target, findings));
  return {
    filesListed: input.filesListed,
    filesAnalysed: input.filesAnalysed,
    filesCoupled: new Set(findings.map((finding) => finding.file)).size,
    sites: findings.length,
    byConfidence: tally(CONFIDENCES, findings, (finding) => finding.confidence),
    byFix: tally(FIXES, findings, (finding) => finding.fix),
    byRule: tally([...new Set(findings.map((f) => f.rule))].sort(), findings, (f) => f.rule),
    effortMinutes: findings.reduce((sum, finding) => sum + finding.effortMinutes, 0),
    targets: summaries,
    nextSteps: nextSteps(input, summaries),
  };
}

function summarizeTarget(target: Target, findings: readonly Finding[]): TargetSummary {
  return {
    target: target.name,
    verdicts: tally(VERDICTS, findings, (f) => f.verdicts[target.name]?.verdict as Verdict),
    blockers: blockersOf(target, findings),
  };
}

/** What the target cannot do. Types, imports and mocks only mention a symbol and block nothing. */
function blockersOf(target: Target, findings: readonly Finding[]): Blocker[] {
  const bySymbol = new Map<string, { blocker: Blocker; files: Set<string> }>();
  for (const finding of findings) {
    const verdict = finding.verdicts[target.name];
    if (verdict?.verdict !== 'unsupported' || finding.confidence === 'possible') continue;
    if (finding.rule === 'DT010' || isMention(finding)) continue;
    const symbol = finding.symbol ?? ruleById(finding.rule).title;
    const entry = bySymbol.get(symbol) ?? {
      blocker: { symbol, rule: finding.rule, sites: 0, files: 0, instead: verdict.note ?? '' },
      files: new Set<string>(),
    };
    bySymbol.set(symbol, entry);
    entry.files.add(finding.file);
    entry.blocker.sites++;
    entry.blocker.files = entry.files.size;
  }
  return [...bySymbol.values()]
    .map(({ blocker }) => blocker)
    .sort((a, b) => b.sites - a.sites || compare(a.symbol, b.symbol));
}

const MENTIONS = new Set([
  'DT101',
  'DT102',
  'DT103',
  'DT104',
  'DT105',
  'DT106',
  'DT801',
  'DT802',
  'DT806',
]);

function isMention(finding: Finding): boolean {
  return MENTIONS.has(finding.rule);
}

function nextSteps(input: SummaryInput, targets: readonly TargetSummary[]): string[] {
  const { findings, skipped, sdk } = input;
  const steps: string[] = [];
  const incomplete = skipped.filter((file) => file.incomplete).length;
  if (incomplete > 0) {
    steps.push(
      `Make ${count(incomplete, 'file')} readable and scan again: the list is incomplete.`,
    );
  }
  const dead = findings.filter((finding) => finding.rule === 'DT010').length;
  if (dead > 0) steps.push(`Decide on ${count(dead, 'place')} that never worked (DT010).`);
  for (const { target, blockers } of targets) {
    const first = blockers[0];
    if (first !== undefined) {
      steps.push(
        `Design around what ${target} lacks, first ${first.symbol} (${count(first.sites, 'site')}).`,
      );
    }
  }
  const unknown = sdk.filter((use) => use.version === null && use.generation === null).length;
  if (unknown > 0 && findings.length > 0) {
    steps.push('Commit a lockfile: the SDK version is unknown, so old call shapes are guessed.');
  }
  const rest = findings.filter((f) => f.rule === 'DT902' || f.rule === 'DT109').length;
  if (rest > 0) steps.push(`Replace ${count(rest, 'direct REST use')} by the SDK or the provider.`);
  const hub = busiestFile(findings);
  if (hub !== undefined) {
    steps.push(`Start with ${hub.file}: ${count(hub.sites, 'site')}, the most in one file.`);
  }
  return steps;
}

function busiestFile(findings: readonly Finding[]): { file: string; sites: number } | undefined {
  const sites = new Map<string, number>();
  for (const finding of findings) {
    if (finding.confidence !== 'certain') continue;
    sites.set(finding.file, (sites.get(finding.file) ?? 0) + 1);
  }
  let busiest: { file: string; sites: number } | undefined;
  for (const [file, count] of sites) {
    if (count > (busiest?.sites ?? 0)) busiest = { file, sites: count };
  }
  return busiest;
}

function tally<K extends string>(
  keys: readonly K[],
  findings: readonly Finding[],
  keyOf: (finding: Finding) => K,
): Record<K, number> {
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
  for (const finding of findings) counts[keyOf(finding)]++;
  return counts;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
