import { matchPackage } from '../../catalog/packages.ts';
import { ENV_NAME, SDK_CODE, TEXT_PATTERNS, type TextPattern } from '../../catalog/text.ts';
import type { Confidence, Span } from '../../model/finding.ts';
import { describeEnv } from './env.ts';

/**
 * `literal`: a string literal, a template or a piece of one in a program, with or without its quotes.
 * `file`: anything else.
 */
export type TextContext = 'literal' | 'file';

/** A coupling found in text; offsets are relative to the text given. */
export interface TextMatch extends Span {
  rule: string;
  symbol?: string;
  confidence: Confidence;
  message?: string;
  /** What the text turns into, where that is one thing. */
  becomes?: string;
}

export interface MatchOptions {
  /** The file names a Daytona host, so bare REST paths in it mean Daytona too. */
  daytonaHost?: boolean;
}

/** Everything but REST paths names Daytona; this keeps the other literals of a program cheap. */
const WORTH_A_LOOK = /daytona|\/toolbox\/|\/(?:sandbox|workspace)\/|^\/|\}\//i;

const HOST = /(?:app|api|proxy)\.daytona\.(?:io|dev|works?)|daytonaproxy\d/i;

/** Whether a file names a Daytona host; callers compute it once per file for {@link matchText}. */
export function namesDaytonaHost(text: string): boolean {
  return HOST.test(text);
}

/**
 * Finds the Daytona couplings of a piece of text, in order and without overlap. The word alone (a
 * city, a label, a union member `'daytona'`) is none.
 */
export function matchText(
  text: string,
  context: TextContext,
  options: MatchOptions = {},
): TextMatch[] {
  return context === 'literal' ? matchLiteral(text, options) : search(text, context, options);
}

function matchLiteral(raw: string, options: MatchOptions): TextMatch[] {
  const quoted = /^(["'`])[\s\S]*\1$/.test(raw) && raw.length > 1;
  const offset = quoted ? 1 : 0;
  const text = maskPlaceholders(quoted ? raw.slice(1, -1) : raw);
  const whole = matchWholeLiteral(text);
  const found = whole === undefined ? search(text, 'literal', options) : [whole];
  return found.map((match) => ({
    ...match,
    start: match.start + offset,
    end: match.end + offset,
  }));
}

function search(text: string, context: TextContext, options: MatchOptions): TextMatch[] {
  if (!WORTH_A_LOOK.test(text)) return [];
  const candidates: TextMatch[][] = [embeddedCode(text, context)];
  for (const pattern of TEXT_PATTERNS) {
    if (pattern.needsHost === true && options.daytonaHost !== true) continue;
    if (pattern.fileOnly === true && context === 'literal') continue;
    candidates.push(findPattern(text, pattern, context));
  }
  candidates.push(findEnv(text, context));
  return withoutOverlap(candidates);
}

/**
 * Blanks the expressions of a template, keeping offsets: they are code that is analysed by itself,
 * and a host or a path must be seen whole across them.
 */
function maskPlaceholders(text: string): string {
  if (!text.includes('${')) return text;
  let depth = 0;
  let masked = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (depth === 0) {
      masked += char;
      if (char === '$' && text[i + 1] === '{') {
        masked += '{';
        depth = 1;
        i++;
      }
      continue;
    }
    if (char === '{') depth++;
    if (char === '}') depth--;
    masked += depth === 0 ? '}' : char === '\n' ? '\n' : 'x';
  }
  return masked;
}

/** Literals whose whole value is a name: a package, or a program that uses the SDK. */
function matchWholeLiteral(text: string): TextMatch | undefined {
  const pkg = text.length < 100 ? matchPackage(text) : undefined;
  if (pkg !== undefined) {
    const confidence = pkg.kind === 'wrapper' ? 'possible' : 'likely';
    return { rule: 'DT112', start: 0, end: text.length, confidence };
  }
  // The whole program goes, so what else it names is part of this one coupling.
  return embeddedCode(text, 'literal')[0];
}

function embeddedCode(text: string, context: TextContext): TextMatch[] {
  const found: TextMatch[] = [];
  const severalLines = /\n|\\n/.test(text);
  for (const pattern of SDK_CODE) {
    for (const match of text.matchAll(pattern)) {
      // A constructor alone is also what messages and comments talk about.
      const sure = !match[0].startsWith('new') || severalLines;
      found.push({
        rule: 'DT908',
        start: match.index,
        end: match.index + match[0].length,
        confidence: context === 'literal' && sure ? 'likely' : 'possible',
      });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function findPattern(text: string, pattern: TextPattern, context: TextContext): TextMatch[] {
  const found: TextMatch[] = [];
  for (const match of text.matchAll(pattern.pattern)) {
    const at = match.groups?.at ?? match[0];
    const start = match.index + match[0].indexOf(at);
    const end = start + trimEnd(at).length;
    if (end <= start) continue;
    const unsure = context === 'literal' && pattern.prose !== true && isProse(text);
    found.push({
      rule: pattern.rule,
      start,
      end,
      confidence: unsure ? 'possible' : pattern.confidence,
      ...(pattern.message !== undefined && { message: pattern.message }),
      ...(pattern.becomes !== undefined && { becomes: pattern.becomes }),
    });
  }
  return found;
}

function findEnv(text: string, context: TextContext): TextMatch[] {
  const found: TextMatch[] = [];
  for (const match of text.matchAll(ENV_NAME)) {
    const { known, becomes, message } = describeEnv(match[0]);
    const whole = match[0].length === text.length;
    const sure = context === 'file' || (whole && known);
    found.push({
      rule: 'DT901',
      start: match.index,
      end: match.index + match[0].length,
      confidence: sure ? 'likely' : 'possible',
      message,
      ...(becomes !== undefined && { becomes }),
    });
  }
  return found;
}

/** Keeps, of matches that overlap, the one from the earlier group. */
function withoutOverlap(groups: readonly (readonly TextMatch[])[]): TextMatch[] {
  const ranked = groups.flatMap((group, rank) => group.map((match) => ({ match, rank })));
  ranked.sort((a, b) => a.match.start - b.match.start || a.rank - b.rank);
  const kept: typeof ranked = [];
  for (const candidate of ranked) {
    let last = kept.at(-1);
    while (last !== undefined && candidate.match.start < last.match.end) {
      if (last.rank <= candidate.rank) break;
      kept.pop();
      last = kept.at(-1);
    }
    if (last === undefined || candidate.match.start >= last.match.end) kept.push(candidate);
  }
  return kept.map(({ match }) => match);
}

/** A sentence: several words with spaces between, on one line or more. */
function isProse(text: string): boolean {
  return /[A-Za-z]{2,}[,.:]? +[a-z]{2,} +[A-Za-z]{2,}/.test(text);
}

/** Punctuation at the end belongs to the sentence, not to the path or URL. */
function trimEnd(text: string): string {
  return text.replace(/[.,;:!?]+$/, '');
}
