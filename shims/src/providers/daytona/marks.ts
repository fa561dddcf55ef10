import { OWN_LABELS } from '../../provider/check.ts';

/** Where Daytona keeps the language that its own `codeRun` reads. */
const LANGUAGE = 'code-toolbox-language';

/** Labels without those of this package and of Daytona's SDK. */
export function ownLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const isHidden = (key: string): boolean => key.startsWith(OWN_LABELS) || key === LANGUAGE;
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !isHidden(key)));
}

/** Those that have to stay when a caller replaces all of theirs. */
export function hiddenLabels(
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const own = ownLabels(labels);
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !(key in own)));
}
