/**
 * Keywords that put a module name into a string: `from '…'`, `import '…'`, `import('…')` (also as a
 * type) and `require('…')`. A property or a string called so is another thing.
 */
const SPECIFIER =
  /(?<![\w$.'"`])(?:from\s*|import\s*(?:\(\s*(?:(?:\/\*[^*]{0,500}(?:\*(?!\/)[^*]{0,500}){0,50}\*\/|\/\/[^\n]*)\s*)*)?|require\s*\(\s*)(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n$]+)`)/g;

/**
 * Lists the module names a TypeScript or JavaScript text may import, each once, in order.
 * Without parsing, so code inside comments and templates counts too: callers use it to find
 * candidates, never as proof.
 */
export function importSpecifiers(text: string): string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(SPECIFIER)) {
    found.add(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return [...found];
}
