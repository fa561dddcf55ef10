import type { TextMatch } from './match.ts';

const MODULE = String.raw`daytona(?:_sdk|_(?:toolbox_|analytics_)?api_client(?:_async)?)?(?:\.\w+)*`;
const IMPORT = new RegExp(
  String.raw`^[ \t]*(?:from\s+(${MODULE})\s+import\b|import\s+(?:\w[\w.]*(?:\s+as\s+\w+)?\s*,\s*)*(${MODULE})(?=\s*(?:$|#|,|as\b|;)))`,
  'gm',
);

/** Imports of the Daytona SDK in Python source. `likely`, since a local module may have the name. */
export function pythonImports(text: string): TextMatch[] {
  return [...text.matchAll(IMPORT)].map((match) => {
    const module = match[1] ?? match[2] ?? '';
    const client = module.includes('api_client');
    const indent = match[0].length - match[0].trimStart().length;
    return {
      rule: client ? 'DT109' : 'DT101',
      start: match.index + indent,
      end: match.index + match[0].length,
      confidence: 'likely',
    };
  });
}

/** A requirement line, a quoted requirement, or a key of a dependency table. */
const REQUIREMENT =
  /^[ \t]*(?:-[ \t]+)?["']?(?<at>(?:daytona(?:[-_]sdk)?|daytona[-_](?:toolbox[-_]|analytics[-_])?api[-_]client))(?:\[[\w,-]*\])?["']?[ \t]*(?=[=<>~!;,@"'#]|\r?$)|["'](?<quoted>daytona(?:[-_]sdk)?)(?:\[[\w,-]*\])?[ \t]*(?:[=<>~!@][^"'\n]*)?["']|(?<go>github\.com\/daytonaio\/(?:daytona|clients)\/(?:libs\/)?sdk-go|github\.com\/daytona\/clients\/sdk-go)/gm;

/** Keys of pyproject.toml and setup.cfg whose values name a package without depending on it. */
const NOT_A_DEPENDENCY =
  /^(?:name|description|keywords|classifiers|module|modules|packages?|include|exclude|markers|known_\w+|src|authors)$/;

/** Daytona packages in Python (and Go) manifests. */
export function requirementMatches(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  for (const match of text.matchAll(REQUIREMENT)) {
    const name = match.groups?.at ?? match.groups?.quoted ?? match.groups?.go ?? '';
    const start = match.index + match[0].indexOf(name);
    if (!isDeclared(text, start, start + name.length)) continue;
    found.push({ rule: 'DT111', start, end: start + name.length, confidence: 'likely' });
  }
  return found;
}

function isDeclared(text: string, start: number, end: number): boolean {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(lineStart, start);
  if (/^\s*#/.test(before) || /^(?:module|replace)\s/.test(before)) return false;
  // `daytona = [` names a group of extras.
  if (/^["']?\s*=\s*\[/.test(text.slice(end, end + 20))) return false;
  const key =
    /^\s*([\w.-]+)\s*=/.exec(before)?.[1] ??
    /([\w.-]+)\s*=\s*\[[^\]]*$/.exec(text.slice(Math.max(0, start - 4000), start))?.[1];
  return key === undefined || !NOT_A_DEPENDENCY.test(key);
}
