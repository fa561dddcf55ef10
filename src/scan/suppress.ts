import { findRule } from '../catalog/rules.ts';
import { compare } from '../compare.ts';
import type { Finding } from '../model/finding.ts';
import type { SuppressionSummary, UnusedSuppression } from '../model/report.ts';

/** Cheap test before any parsing: most files have no suppression. */
const NEEDLE = 'cubeshift-ignore';

/**
 * A comment opener, then the directive, then what it says. Covers `//`, `#`, `/*`, ` *` inside a
 * block, `<!--`, `{/*`, `--` and `;`.
 */
const DIRECTIVE =
  /(?:\/\/|#|\/\*+|<!--|--|;|^\s*\*)\s*cubeshift-ignore(-file)?(?![\w-])[ \t:]*(.*)$/;
/** The end of a block comment and whatever follows it on the line. */
const COMMENT_END = /\*\/(.*)|-->(.*)/;
/** What may stand around a comment that is alone on its line. */
const NO_CODE = /^[\s{}]*$/;
const RULE_ID = /^DT\d{3}$/i;

/** One rule named by one comment; a comment may name several. */
interface Suppression {
  file: string;
  /** Line of the comment. */
  line: number;
  /** Rule id, `*` for all rules, or the unknown word that stands in its place. */
  rule: string;
  /** Line it acts on, or undefined for the whole file. */
  target: number | undefined;
  used: boolean;
}

/**
 * Hides the findings that a comment in the code accepts:
 *
 *     // cubeshift-ignore DT401 kept until the worker moves     on the same line or the line above
 *     # cubeshift-ignore DT901, DT903                           several rules
 *     // cubeshift-ignore *                                     every rule
 *     // cubeshift-ignore-file DT806 fixtures                   the whole file
 *
 * A comment never hides more than it names: a word that is no rule hides nothing and is reported
 * as unused, as is every rule that hid nothing. `analysed` lists further files to look for unused
 * comments in.
 */
export function applySuppressions(
  findings: readonly Finding[],
  textOf: (file: string) => string | undefined,
  analysed: Iterable<string> = [],
): { kept: Finding[]; summary: SuppressionSummary } {
  const byFile = new Map<string, Suppression[]>();
  for (const file of new Set([...findings.map((finding) => finding.file), ...analysed])) {
    const text = textOf(file);
    if (text?.includes(NEEDLE)) byFile.set(file, readSuppressions(file, text));
  }
  if (byFile.size === 0) return { kept: [...findings], summary: { used: 0, unused: [] } };

  const kept = findings.filter((finding) => !isSuppressed(finding, byFile.get(finding.file)));
  const unused = [...byFile.values()].flat().filter((suppression) => !suppression.used);
  return {
    kept,
    summary: { used: findings.length - kept.length, unused: unused.map(toUnused).sort(inOrder) },
  };
}

function isSuppressed(finding: Finding, suppressions: Suppression[] | undefined): boolean {
  const matching = suppressions?.filter(
    ({ rule, target }) =>
      (rule === '*' || rule === finding.rule) && (target === undefined || target === finding.line),
  );
  for (const suppression of matching ?? []) suppression.used = true;
  return matching !== undefined && matching.length > 0;
}

function readSuppressions(file: string, text: string): Suppression[] {
  const lines = text.split(/\r?\n/);
  const directives = lines.map((line) => (line.includes(NEEDLE) ? DIRECTIVE.exec(line) : null));
  return directives.flatMap((directive, index) => {
    if (directive === null) return [];
    const [, wholeFile, rest = ''] = directive;
    const target = wholeFile === undefined ? actsOn(index) + 1 : undefined;
    return namedRules(rest).map((rule) => ({ file, line: index + 1, rule, target, used: false }));
  });

  /** A comment after code acts on its line; one alone on its line acts on the next code line. */
  function actsOn(index: number): number {
    let at = index;
    for (let found = directives[at]; found != null && isAlone(found); found = directives[at]) at++;
    return at;
  }
}

function isAlone(directive: RegExpExecArray): boolean {
  const end = COMMENT_END.exec(directive[2] ?? '');
  const after = end?.[1] ?? end?.[2] ?? '';
  return NO_CODE.test(directive.input.slice(0, directive.index)) && NO_CODE.test(after);
}

/** The rules named before the reason; the first word must be one, or `*`, or nothing. */
function namedRules(rest: string): string[] {
  const words = rest
    .replace(COMMENT_END, '')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  const [first] = words;
  if (first === undefined || first === '*') return ['*'];
  const rules: string[] = [];
  for (const word of words) {
    const rule = findRule(word);
    // Only an id can follow another: "image-name" may be the start of the reason.
    if (rule === undefined || (rules.length > 0 && !RULE_ID.test(word))) break;
    rules.push(rule.id);
  }
  return rules.length === 0 ? [first] : rules;
}

function toUnused({ file, line, rule }: Suppression): UnusedSuppression {
  return { file, line, rule };
}

function inOrder(a: UnusedSuppression, b: UnusedSuppression): number {
  return compare(a.file, b.file) || a.line - b.line || compare(a.rule, b.rule);
}
