import pc from 'picocolors';
import { CONFIDENCES, type Fix, VERDICTS, type Verdict } from '../model/finding.ts';
import type { ScanReport } from '../model/report.ts';
import {
  changeNotes,
  count,
  duration,
  extraMessage,
  FIX_WORDS,
  type FileGroup,
  group,
  groupByFile,
  listedFindings,
  type SharedBlocker,
  type SiteGroup,
  sharedBlockers,
  sharedVerdicts,
  subject,
} from './groups.ts';
import { columns, printable, truncate, wrap } from './layout.ts';
import type { ReportContext, Reporter } from './reporter.ts';

/** `1234:56` and a space. */
const PLACE_WIDTH = 8;
const FIX_WIDTH = 9;
/** Two spaces and the longest verdict. */
const VERDICT_WIDTH = 13;
/** What stands around the subject of a line: indent, place, rule id, gaps, fix. */
const LINE_FRAME = 2 + PLACE_WIDTH + 6 + 2 + FIX_WIDTH;
const DETAIL_INDENT = ' '.repeat(PLACE_WIDTH + 4);
/** Blockers beyond these are counted; the others are found in the list above them. */
const MOST_BLOCKERS = 12;

type Colours = ReturnType<typeof pc.createColors>;

/** The report for people: places first, then what changes, then the summary at the end. */
export const textReporter: Reporter = (report, context) => {
  const page = new Page(context);
  for (const file of groupByFile(listedFindings(report))) addFile(page, file);
  addChanges(page, report);
  addBaseline(page, report);
  addLeftOut(page, report);
  addSummary(page, report);
  return page.text();
};

/** Lines of output and how to lay them out. */
class Page {
  readonly lines: string[] = [];
  readonly c: Colours;
  readonly context: ReportContext;

  constructor(context: ReportContext) {
    this.context = context;
    this.c = pc.createColors(context.colour);
  }

  add(...lines: string[]): void {
    this.lines.push(...lines);
  }

  /** A heading after a blank line. */
  heading(text: string): void {
    if (this.lines.length > 0) this.add('');
    this.add(this.c.bold(text));
  }

  wrapped(text: string, indent: string, style: (line: string) => string = (line) => line): void {
    const lines = wrap(printable(text), this.context.width, indent);
    this.add(...lines.map((line) => indent + style(line.slice(indent.length))));
  }

  text(): string {
    return `${this.lines.join('\n')}\n`;
  }
}

function addFile(page: Page, { file, sites, groups }: FileGroup): void {
  page.heading(
    `${page.c.underline(printable(page.context.path(file)))}${sites > 1 ? ` (${sites})` : ''}`,
  );
  for (const site of groups) addSite(page, site);
}

/**
 *     12:9    DT401 Process.executeCommand                              automatic
 *               cube@0.7.2, e2b: adapted; also lines 40, 77
 *
 * With one target its verdict is a column of the first line instead.
 */
function addSite(page: Page, { first, findings }: SiteGroup): void {
  const { c, context } = page;
  const style = first.confidence === 'possible' ? c.dim : (text: string) => text;
  const verdicts = sharedVerdicts({ verdicts: withoutNotes(first.verdicts) });
  const only = Object.values(first.verdicts).length === 1 ? verdicts[0] : undefined;

  // A symbol is explained once, under "What changes"; other places become something of their own.
  const becomes = first.symbol === undefined && first.becomes ? ` -> ${first.becomes}` : '';
  const place = `${first.line}:${first.column}`.padEnd(PLACE_WIDTH);
  const room = context.width - LINE_FRAME - (only === undefined ? 0 : VERDICT_WIDTH);
  const what = truncate(printable(subject(first) + becomes), room).padEnd(room);
  const fix = fixColour(c, first.fix)(FIX_WORDS[first.fix].padEnd(only ? FIX_WIDTH : 0));
  const verdict = only === undefined ? '' : `  ${verdictColour(c, only.verdict)(only.verdict)}`;
  page.add(style(`  ${place}${first.rule} ${what}  ${fix}${verdict}`));

  const message = extraMessage(first);
  if (message !== undefined) page.wrapped(message, DETAIL_INDENT, style);
  const details = only ? [] : verdicts.map((v) => `${v.targets.join(', ')}: ${v.verdict}`);
  if (first.confidence !== 'certain') details.unshift(first.confidence);
  const others = findings.slice(1).map((finding) => finding.line);
  if (others.length > 0) {
    details.push(`also ${others.length === 1 ? 'line' : 'lines'} ${others.join(', ')}`);
  }
  page.wrapped(details.join('; '), DETAIL_INDENT, c.dim);
}

/** Verdicts alone, so that targets with different notes still share an entry. */
function withoutNotes(verdicts: SiteGroup['first']['verdicts']): SiteGroup['first']['verdicts'] {
  return Object.fromEntries(
    Object.entries(verdicts).map(([target, { verdict }]) => [target, { verdict }]),
  );
}

function addChanges(page: Page, report: ScanReport): void {
  const changes = changeNotes(report);
  if (changes.length === 0) return;
  page.heading('What changes');
  for (const { rules, subject: about, becomes, sites, notes } of changes) {
    const used = `${rules.join(', ')}, ${count(sites, 'site')}`;
    page.add(`  ${printable(about)} ${page.c.dim(used)}`);
    if (becomes !== undefined) page.wrapped(`-> ${becomes}`, '    ', page.c.green);
    for (const { targets, verdict, note } of notes) {
      const on = report.targets.length > 1 ? `${targets.join(', ')}, ` : '';
      page.wrapped(`${on}${verdict}: ${note ?? ''}`, '    ');
    }
  }
}

