import { nameOf } from './paths.ts';

const GENERATED_NAME = /(?:[.-]min\.[cm]?js|\.bundle\.[cm]?js|\.map)$/i;
const GENERATED_NOTE =
  /@generated\b|\bDO NOT (?:EDIT|MODIFY)\b|\bautomatically generated\b|\bauto-?generated (?:by|from|file|code)\b|\bthis file (?:is|was) generated\b/i;
/** Lockfiles are read with the manifests, and one long line is how data files are written. */
const NOT_CODE =
  /\.(?:json|jsonc|jsonl|ndjson|lock|lockb|ya?ml|mdx?|txt|csv|tsv|svg|snap|ipynb|sql|env.*)$/i;
const HEADER_LINES = 20;

const LONG_LINE = 5000;
const DENSE_MEAN = 300;
const DENSE_SIZE = 20_000;

/**
 * Whether a file was written by a program: minified, bundled, a source map, or marked as generated.
 * Such files are reported once and never rewritten. Data and documents are never generated code.
 */
export function looksGenerated(path: string, text: string): boolean {
  const name = nameOf(path);
  if (GENERATED_NAME.test(name)) return true;
  return !NOT_CODE.test(name) && (hasGeneratedHeader(text) || isMinified(text));
}

function hasGeneratedHeader(text: string): boolean {
  let end = -1;
  for (let line = 0; line < HEADER_LINES; line++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) break;
  }
  const header = (end < 0 ? text : text.slice(0, end)).slice(0, 4000);
  // Only comments count: code that writes such headers is itself written by hand.
  return header.split('\n').some((line) => isComment(line) && GENERATED_NOTE.test(line));
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*|#|--|<!--|;|"""|''')/.test(line);
}

function isMinified(text: string): boolean {
  let lines = 0;
  for (let start = 0; start < text.length; lines++) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end;
    if (next - start > LONG_LINE) return true;
    start = next + 1;
  }
  return text.length > DENSE_SIZE && text.length / lines > DENSE_MEAN;
}
