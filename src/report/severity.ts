import { type Finding, VERDICTS, type Verdict } from '../model/finding.ts';

/** How loudly a finding is shown where a format has levels. */
export type Severity = 'error' | 'warning' | 'note';

/** The worst verdict of a finding over all targets of the report. */
export function worstVerdict(finding: Pick<Finding, 'verdicts'>): Verdict {
  let worst = 0;
  for (const { verdict } of Object.values(finding.verdicts)) {
    worst = Math.max(worst, VERDICTS.indexOf(verdict));
  }
  return VERDICTS[worst] ?? 'native';
}

/**
 * `error`: proven, and a target cannot do it. `warning`: a person must look, or something is lost.
 * `note`: unsure, or nothing to decide.
 */
export function severityOf(finding: Finding): Severity {
  if (finding.confidence === 'possible' || finding.fix === 'none') return 'note';
  const verdict = worstVerdict(finding);
  if (verdict === 'unsupported') return 'error';
  return verdict === 'emulated' || finding.fix !== 'automatic' ? 'warning' : 'note';
}
