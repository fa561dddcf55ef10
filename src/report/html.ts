import { createHash } from 'node:crypto';
import { ruleById } from '../catalog/rules.ts';
import { VERDICTS } from '../model/finding.ts';
import type { ScanReport } from '../model/report.ts';
import {
  changeNotes,
  count,
  duration,
  group,
  groupByFile,
  sharedBlockers,
  subject,
  verdictPhrases,
} from './groups.ts';
import { SCRIPT, STYLE } from './html-assets.ts';
import { printable } from './layout.ts';
import type { Reporter } from './reporter.ts';
import { worstVerdict } from './severity.ts';

/** One row of the findings table, as the page's script reads it. */
interface Row {
  id: string;
  file: string;
  line: number;
  rule: string;
  title: string;
  what: string;
  message: string;
  snippet: string;
  becomes: string;
  confidence: string;
  fix: string;
  verdict: string;
  notes: string[];
  baseline: string;
}

/**
 * One self-contained page: no network, no inline code but the two blocks whose hashes the content
 * security policy names. The summary is plain HTML; the findings are data that the script lists.
 */
export const htmlReporter: Reporter = (report) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Daytona couplings</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Daytona couplings</h1>
${headline(report)}
</header>
<main>
${[sdk(report), targets(report), blockers(report), nextSteps(report)].join('')}
${[files(report), changes(report), leftOut(report)].join('')}
${findings(report)}
</main>
<footer>cubeshift ${escapeHtml(report.tool.version)}</footer>
<script type="application/json" id="findings">${embed(rows(report))}</script>
<script>${SCRIPT}</script>
</body>
</html>
`;

function policy(): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return `default-src 'none'; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}; base-uri 'none'; form-action 'none'`;
}

function headline({ summary, complete, baseline }: ScanReport): string {
  const { sites, filesCoupled, filesListed, byFix, effortMinutes } = summary;
  const lines = [
    sites === 0
      ? `No Daytona coupling found in ${count(filesListed, 'file')}.`
      : `<strong>${count(sites, 'site')} in ${count(filesCoupled, 'file')}</strong>: ` +
        `${group(byFix.automatic)} automatic, ${group(byFix.review)} to review, ` +
        `${group(byFix.manual)} manual; about ${duration(effortMinutes)} by hand.`,
  ];
  if (baseline !== undefined) {
    const { new: added, known, fixed } = baseline;
    lines.push(`Against the baseline: ${added} new, ${known} known, ${fixed.length} fixed.`);
  }
  if (!complete) {
    lines.push('<strong class="unsupported">Incomplete:</strong> some files were not analysed.');
  }
  return lines.map((line) => `<p>${line}</p>`).join('\n');
}

function sdk(report: ScanReport): string {
  return section(
    'SDK',
    report.sdk.length > 0 &&
      table(
        ['Package', 'Version', 'API generation', 'Manifest'],
        report.sdk.map((use) => [
          escapeHtml(use.package),
          escapeHtml(use.version ?? use.range),
          escapeHtml(use.generation ?? 'unknown'),
          escapeHtml(use.manifest),
        ]),
      ),
  );
}

function targets({ summary }: ScanReport): string {
  return section(
    'Targets',
    summary.sites > 0 &&
      table(
        ['Target', ...VERDICTS],
        summary.targets.map(({ target, verdicts }) => [
          escapeHtml(target),
          ...VERDICTS.map((verdict) => number(verdicts[verdict])),
        ]),
      ),
  );
}

function blockers(report: ScanReport): string {
  const shared = sharedBlockers(report);
  return section(
    'What blocks the move',
    shared.length > 0 &&
      table(
        ['Symbol', 'Targets', 'Sites', 'Files', 'Instead'],
        shared.map(({ symbol, targets: blocked, sites, files: used, instead }) => [
          `<code>${escapeHtml(symbol)}</code>`,
          escapeHtml(blocked.join(', ')),
          number(sites),
          number(used),
          escapeHtml(instead),
        ]),
      ),
  );
}

function nextSteps({ summary }: ScanReport): string {
  const steps = summary.nextSteps.map((step) => `<li>${escapeHtml(step)}</li>`);
  return section('What to do first', steps.length > 0 && `<ol>${steps.join('')}</ol>`);
}

function files(report: ScanReport): string {
  const rows = groupByFile(report.findings).map(({ file, groups }) => {
    const all = groups.flatMap((site) => site.findings);
    const by = (fix: string) => number(all.filter((finding) => finding.fix === fix).length);
    const link = `<button type="button" data-file="${escapeHtml(file)}">${escapeHtml(file)}</button>`;
    return [link, number(all.length), by('automatic'), by('review'), by('manual')];
  });
  const head = ['File', 'Sites', 'Automatic', 'Review', 'Manual'];
  return section('Files', rows.length > 0 && table(head, rows));
}

function changes(report: ScanReport): string {
  const items = changeNotes(report).map(({ rules, subject: about, becomes, sites, notes }) => {
    const lines = notes.map(
      ({ targets: on, verdict, note }) =>
        `<dd><span class="${verdict}">${verdict}</span> on ${escapeHtml(on.join(', '))}: ${escapeHtml(note ?? '')}</dd>`,
    );
    const arrow = becomes === undefined ? '' : ` \u2192 <code>${escapeHtml(becomes)}</code>`;
    const used = `${rules.join(', ')}, ${count(sites, 'site')}`;
    const term = `<code>${escapeHtml(about)}</code>${arrow} (${used})`;
    return `<dt>${term}</dt>${lines.join('')}`;
  });
  const list = `<details><summary>${count(items.length, 'symbol')}</summary><dl>${items.join('\n')}</dl></details>`;
  return section('What changes', items.length > 0 && list);
}

function leftOut(report: ScanReport): string {
  const skipped = report.skipped
    .filter((skip) => skip.incomplete)
    .map((skip) => `<li>${escapeHtml(skip.file)}: ${escapeHtml(skip.detail ?? skip.reason)}</li>`);
  const warnings = report.warnings.map((warning) => `<li>${escapeHtml(warning)}</li>`);
  const unused = report.suppressions.unused.map(
    ({ file, line, rule }) => `<li>${escapeHtml(file)}:${line} ${escapeHtml(rule)}</li>`,
  );
  return (
    section('Not analysed in full', skipped.length > 0 && `<ul>${skipped.join('')}</ul>`) +
    section(
      'Configuration not understood',
      warnings.length > 0 && `<ul>${warnings.join('')}</ul>`,
    ) +
    section('Suppressions that hide nothing', unused.length > 0 && `<ul>${unused.join('')}</ul>`)
  );
}

/** The frame of the findings table; the script fills it and the choices of its filters. */
function findings(report: ScanReport): string {
  if (report.findings.length === 0) return '';
  const select = (name: string, label: string) =>
    `<label>${label}<select name="${name}"><option value="">all</option></select></label>`;
  return `<section aria-labelledby="list-title">
