/**
 * How sure the analyser is that a place is a Daytona coupling.
 * `certain`: the type says so. `likely`: data flow or a distinctive name says so.
 * `possible`: duck types, `any`, or text. Only `certain` is ever rewritten without a mark.
 */
export type Confidence = 'certain' | 'likely' | 'possible';

export const CONFIDENCES: readonly Confidence[] = ['certain', 'likely', 'possible'];

/**
 * Whether a Daytona feature works on a target.
 * `native`: same meaning. `adapted`: shape differs, nothing lost.
 * `emulated`: works, with a loss that the note names. `unsupported`: the note says what to do instead.
 */
export type Verdict = 'native' | 'adapted' | 'emulated' | 'unsupported';

export const VERDICTS: readonly Verdict[] = ['native', 'adapted', 'emulated', 'unsupported'];

/**
 * Who does the work at a site.
 * `automatic`: a codemod rewrites it. `review`: a codemod rewrites or marks it and a person decides.
 * `manual`: a person does it. `none`: nothing to do at this place.
 */
export type Fix = 'automatic' | 'review' | 'manual' | 'none';

export const FIXES: readonly Fix[] = ['automatic', 'review', 'manual', 'none'];

/** A verdict with the words that make it useful: what adapts, what is lost, or what to do instead. */
export interface VerdictNote {
  verdict: Verdict;
  note?: string;
}

/** Offsets are UTF-16 code units into the file's text without its byte order mark; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** 1-based lines and columns; columns count UTF-16 code units, as editors and SARIF do. */
export interface Position {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/**
 * What an analyser reports: the least it must know. Everything else about a finding is looked up
 * in the catalogue by {@link rule} and {@link symbol}, so that no analyser carries vendor knowledge.
 */
export interface Detection extends Span {
  /** Rule id, e.g. `DT401`. */
  rule: string;
  /** Catalogue id in current Daytona terms, e.g. `Process.executeCommand`; absent where no symbol is meant. */
  symbol?: string;
  confidence: Confidence;
  /** What is special about this place in one sentence; the rule's own text is used when absent. */
  message?: string;
  /** The name of the function, class or config key the place is in; part of the fingerprint. */
  scope?: string;
  /** Set when the code uses a name that newer SDKs no longer have. */
  legacyName?: string;
  /** Overrides the catalogue's fix, e.g. for code that never worked. */
  fix?: Fix;
  /** Overrides the catalogue's replacement, e.g. the new name of an environment variable. */
  becomes?: string;
}

export interface Finding extends Span, Position {
  /** Stable identity: survives moves of lines and of unrelated code. 16 hex digits. */
  id: string;
  rule: string;
  /** Repository-relative path with forward slashes. */
  file: string;
  symbol?: string;
  /** The name as written, where it differs from the current one. */
  legacyName?: string;
  confidence: Confidence;
  message: string;
  /** The first line of the code at the place, trimmed to 120 characters. */
  snippet: string;
  scope?: string;
  /** What the place becomes in the neutral interface; absent where nothing replaces it. */
  becomes?: string;
  fix: Fix;
  /** Rough time for a person in minutes; 0 when a codemod does it without review. */
  effortMinutes: number;
  /** Keyed by target name, one entry per requested target, in the order asked. */
  verdicts: Record<string, VerdictNote>;
  /** Present when a baseline was given. */
  baseline?: 'new' | 'known';
}
