import type { Confidence, Detection } from '../../model/finding.ts';
import { isEnvUse } from './env.ts';
import { type TextKind, textKind } from './kinds.ts';
import { fencedBlocks } from './markdown.ts';
import { matchText, namesDaytonaHost, type TextMatch } from './match.ts';
import { packageJsonMatches } from './package-json.ts';
import { pythonImports, requirementMatches } from './python.ts';

/**
 * Finds the text couplings of a file that no parser of ours reads: configuration, scripts, documents,
 * and programs in other languages. TypeScript and JavaScript files are not for this function.
 */
export function analyzeTextFile(path: string, text: string): Detection[] {
  const kind = textKind(path, text);
  return detect(kind, text).sort((a, b) => a.start - b.start);
}

function detect(kind: TextKind, text: string): TextMatch[] {
  switch (kind) {
    case 'lockfile':
      return [];
    case 'package-json':
      return packageJsonMatches(text);
    case 'docs':
      return documentMatches(text);
    case 'requirements':
      return [...requirementMatches(text), ...configMatches(text).filter(isNews)];
    case 'python':
      return [...pythonImports(text), ...programMatches(text)];
    case 'script':
      return programMatches(text);
    case 'env':
    case 'config':
    case 'json-config':
      return configMatches(text);
    case 'data':
      return capped(distinct(text, fileMatches(text)), 'possible');
  }
}

/** Recorded data repeats itself without being coupled more for it: each text counts once. */
function distinct(text: string, matches: readonly TextMatch[]): TextMatch[] {
  const seen = new Set<string>();
  return matches.filter((match) => {
    const key = `${match.rule} ${text.slice(match.start, match.end)}`;
    return !seen.has(key) && seen.add(key);
  });
}

function fileMatches(text: string): TextMatch[] {
  return matchText(text, 'file', { daytonaHost: namesDaytonaHost(text) });
}

/** Configuration: what it sets is likely a coupling, what it talks about is only possibly one. */
function configMatches(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  for (const match of fileMatches(text)) {
    if (isSameAssignment(text, found, match)) continue;
    const comment = isCommentedOut(text, match.start);
    const mentioned = match.rule === 'DT901' && !isEnvUse(text, match.start, match.end);
    // Code in a workflow or a heredoc runs, unlike code in a document.
    const code = match.rule === 'DT908' && !comment;
    const talk = comment || mentioned || isProse(text, match.start);
    const confidence = code ? 'likely' : talk ? 'possible' : match.confidence;
    found.push({ ...match, confidence });
  }
  return found;
}

/** In a manifest the dependency itself is reported; its name alone is not news. */
function isNews(match: TextMatch): boolean {
  return match.rule !== 'DT112';
}

const TALKED_ABOUT = new Set(['DT901', 'DT903', 'DT112']);

