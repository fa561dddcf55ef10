import { ruleById } from '../catalog/rules.ts';
import { compare } from '../compare.ts';
import { type Finding, type Fix, VERDICTS, type VerdictNote } from '../model/finding.ts';
import type { Blocker, ScanReport } from '../model/report.ts';
import { worstVerdict } from './severity.ts';

/** Findings of one file that say the same and so are shown once, with all their places. */
export interface SiteGroup {
  /** The first finding in the file; what it says holds for all. */
  first: Finding;
  findings: Finding[];
}

export interface FileGroup {
  file: string;
  sites: number;
  groups: SiteGroup[];
}

/** Files in report order, each with its findings grouped by rule, symbol and what they say. */
export function groupByFile(findings: readonly Finding[]): FileGroup[] {
  const files = new Map<string, Map<string, SiteGroup>>();
  for (const finding of findings) {
    const groups = entry(files, finding.file, () => new Map<string, SiteGroup>());
    const { rule, symbol, legacyName, confidence, fix, message, becomes } = finding;
    const key = JSON.stringify([rule, symbol, legacyName, confidence, fix, message, becomes]);
    entry(groups, key, () => ({ first: finding, findings: [] })).findings.push(finding);
  }
  return [...files].map(([file, groups]) => {
    const list = [...groups.values()];
    const sites = list.reduce((sum, group) => sum + group.findings.length, 0);
    return { file, sites, groups: list };
  });
}

/** Findings to list one by one: with a baseline, the new ones. */
export function listedFindings(report: ScanReport): Finding[] {
  return report.findings.filter((finding) => finding.baseline !== 'known');
}

/** What a finding is about in a few words: its symbol, else its message. */
export function subject(finding: Finding): string {
  const name = finding.symbol ?? withoutStop(finding.message);
  return finding.legacyName === undefined ? name : `${name} (written ${finding.legacyName})`;
}

/** The message where it says more than the title of the rule, which is shown anyway. */
export function extraMessage(finding: Finding): string | undefined {
  if (finding.symbol === undefined) return undefined;
  return finding.message === `${ruleById(finding.rule).title}.` ? undefined : finding.message;
}

/** The message of a finding as a clause: the catalogue writes sentences. */
export function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

/** `cube@0.7.2, e2b: adapted (what differs)`, one for each group of targets that fare alike. */
export function verdictPhrases(finding: Pick<Finding, 'verdicts'>): string[] {
  return sharedVerdicts(finding).map(({ targets, verdict, note }) => {
    const why = note === undefined ? '' : ` (${withoutStop(note)})`;
    return `${targets.join(', ')}: ${verdict}${why}`;
  });
}

/** Targets that share a text, with the text. */
export interface SharedNote extends VerdictNote {
  targets: string[];
}

/** The verdicts of a finding with equal ones merged, in target order. */
export function sharedVerdicts(finding: Pick<Finding, 'verdicts'>): SharedNote[] {
  const shared = new Map<string, SharedNote>();
  for (const [target, verdict] of Object.entries(finding.verdicts)) {
    const key = `${verdict.verdict} ${verdict.note ?? ''}`;
    entry(shared, key, () => ({ ...verdict, targets: [] })).targets.push(target);
  }
  return [...shared.values()];
}

/** One symbol, or one rule where no symbol is meant, with what changes for it. */
export interface ChangeNote {
  /** Rules its findings are reported under, sorted. */
  rules: string[];
  subject: string;
  becomes: string | undefined;
  sites: number;
  notes: SharedNote[];
}

/**
 * What becomes of every symbol of the report, each once, worst verdict first, then most used.
 * Notes that {@link sharedBlockers} shows already are left out.
 */
export function changeNotes(report: ScanReport): ChangeNote[] {
  const blocked = new Set(report.summary.targets.flatMap((t) => t.blockers.map((b) => b.instead)));
  const changes = new Map<string, { first: Finding; rules: Set<string>; sites: number }>();
  for (const finding of report.findings) {
    const change = entry(changes, finding.symbol ?? finding.rule, () => {
      return { first: finding, rules: new Set<string>(), sites: 0 };
    });
    change.rules.add(finding.rule);
    change.sites++;
  }
  return [...changes.values()]
    .map(({ first, rules, sites }) => ({
      rules: [...rules].sort(),
      subject: first.symbol ?? ruleById(first.rule).title,
      // Without a symbol every place becomes something of its own.
      becomes: first.symbol === undefined ? undefined : first.becomes,
      sites,
      notes: sharedVerdicts(first).filter(
        ({ note, verdict }) =>
          note !== undefined && !(verdict === 'unsupported' && blocked.has(note)),
      ),
      worst: VERDICTS.indexOf(worstVerdict(first)),
    }))
    .filter(({ notes, becomes }) => notes.length > 0 || becomes !== undefined)
    .sort((a, b) => b.worst - a.worst || b.sites - a.sites || compare(a.subject, b.subject))
    .map(({ worst: _, ...change }) => change);
}

/** A blocker with the targets it blocks in the same words. */
export interface SharedBlocker extends Blocker {
  targets: string[];
}

/** Blockers of all targets with equal ones merged, most used first. */
export function sharedBlockers(report: ScanReport): SharedBlocker[] {
  const shared = new Map<string, SharedBlocker>();
  for (const { target, blockers } of report.summary.targets) {
    for (const blocker of blockers) {
      const key = JSON.stringify([blocker.rule, blocker.symbol, blocker.instead]);
      entry(shared, key, () => ({ ...blocker, targets: [] })).targets.push(target);
    }
  }
  // A stable sort keeps the order of the summary among equally used ones.
  return [...shared.values()].sort((a, b) => b.sites - a.sites);
}

/** Words for who does the work. */
export const FIX_WORDS: Readonly<Record<Fix, string>> = {
  automatic: 'automatic',
  review: 'review',
  manual: 'manual',
  none: 'no action',
};

/** `1 site`, `2 sites`. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${group(amount)} ${amount === 1 ? noun : plural}`;
}

/** Digits in groups of three, whatever the locale. */
export function group(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Minutes as a person says them: `45 min`, `3 h 20 min`, `4.5 working days` of eight hours. */
export function duration(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  if (minutes >= 2 * 480) return `${group(Math.round(minutes / 48) / 10)} working days`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

function entry<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
