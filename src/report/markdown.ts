import { ruleById } from '../catalog/rules.ts';
import { VERDICTS } from '../model/finding.ts';
import type { ScanReport } from '../model/report.ts';
import {
  changeNotes,
  count,
  duration,
  FIX_WORDS,
  type FileGroup,
  group,
  groupByFile,
  listedFindings,
  type SiteGroup,
  sharedBlockers,
  subject,
} from './groups.ts';
import { printable } from './layout.ts';
import type { Reporter } from './reporter.ts';
import { worstVerdict } from './severity.ts';

/** GitHub refuses job summaries and comments that are too long; the other reporters have the rest. */
const MOST_ROWS = 400;

/** The report for `$GITHUB_STEP_SUMMARY` and pull request comments. */
export const markdownReporter: Reporter = (report) => {
  const parts = [
    '## Daytona couplings',
    overview(report),
    ...(report.sdk.length > 0 ? [sdk(report)] : []),
    ...targets(report),
    ...blockers(report),
    ...nextSteps(report),
    ...files(report),
    ...changes(report),
    ...leftOut(report),
  ];
  return `${parts.join('\n\n')}\n`;
};

function overview(report: ScanReport): string {
  const { sites, filesCoupled, filesListed, byFix, byConfidence, effortMinutes } = report.summary;
  if (sites === 0) {
    const found = `No Daytona coupling found in ${count(filesListed, 'file')}.`;
    return report.complete ? found : `${found}\n\n${incompleteWarning(report)}`;
  }
  const lines = [
    `**${count(sites, 'site')} in ${count(filesCoupled, 'file')}** ` +
      `(${count(filesListed, 'file')} listed): ${group(byFix.automatic)} automatic, ` +
      `${group(byFix.review)} to review, ${group(byFix.manual)} manual; ` +
      `about ${duration(effortMinutes)} by hand.`,
    `Certain: ${byConfidence.certain}, likely: ${byConfidence.likely}, possible: ${byConfidence.possible}.`,
  ];
  if (report.baseline !== undefined) {
    const { new: added, known, fixed } = report.baseline;
    lines.push(`Against the baseline: **${added} new**, ${known} known, ${fixed.length} fixed.`);
  }
  if (!report.complete) lines.push(incompleteWarning(report));
  return lines.join('\n\n');
}

function incompleteWarning(report: ScanReport): string {
  const missing = report.skipped.filter((skip) => skip.incomplete).length;
  return `**Incomplete:** ${count(missing, 'file')} could not be analysed in full.`;
}

function sdk(report: ScanReport): string {
  const rows = report.sdk.map((use) => [
    code(use.package),
    code(use.version ?? use.range),
    text(use.generation ?? 'unknown generation'),
    code(use.manifest),
  ]);
  return table(['Package', 'Version', 'API generation', 'Manifest'], rows);
}

function targets(report: ScanReport): string[] {
  if (report.summary.sites === 0) return [];
  const rows = report.summary.targets.map(({ target, verdicts }) => [
    code(target),
    ...VERDICTS.map((verdict) => group(verdicts[verdict])),
  ]);
  return ['### Targets', table(['Target', ...VERDICTS], rows)];
}

function blockers(report: ScanReport): string[] {
  const shared = sharedBlockers(report);
  if (shared.length === 0) return [];
  const rows = shared.map((blocker) => [
    code(blocker.symbol),
    blocker.targets.map(code).join(', '),
    `${count(blocker.sites, 'site')} in ${count(blocker.files, 'file')}`,
    text(blocker.instead),
  ]);
  return ['### What blocks the move', table(['Symbol', 'Targets', 'Used', 'Instead'], rows)];
}

function nextSteps(report: ScanReport): string[] {
  const steps = report.summary.nextSteps;
  if (steps.length === 0) return [];
  return ['### What to do first', steps.map((step, i) => `${i + 1}. ${text(step)}`).join('\n')];
}

function files(report: ScanReport): string[] {
  const listed = groupByFile(listedFindings(report));
  if (listed.length === 0) return [];
  const title = report.baseline === undefined ? '### Findings' : '### New findings';
  let left = MOST_ROWS;
  let hidden = 0;
  const parts: string[] = [];
  for (const file of listed) {
    const shown = file.groups.slice(0, Math.max(0, left));
    left -= shown.length;
    hidden += file.groups.length - shown.length;
    if (shown.length > 0) parts.push(fileSection({ ...file, groups: shown }));
  }
  if (hidden > 0) parts.push(`${count(hidden, 'more entry', 'more entries')} not shown.`);
  return [title, ...parts];
}

function fileSection({ file, sites, groups }: FileGroup): string {
  const rows = groups.map(siteRow);
  const body = table(['Lines', 'Rule', 'What', 'Becomes', 'Fix', 'Worst verdict'], rows);
  return `<details><summary><code>${entities(printable(file))}</code> (${sites})</summary>\n\n${body}\n\n</details>`;
}

function siteRow({ first, findings }: SiteGroup): string[] {
  const sure = first.confidence === 'certain' ? '' : ` (${first.confidence})`;
  return [
    findings.map((finding) => finding.line).join(', '),
    `${first.rule} ${text(ruleById(first.rule).name)}`,
    (first.symbol === undefined ? text(first.message) : code(subject(first))) + sure,
    first.becomes === undefined ? '' : code(first.becomes),
    FIX_WORDS[first.fix],
    worstVerdict(first),
  ];
}

function changes(report: ScanReport): string[] {
  const items = changeNotes(report).map(({ subject: about, becomes, notes }) => {
    const head = `- ${code(about)}${becomes === undefined ? '' : ` becomes ${code(becomes)}`}`;
    const lines = notes.map(
      ({ targets: on, verdict, note }) =>
        `  - ${on.map(code).join(', ')}, ${verdict}: ${text(note ?? '')}`,
    );
    return [head, ...lines].join('\n');
  });
  return items.length === 0 ? [] : ['### What changes', items.join('\n')];
}

function leftOut(report: ScanReport): string[] {
  const skipped = report.skipped
    .filter((skip) => skip.incomplete)
    .map((skip) => `- ${code(skip.file)}: ${text(skip.detail ?? skip.reason)}`);
  const warnings = report.warnings.map((warning) => `- ${text(warning)}`);
  const unused = report.suppressions.unused.map(
    ({ file, line, rule }) => `- ${code(`${file}:${line}`)}: ${code(rule)} hides nothing`,
  );
  return [
    ...(skipped.length > 0 ? ['### Not analysed', skipped.join('\n')] : []),
    ...(warnings.length > 0 ? ['### Configuration not understood', warnings.join('\n')] : []),
    ...(unused.length > 0 ? ['### Unused suppressions', unused.join('\n')] : []),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Plain text for a paragraph or a cell: nothing in it is markup, and no `@name` calls a person. */
function text(value: string): string {
  return entities(printable(value)).replace(/@(?=\w)/g, '@<!-- -->');
}

/** A code span that holds any text, also inside a table, where a bare pipe would end the cell. */
function code(value: string): string {
  const shown = printable(value);
  return /[`|\\]|^ | $|^$/.test(shown) ? `<code>${entities(shown)}</code>` : `\`${shown}\``;
}

/** Writes every character that Markdown or HTML could take for markup as an entity. */
function entities(value: string): string {
  return value.replace(/[&<>\\`*_[\]|~]/g, (char) => `&#${char.charCodeAt(0)};`);
}
