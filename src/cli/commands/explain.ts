import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import pc from 'picocolors';
import { allSymbols, findSymbol } from '../../catalog/index.ts';
import { findRule, RULES, type Rule, ruleById } from '../../catalog/rules.ts';
import type { Target } from '../../catalog/targets.ts';
import { verdictFor } from '../../catalog/targets.ts';
import type { CatalogSymbol } from '../../catalog/types.ts';
import { loadConfig } from '../../config/config.ts';
import { nearest } from '../../config/nearest.ts';
import type { Finding, VerdictNote } from '../../model/finding.ts';
import { REPORT_SCHEMA_VERSION, type ScanReport } from '../../model/report.ts';
import { columns, printable, wrap } from '../../report/layout.ts';
import { systemReason, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { writeStdout } from '../output.ts';
import { openRepository, scanRepository } from '../repository.ts';
import { textWidth, useColour } from '../terminal.ts';
import { parseTargets, userFacing } from '../usage.ts';
import { topicOf } from './rules.ts';

export interface ExplainFlags {
  target?: string[];
  report?: string;
  json?: boolean;
  color: boolean;
}

/** What there is to say about one topic; as JSON it is printed like this. */
interface Explanation {
  rule: Rule & { topic: string };
  /** The symbols of the rule, or the one that was asked for. */
  symbols: SymbolExplanation[];
  finding?: Finding;
}

interface SymbolExplanation {
  id: string;
  becomes: string | null;
  fix: string;
  since?: string;
  until?: string;
  replacedBy?: string;
  verdicts: Record<string, VerdictNote>;
}

const FINDING_ID = /^[0-9a-f]{16}$/;
const DEFAULT_TARGETS = ['cube', 'e2b', 'local'];

/** Runs `cubeshift explain`. @throws {UsageError} for a topic that does not exist. */
export async function runExplain(topic: string, flags: ExplainFlags): Promise<ExitCode> {
  const targets = await userFacing(() => parseTargets(flags.target ?? DEFAULT_TARGETS));
  const explanation = FINDING_ID.test(topic)
    ? await explainFinding(topic, flags, targets)
    : explainName(topic, targets);
  if (explanation === undefined) throw new UsageError(unknownTopic(topic));
  const text = flags.json
    ? `${JSON.stringify(explanation, null, 2)}\n`
    : describe(explanation, useColour(process.stdout, flags.color), textWidth(process.stdout));
  await writeStdout(text);
  return EXIT.ok;
}

function explainName(topic: string, targets: readonly Target[]): Explanation | undefined {
  const rule = findRule(topic);
  if (rule !== undefined) {
    const symbols = [...allSymbols()].filter((symbol) => symbol.rule === rule.id && !symbol.quiet);
    return { rule: withTopic(rule), symbols: symbols.map((s) => explainSymbol(s, targets)) };
  }
  const symbol = symbolNamed(topic);
  return (
    symbol && {
      rule: withTopic(ruleById(symbol.rule)),
      symbols: [explainSymbol(symbol, targets)],
    }
  );
}

/** A symbol by id, without regard to case, or by its bare name where only one has it. */
function symbolNamed(topic: string): CatalogSymbol | undefined {
  const exact = findSymbol(topic);
  if (exact !== undefined) return exact;
  const wanted = topic.toLowerCase();
  const symbols = [...allSymbols()];
  const same = symbols.find((symbol) => symbol.id.toLowerCase() === wanted);
  if (same !== undefined) return same;
  const named = symbols.filter((symbol) => symbol.name.toLowerCase() === wanted);
  return named.length === 1 ? named[0] : undefined;
}

async function explainFinding(
  id: string,
  flags: ExplainFlags,
  targets: Target[],
): Promise<Explanation> {
  const report =
    flags.report === undefined ? await scanHere(targets) : readReport(flags.report, process.cwd());
  const finding = report.findings.find((candidate) => candidate.id === id);
  if (finding === undefined) {
    const where = flags.report === undefined ? 'this folder' : flags.report;
    const ids = report.findings.map((candidate) => candidate.id);
    throw new UsageError(`No finding ${id} in ${where}.${suggest(nearest(id, ids, 3))}`);
  }
  const symbol = finding.symbol === undefined ? undefined : findSymbol(finding.symbol);
  const symbols = symbol === undefined ? [] : [explainSymbol(symbol, targets)];
  return { rule: withTopic(ruleById(finding.rule)), symbols, finding };
}

async function scanHere(targets: Target[]): Promise<ScanReport> {
  const cwd = process.cwd();
  const { config } = await userFacing(() => loadConfig(cwd));
  return scanRepository(openRepository(cwd, ['.']), targets, config, { quiet: false });
}

function readReport(file: string, cwd: string): ScanReport {
  let report: Partial<ScanReport> | null;
  try {
    report = JSON.parse(readFileSync(resolve(cwd, file), 'utf8')) as Partial<ScanReport> | null;
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : systemReason(error);
    throw new UsageError(`Cannot read report ${file}: ${why}.`);
  }
  if (report?.schemaVersion !== REPORT_SCHEMA_VERSION || !Array.isArray(report.findings)) {
    throw new UsageError(
      `${file} is not a report of this version of cubeshift. Write one with --reporter json=${file}`,
    );
  }
  return report as ScanReport;
}

function unknownTopic(topic: string): string {
  const names = [
    ...RULES.flatMap(({ id, name }) => [id, name]),
    ...[...allSymbols()].map(({ id }) => id),
  ];
  const near = suggest(nearest(topic, names, 3));
  return `Nothing is known about "${topic}".${near} Give a rule ("cubeshift rules" lists them), a Daytona symbol or a finding id.`;
}

function suggest(near: readonly string[]): string {
  return near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
}

function withTopic(rule: Rule): Explanation['rule'] {
  return { ...rule, topic: topicOf(rule.id) };
}

function explainSymbol(symbol: CatalogSymbol, targets: readonly Target[]): SymbolExplanation {
  const { id, becomes, fix, since, until, replacedBy } = symbol;
  return {
    id,
    becomes,
    fix,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(replacedBy === undefined ? {} : { replacedBy }),
    verdicts: Object.fromEntries(
      targets.map((target) => [target.name, verdictFor(symbol.verdicts, target)]),
    ),
  };
}

function describe({ rule, symbols, finding }: Explanation, colour: boolean, width: number): string {
  const c = pc.createColors(colour);
  const lines = [
    c.bold(`${rule.id} ${rule.name}: ${rule.title}`),
    c.dim(rule.topic),
    '',
    ...wrap(rule.detail, width),
  ];
  if (finding !== undefined) lines.push('', ...describeFinding(finding, width));
  if (symbols.length === 0) {
    const { verdict, note = '' } = rule.verdict;
    lines.push('', ...wrap(`Fix: ${rule.fix}. On every target: ${verdict}. ${note}`, width));
  }
  if (rule.example !== undefined) {
    lines.push('', c.bold('Before'), `  ${rule.example.before}`);
    lines.push(c.bold('After'), `  ${rule.example.after}`);
  }
  if (symbols.length === 1) for (const symbol of symbols) lines.push('', ...describeSymbol(symbol));
  else if (symbols.length > 1) lines.push('', ...symbolTable(symbols));
  return `${lines.join('\n')}\n`;

  function describeSymbol(symbol: SymbolExplanation): string[] {
    const { id, becomes, fix, since, until, replacedBy, verdicts } = symbol;
    const lifetime = [
      ...(since === undefined ? [] : [`since ${since}`]),
      ...(until === undefined ? [] : [`until ${until}`]),
      ...(replacedBy === undefined ? [] : [`now ${replacedBy}`]),
    ];
    const notes = Object.entries(verdicts).flatMap(([target, { verdict, note }]) =>
      wrap(`${target}: ${verdict}${note === undefined ? '' : `. ${note}`}`, width - 2).map(
        (line, index) => (index === 0 ? `  ${line}` : `    ${line}`),
      ),
    );
    return [
      c.bold(id) + (lifetime.length > 0 ? ` (SDK: ${lifetime.join(', ')})` : ''),
      `  becomes ${becomes ?? 'nothing: there is no counterpart'} (${fix})`,
      ...notes,
    ];
  }

  /** One line a symbol; the notes are one "explain" away. */
  function symbolTable(rows: readonly SymbolExplanation[]): string[] {
    const names = Object.keys(rows[0]?.verdicts ?? {});
    const cells = rows.map(({ id, fix, verdicts }) => [
      id,
      fix,
      ...names.map((name) => verdicts[name]?.verdict ?? ''),
    ]);
    const [head = '', ...body] = columns([['Symbol', 'Fix', ...names], ...cells]);
    return [c.bold(head), ...body, '', c.dim('cubeshift explain <symbol> says more about one.')];
  }
}

function describeFinding(finding: Finding, width: number): string[] {
  const place = `${finding.file}:${finding.line}:${finding.column}`;
  return [
    `${printable(place)} (${finding.confidence}, ${finding.fix})`,
    `  ${printable(finding.snippet)}`,
    ...wrap(printable(finding.message), width, '  '),
  ];
}