<h2 id="list-title">Findings</h2>
<form id="filters" role="search">
<label class="wide">Text<input type="search" name="text" placeholder="/ to search"></label>
${select('rule', 'Rule')}${select('confidence', 'Confidence')}${select('fix', 'Fix')}
${select('verdict', 'Worst verdict')}${select('file', 'File')}${select('baseline', 'Baseline')}
<button type="reset">Clear</button>
</form>
<p id="shown" role="status" aria-live="polite"></p>
<noscript><p>Listing and filtering the findings needs JavaScript; the json reporter has them all.</p></noscript>
<div id="list"></div>
<button type="button" id="more" hidden>Show more</button>
</section>`;
}

function rows(report: ScanReport): Row[] {
  return report.findings.map((finding) => ({
    id: finding.id,
    file: finding.file,
    line: finding.line,
    rule: finding.rule,
    title: ruleById(finding.rule).title,
    what: printable(subject(finding)),
    message: finding.symbol === undefined ? '' : printable(finding.message),
    snippet: printable(finding.snippet),
    becomes: printable(finding.becomes ?? ''),
    confidence: finding.confidence,
    fix: finding.fix,
    verdict: worstVerdict(finding),
    notes: verdictPhrases(finding),
    baseline: finding.baseline ?? '',
  }));
}

function section(title: string, body: string | false): string {
  return body === false ? '' : `<section><h2>${escapeHtml(title)}</h2>${body}</section>\n`;
}

/** A table whose columns sort by a click or the keyboard once the script runs. */
function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const columns = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('');
  const lines = body.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<div class="scroll"><table><thead><tr>${columns}</tr></thead><tbody>\n${lines.join('\n')}\n</tbody></table></div>`;
}

function number(value: number): string {
  return `<data value="${value}">${group(value)}</data>`;
}

/** Text as HTML, also inside a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** JSON for a script element: nothing in it can end the element or start a comment. */
function embed(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}
