/** One instruction of a Dockerfile, with continued lines joined. */
export interface Instruction {
  /** In capitals. */
  name: string;
  /** What follows the name, without flags and here-documents. */
  rest: string;
  /** `--name=value`; a flag without value is empty. */
  flags: Readonly<Record<string, string>>;
  /** Here-documents, in the order they were named. */
  documents: readonly string[];
}

/** A Dockerfile that cannot be built here. */
export class DockerfileError extends Error {
  override name = 'DockerfileError';
}

/** Takes a Dockerfile apart. @throws DockerfileError when it is none */
export function parseDockerfile(content: string): Instruction[] {
  const lines = content.split(/\r?\n/);
  const instructions: Instruction[] = [];
  let joiner = '\\';
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const directive = /^#\s*escape\s*=\s*(\S)/i.exec(line);
    if (directive !== null && instructions.length === 0) joiner = directive[1] ?? joiner;
    if (/^\s*(?:#|$)/.test(line)) continue;
    let text = line.trimStart();
    while (text.trimEnd().endsWith(joiner)) {
      text = text.trimEnd().slice(0, -1);
      // Comments and empty lines between continued ones are left out.
      do index++;
      while (index < lines.length && /^\s*(?:#|$)/.test(lines[index] ?? ''));
      if (index >= lines.length) break;
      text += lines[index];
    }
    const [, name = '', body = ''] = /^([A-Za-z]+)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
    if (name === '') throw new DockerfileError(`unknown instruction: ${text.split(/\s/)[0]}`);
    const { flags, rest } = takeFlags(body);
    const documents: string[] = [];
    for (const { tag, stripsTabs } of hereTags(name, rest)) {
      const document: string[] = [];
      for (index++; index < lines.length; index++) {
        const inside = lines[index] ?? '';
        const bare = stripsTabs ? inside.replace(/^\t+/, '') : inside;
        if (bare === tag) break;
        document.push(bare);
      }
      if (index >= lines.length) throw new DockerfileError(`unterminated here-document ${tag}`);
      documents.push(`${document.join('\n')}\n`);
    }
    instructions.push({ name: name.toUpperCase(), rest, flags, documents });
  }
  return instructions;
}

function takeFlags(body: string): { flags: Record<string, string>; rest: string } {
  const flags: Record<string, string> = {};
  let rest = body;
  for (;;) {
    const match = /^--([a-z]+)(?:=(\S*))?\s+/.exec(rest);
    if (match === null) return { flags, rest };
    flags[match[1] ?? ''] = match[2] ?? '';
    rest = rest.slice(match[0].length);
  }
}

function hereTags(name: string, rest: string): { tag: string; stripsTabs: boolean }[] {
  if (!/^(?:RUN|COPY|ADD)$/i.test(name)) return [];
  return [...rest.matchAll(/<<(-?)\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)\2/g)].map(
    ([, dash, , tag = '']) => ({ tag, stripsTabs: dash === '-' }),
  );
}

/** The JSON form, or undefined when it is meant for a shell. */
export function execForm(rest: string): string[] | undefined {
  if (!rest.trimStart().startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(rest);
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  } catch {
    // A shell may begin with a bracket, too.
  }
  return undefined;
}

/** `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}`; single quotes do not keep it away. */
function substitute(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(
    /\\\$|\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?::([-+])([^}]*))?\})/g,
    (all, plain: string | undefined, braced: string | undefined, how?: string, other = '') => {
      if (all === '\\$') return '$';
      const value = variables[plain ?? braced ?? ''] ?? '';
      if (how === '-') return value === '' ? other : value;
      if (how === '+') return value === '' ? '' : other;
      return value;
    },
  );
}

/**
 * Words as a shell would take them apart: spaces part, quotes and backslashes keep together.
 * Variables are put in where quotes let them.
 */
export function words(text: string, variables: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  for (const [token] of text.matchAll(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g)) {
    const parts = token.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|((?:[^"'\\]|\\[\s\S])+)/g);
    let word = '';
    for (const [, double, single, bare] of parts) {
      // A dollar with a backslash before it is seen to by the substitution.
      if (double !== undefined) {
        word += substitute(double, variables).replace(/\\(["\\`])/g, '$1');
      } else {
        word += single ?? substitute(bare ?? '', variables).replace(/\\([\s\S])/g, '$1');
      }
    }
    found.push(word);
  }
  return found;
}

/** `KEY=value …`, or the old form `KEY value`. */
export function assignments(
  rest: string,
  variables: Readonly<Record<string, string>>,
): [string, string][] {
  if (!/^[^\s=]+=/.test(rest)) {
    const [, key = '', value = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
    return [[key, substitute(value, variables)]];
  }
  return words(rest, variables).map((word) => {
    const at = word.indexOf('=');
    return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  });
}
