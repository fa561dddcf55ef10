/** A string in a JSON text with where it stands. */
export interface JsonString {
  /** Keys and array indexes that lead to it; for a key, those that lead to its object. */
  path: readonly string[];
  /** The raw text between the quotes. */
  text: string;
  /** Offset of the first character after the opening quote. */
  start: number;
  /** Offset of the closing quote. */
  end: number;
  isKey: boolean;
}

interface Level {
  array: boolean;
  /** The key or index of the value that comes next. */
  at: string;
  expectKey: boolean;
}

const TOKEN = /"((?:[^"\\\n]|\\.)*)"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\],:]/g;

/**
 * Lists the strings of a JSON text with comments, in order. Unlike a parser it knows offsets, and it
 * goes on as well as it can when the text is broken.
 */
export function* jsonStrings(text: string): Generator<JsonString> {
  const levels: Level[] = [];
  for (const token of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    switch (token[0]) {
      case '{':
        levels.push({ array: false, at: '', expectKey: true });
        break;
      case '[':
        levels.push({ array: true, at: '0', expectKey: false });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level?.array === true) level.at = String(Number(level.at) + 1);
        else if (level !== undefined) level.expectKey = true;
        break;
      case ':':
        if (level !== undefined) level.expectKey = false;
        break;
      default: {
        const content = token[1];
        if (content === undefined) break;
        const start = token.index + 1;
        const isKey = level?.expectKey === true;
        const parents = isKey ? levels.slice(0, -1) : levels;
        const path = parents.map((parent) => parent.at);
        yield { path, text: content, start, end: start + content.length, isKey };
        if (isKey) level.at = content;
      }
    }
  }
}
