import { RULES, type Rule, TOPICS } from '../catalog/rules.ts';
import type { Finding } from '../model/finding.ts';
import type { ScanReport, SkippedFile } from '../model/report.ts';
import { subject, verdictPhrases, withoutStop } from './groups.ts';
import type { ReportContext, Reporter } from './reporter.ts';
import { type Severity, severityOf, worstVerdict } from './severity.ts';

/** GitHub rejects a run with more. */
export const MOST_RESULTS = 25_000;

const SCHEMA =
  'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const ROOT = '%SRCROOT%';
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

/** SARIF 2.1.0 for code scanning. Uses only what GitHub and the common viewers read. */
export const sarifReporter: Reporter = (report, context) => {
  const findings = mostSevere(report.findings);
  const used = new Set(findings.map((finding) => finding.rule));
  const rules = RULES.filter((rule) => used.has(rule.id));
  const ruleIndex = new Map(rules.map((rule, index) => [rule.id, index]));
  const run = {
    tool: {
      driver: {
        name: report.tool.name,
        semanticVersion: report.tool.version,
        ...(context.homepage === undefined ? {} : { informationUri: context.homepage }),
        rules: rules.map((rule) => ruleDescriptor(rule, context)),
      },
    },
    invocations: [
      {
        executionSuccessful: report.complete,
        toolExecutionNotifications: notifications(report, findings.length),
      },
    ],
    originalUriBaseIds: {
      [ROOT]: { description: { text: 'The root of the scanned repository.' } },
    },
    columnKind: 'utf16CodeUnits',
    results: findings.map((finding) => result(finding, ruleIndex.get(finding.rule) ?? -1)),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
};

function ruleDescriptor(rule: Rule, { homepage }: ReportContext) {
  const topic = TOPICS[Number(rule.id[2]) as keyof typeof TOPICS];
  const example =
    rule.example === undefined
      ? ''
      : `\n\nBefore:\n\n    ${rule.example.before}\n\nAfter:\n\n    ${rule.example.after}`;
  return {
    id: rule.id,
    name: rule.name,
    shortDescription: { text: rule.title },
    fullDescription: { text: rule.detail },
    ...(homepage === undefined ? {} : { helpUri: `${homepage}#${rule.id.toLowerCase()}` }),
    help: {
      text: `${rule.detail}${example}`,
      markdown: `${rule.detail}${example}\n\nMore: \`cubeshift explain ${rule.id}\``,
    },
    properties: { tags: ['migration', topic.toLowerCase()] },
  };
}

function result(finding: Finding, ruleIndex: number) {
  return {
    ruleId: finding.rule,
    ruleIndex,
    level: severityOf(finding),
    message: { text: message(finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: location(finding.file),
          region: {
            startLine: finding.line,
            startColumn: finding.column,
            endLine: finding.endLine,
            endColumn: finding.endColumn,
            snippet: { text: finding.snippet },
          },
        },
        ...(finding.scope === undefined
          ? {}
          : { logicalLocations: [{ fullyQualifiedName: finding.scope }] }),
      },
    ],
    partialFingerprints: { 'cubeshiftFindingId/v1': finding.id },
    ...(finding.baseline === undefined
      ? {}
      : { baselineState: finding.baseline === 'known' ? 'unchanged' : 'new' }),
    properties: {
      confidence: finding.confidence,
      fix: finding.fix,
      effortMinutes: finding.effortMinutes,
      verdict: worstVerdict(finding),
      ...(finding.symbol === undefined ? {} : { symbol: finding.symbol }),
    },
  };
}

/** One paragraph: what it is, what it becomes, what each target makes of it. */
function message(finding: Finding): string {
  const about = subject(finding);
  const says = withoutStop(finding.message);
  const becomes = finding.becomes === undefined ? [] : [`Becomes ${finding.becomes}`];
  const head = about === says ? about : `${about}: ${says}`;
  return `${[head, ...becomes, ...verdictPhrases(finding)].join('. ')}.`;
}

/** Every finding, or the most severe ones when there are too many, in report order. */
function mostSevere(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MOST_RESULTS) return findings;
  const kept = new Set(
    SEVERITIES.flatMap((level) =>
      findings.filter((finding) => severityOf(finding) === level),
    ).slice(0, MOST_RESULTS),
  );
  return findings.filter((finding) => kept.has(finding));
}

function notifications(report: ScanReport, results: number) {
  const list: object[] = report.skipped.filter((skip) => skip.incomplete).map(skipNotification);
  if (results < report.findings.length) {
    const text = `Only the ${results} most severe of ${report.findings.length} results are listed. The json reporter has all of them.`;
    list.push({ level: 'warning', message: { text } });
  }
  for (const text of report.warnings) list.push({ level: 'note', message: { text } });
  for (const { file, line, rule } of report.suppressions.unused) {
    const physicalLocation = { artifactLocation: location(file), region: { startLine: line } };
    const text = `This suppression of ${rule} hides nothing.`;
    list.push({ level: 'note', message: { text }, locations: [{ physicalLocation }] });
  }
  return list;
}

function skipNotification({ file, reason, detail }: SkippedFile) {
  return {
    level: 'error',
    message: { text: `Could not be analysed in full: ${detail ?? reason}` },
    locations: [{ physicalLocation: { artifactLocation: location(file) } }],
  };
}

function location(file: string) {
  return { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: ROOT };
}