function addBaseline(page: Page, report: ScanReport): void {
  if (report.baseline === undefined) return;
  const { file, new: added, known, fixed } = report.baseline;
  page.heading(`Baseline ${printable(file)}`);
  page.add(
    `  ${group(added)} new, ${group(known)} known (not listed), ${group(fixed.length)} fixed`,
  );
  for (const entry of fixed) {
    const what = printable(
      `fixed: ${page.context.path(entry.file)} ${entry.rule} ${entry.snippet}`,
    );
    page.add(`  ${page.c.dim(truncate(what, page.context.width - 2))}`);
  }
}

/** What the result does not cover, and comments that cover nothing. */
function addLeftOut(page: Page, report: ScanReport): void {
  const missing = report.skipped.filter((skip) => skip.incomplete);
  if (missing.length > 0) {
    page.heading('Not analysed in full');
    for (const { file, reason, detail } of missing) {
      page.wrapped(`${page.context.path(file)}: ${detail ?? reason}`, '  ', page.c.red);
    }
  }
  if (report.warnings.length > 0) {
    page.heading('Configuration not understood');
    for (const warning of report.warnings) page.wrapped(printable(warning), '  ');
  }
  if (report.suppressions.unused.length > 0) {
    page.heading('Suppressions that hide nothing');
    for (const { file, line, rule } of report.suppressions.unused) {
      page.wrapped(`${page.context.path(file)}:${line} ${rule}`, '  ');
    }
  }
}

function addSummary(page: Page, report: ScanReport): void {
  const { c, context } = page;
  const { summary } = report;
  if (summary.sites === 0) {
    page.heading(`No Daytona coupling found in ${count(summary.filesListed, 'file')}.`);
  } else {
    page.heading(
      `${count(summary.sites, 'Daytona site')} in ${count(summary.filesCoupled, 'file')}`,
    );
    addFacts(page, report);
    addTargets(page, report);
    addBlockers(page, sharedBlockers(report));
  }
  if (summary.nextSteps.length > 0) {
    page.heading('What to do first');
    summary.nextSteps.forEach((step, index) => {
      const number = `${index + 1}. `;
      const [head = '', ...rest] = wrap(printable(step), context.width - 5);
      page.add(`  ${number}${head}`, ...rest.map((line) => `     ${line}`));
    });
  }
  if (!report.complete) {
    page.add('', c.red(c.bold('Incomplete: some files could not be analysed in full, see above.')));
  }
}

function addFacts(page: Page, report: ScanReport): void {
  const { summary, suppressions } = report;
  const { byFix, byConfidence } = summary;
  const facts: [string, string][] = [
    ['Files', `${group(summary.filesListed)} listed, ${group(summary.filesAnalysed)} analysed`],
    ...report.sdk.map(({ package: name, version, range, source, generation, manifest }) => {
      const exact = version === null ? `${range} (no exact version known)` : version;
      const from = source !== null && source !== 'range' ? ` from ${source}` : '';
      const words = generation === null ? '' : `: ${generation}`;
      return ['SDK', `${name} ${exact}${from}, in ${manifest}${words}`] satisfies [string, string];
    }),
    ['Sure', CONFIDENCES.map((name) => `${group(byConfidence[name])} ${name}`).join(', ')],
    [
      'Work',
      `${group(byFix.automatic)} automatic, ${group(byFix.review)} to review, ` +
        `${group(byFix.manual)} manual` +
        `${byFix.none > 0 ? `, ${group(byFix.none)} need nothing` : ''}; ` +
        `about ${duration(summary.effortMinutes)} by hand`,
    ],
  ];
  if (suppressions.used > 0) facts.push(['Hidden', `${group(suppressions.used)} by comments`]);
  for (const [name, value] of facts) {
    const [head = '', ...rest] = wrap(printable(value), page.context.width - 10);
    page.add(`  ${name.padEnd(8)}${head}`, ...rest.map((line) => `          ${line}`));
  }
}

/** Verdict counts, one column a target. */
function addTargets(page: Page, { summary }: ScanReport): void {
  const names = summary.targets.map(({ target }) => target);
  const rows = VERDICTS.map((verdict) => [
    verdict,
    ...summary.targets.map(({ verdicts }) => group(verdicts[verdict])),
  ]);
  const right = names.map((_, index) => index + 1);
  const [head = '', ...body] = columns([['', ...names], ...rows], right);
  page.add('', `  ${head}`);
  body.forEach((line, index) => {
    page.add(`  ${verdictColour(page.c, VERDICTS[index] ?? 'native')(line)}`);
  });
}

function addBlockers(page: Page, blockers: readonly SharedBlocker[]): void {
  if (blockers.length === 0) return;
  page.heading('What blocks the move');
  for (const { symbol, targets, sites, files, instead } of blockers.slice(0, MOST_BLOCKERS)) {
    const used = `${count(sites, 'site')} in ${count(files, 'file')}`;
    page.add(`  ${page.c.red(printable(symbol))} on ${targets.join(', ')}: ${used}`);
    page.wrapped(instead, '    ');
  }
  const more = blockers.length - MOST_BLOCKERS;
  if (more > 0) page.add(`  and ${group(more)} more`);
}

function fixColour(c: Colours, fix: Fix): (text: string) => string {
  return { automatic: c.green, review: c.yellow, manual: c.red, none: c.dim }[fix];
}

function verdictColour(c: Colours, verdict: Verdict): (text: string) => string {
  const plain = (text: string) => text;
  return { native: c.green, adapted: plain, emulated: c.yellow, unsupported: c.red }[verdict];
}