/** Keys whose values are written for people, and commands that print. */
const PROSE =
  /^\s*(?:[-*]\s+)?["']?(?:description|label|help|title|placeholder|summary|comment|en_US|zh_Hans)["']?\s*[:=]|\b(?:echo|printf)\b/i;

function isProse(text: string, offset: number): boolean {
  const near = text.slice(Math.max(0, offset - MARGIN), offset);
  return PROSE.test(near.slice(near.lastIndexOf('\n') + 1));
}

/** Programs in languages without an analyser: exact strings are as telling as in configuration. */
function programMatches(text: string): TextMatch[] {
  return fileMatches(text)
    .filter((match) => match.rule !== 'DT908' || isQuoted(text, match))
    .map((match) => {
      // A name or an address inside of a longer string is talk: a message, a docstring.
      const unsure =
        isCommentedOut(text, match.start) ||
        (TALKED_ABOUT.has(match.rule) && !isQuoted(text, match));
      return unsure ? { ...match, confidence: 'possible' as const } : match;
    });
}

/** Documents: one finding per fenced block that uses the SDK, and everything only `possible`. */
function documentMatches(text: string): TextMatch[] {
  const blocks = fencedBlocks(text);
  const found: TextMatch[] = [];
  let block = 0;
  let coded: number | undefined;
  for (const match of capped(fileMatches(text), 'possible')) {
    while ((blocks[block]?.end ?? Number.POSITIVE_INFINITY) <= match.start) block++;
    const fence = blocks[block];
    const fenced = fence !== undefined && match.start >= fence.start;
    // A package name or a line of code in a sentence is talk; in a block it is what readers copy.
    if (match.rule === 'DT908' && !fenced) continue;
    if (match.rule === 'DT112' && (!fenced || match.message === undefined)) continue;
    if (fenced && coded === block) continue;
    if (fenced && match.rule === 'DT908') {
      coded = block;
      // What the block named before its first line of SDK code belongs to the same coupling.
      while ((found.at(-1)?.start ?? -1) >= fence.start) found.pop();
    }
    if (!isSameAssignment(text, found, match) && !isRepeat(text, found.at(-1), match)) {
      found.push(match);
    }
  }
  return found;
}

/** `[https://app.daytona.io](https://app.daytona.io)`: the same words again on the same line. */
function isRepeat(text: string, last: TextMatch | undefined, match: TextMatch): boolean {
  if (last?.rule !== match.rule || match.start - last.end > MARGIN) return false;
  const words = text.slice(match.start, match.end);
  return (
    text.slice(last.start, last.end) === words && !text.slice(last.end, match.start).includes('\n')
  );
}

/** Kinds that are a variable's value as often as they stand alone. */
const VALUE_RULES = new Set(['DT903', 'DT904', 'DT906', 'DT907']);

/**
 * `DAYTONA_API_URL=https://app.daytona.io/api` and `DAYTONA_API_KEY: ${{ secrets.DAYTONA_API_KEY }}`
 * are one coupling each: the value goes with its variable.
 */
function isSameAssignment(text: string, found: readonly TextMatch[], match: TextMatch): boolean {
  const variable = variableBefore(found, match);
  if (variable === undefined) return false;
  const between = text.slice(variable.end, match.start);
  if (between.includes('\n')) return false;
  const name = text.slice(variable.start, variable.end);
  if (match.rule === 'DT901') return text.slice(match.start, match.end) === name;
  return VALUE_RULES.has(match.rule) && /^["']?\s*[:=]\s*["']?(?:\$\{\w+:?-)?$/.test(between);
}

/** The last variable near a match. Looks at near ones only: a file can have very many matches. */
function variableBefore(found: readonly TextMatch[], match: TextMatch): TextMatch | undefined {
  for (let i = found.length - 1; i >= 0; i--) {
    const other = found[i];
    if (other === undefined || match.start - other.end > MARGIN) return undefined;
    if (other.rule === 'DT901') return other;
  }
  return undefined;
}

/** How far a line is looked at around a match; a longer one was not written by hand. */
const MARGIN = 200;

/** Lines are not followed further back than this. */
const LONGEST_LINE = 10_000;

const LINE_COMMENT = /^\s*(?:#(?!!)|\/\/|--|;|<!--|\*|\/\*|rem\s)/i;

function isCommentedOut(text: string, offset: number): boolean {
  const from = Math.max(0, offset - LONGEST_LINE);
  const lineStart = from + text.slice(from, offset).lastIndexOf('\n') + 1;
  if (LINE_COMMENT.test(text.slice(lineStart, Math.min(offset, lineStart + MARGIN)))) return true;
  const before = text.slice(Math.max(lineStart, offset - MARGIN), offset);
  return /\s(?:#|\/\/)\s[^"'`]*$/.test(before);
}

function isQuoted(text: string, match: TextMatch): boolean {
  const before = text[match.start - 1] ?? '';
  return /["'`]/.test(before) && text[match.end] === before;
}

function capped(matches: readonly TextMatch[], confidence: Confidence): TextMatch[] {
  return matches.map((match) => ({ ...match, confidence }));
}
