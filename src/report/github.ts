import { ruleById } from '../catalog/rules.ts';
import type { Finding } from '../model/finding.ts';
import { count, listedFindings, subject, verdictPhrases } from './groups.ts';
import type { Reporter } from './reporter.ts';
import { type Severity, severityOf } from './severity.ts';

const COMMANDS: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  note: 'notice',
};
const LOUDEST_FIRST: readonly Severity[] = ['error', 'warning', 'note'];

/**
 * GitHub workflow commands, which become annotations on the changed files of a pull request.
 * GitHub shows only the first ten of each level of a step, so the loudest come first.
 */
export const githubReporter: Reporter = (report) => {
  const lines: string[] = [];
  const findings = listedFindings(report);
  for (const level of LOUDEST_FIRST) {
    for (const finding of findings.filter((candidate) => severityOf(candidate) === level)) {
      const becomes = finding.becomes === undefined ? [] : [`becomes ${finding.becomes}`];
      const message = [subject(finding), ...becomes, ...verdictPhrases(finding)];
      lines.push(command(COMMANDS[level], place(finding), message));
    }
  }
  for (const { file, reason, incomplete, detail } of report.skipped) {
    if (!incomplete) continue;
    const title = 'cubeshift could not analyse this file';
    lines.push(command('error', { file, title }, [detail ?? reason]));
  }
  const { sites, filesCoupled, byFix } = report.summary;
  const total = `${count(sites, 'Daytona site')} in ${count(filesCoupled, 'file')}`;
  const work = `${byFix.automatic} automatic, ${byFix.review} to review, ${byFix.manual} manual`;
  lines.push(command('notice', { title: 'cubeshift' }, [`${total}: ${work}`]));
  return `${lines.join('\n')}\n`;
};

/** Where an annotation goes. GitHub takes columns only for a place within one line. */
function place({ file, rule, line, endLine, column, endColumn }: Finding) {
  const columns = line === endLine ? { col: column, endColumn } : {};
  return { file, line, endLine, ...columns, title: `${rule} ${ruleById(rule).title}` };
}

function command(
  name: string,
  properties: Record<string, string | number>,
  message: readonly string[],
): string {
  const list = Object.entries(properties).map(([key, value]) => `${key}=${property(`${value}`)}`);
  return `::${name} ${list.join(',')}::${data(message.join('\n'))}`;
}

/** Escapes the message of a workflow command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes the value of a property, where `:` and `,` are separators too. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
