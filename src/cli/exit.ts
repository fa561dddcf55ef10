import { CONFIDENCES, type Confidence } from '../model/finding.ts';
import type { ScanReport } from '../model/report.ts';

/** Every exit code of every command. Scripts depend on them: a number never changes meaning. */
export const EXIT = {
  /** The command did its work and there is nothing to report at the chosen level. */
  ok: 0,
  /** The command did its work and the gate failed, e.g. findings at or above `--fail-on`. */
  gate: 1,
  /** The command was called or configured wrongly and did nothing. */
  usage: 2,
  /** Something could not be read, parsed or written, or the tool itself failed. Outranks `gate`. */
  incomplete: 3,
  /** Refused because going on could lose work. */
  refused: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * The exit code of a finished scan. Findings the baseline knows never fail the gate, and a scan
 * that could not see everything is never green, whatever it found.
 */
export function scanExitCode(report: ScanReport, failOn: Confidence | 'none'): ExitCode {
  if (!report.complete) return EXIT.incomplete;
  if (failOn === 'none') return EXIT.ok;
  const limit = CONFIDENCES.indexOf(failOn);
  const fails = report.findings.some(
    (finding) => finding.baseline !== 'known' && CONFIDENCES.indexOf(finding.confidence) <= limit,
  );
  return fails ? EXIT.gate : EXIT.ok;
}
