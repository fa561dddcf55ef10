import { type JSONVisitor, type ParseError, parse, printParseErrorCode, visit } from 'jsonc-parser';

/** A syntax error with its place, 1-based. */
export class JsoncError extends Error {
  override name = 'JsoncError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, text: string, offset: number) {
    super(message);
    const before = text.slice(0, offset).split('\n');
    this.line = before.length;
    this.column = (before.at(-1)?.length ?? 0) + 1;
  }
}

/**
 * Parses JSON that may have comments, trailing commas and a byte order mark, as people write
 * configuration.
 * @throws {JsoncError}
 */
export function parseJsonc(source: string): unknown {
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (!isTooDeep(error)) throw error;
    throw new JsoncError('nested too deeply', text, 0);
  }
  const [first] = errors;
  if (first !== undefined) {
    throw new JsoncError(words(printParseErrorCode(first.error)), text, first.offset);
  }
  return value;
}

/** `CommaExpected` reads "comma expected". */
function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** The parser recurses: thousands of arrays in each other overflow the stack. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError;
}

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

/** Lists the keys and strings of a JSON text, in order, as far as a broken one goes. */
export function jsonStrings(source: string): JsonString[] {
  const found: JsonString[] = [];
  const add = (
    path: readonly (string | number)[],
    offset: number,
    length: number,
    isKey: boolean,
  ) => {
    const start = offset + 1;
    const end = offset + length - 1;
    found.push({ path: path.map(String), text: source.slice(start, end), start, end, isKey });
  };
  const visitor: JSONVisitor = {
    onObjectProperty: (_name, offset, length, _line, _character, path) =>
      add(path(), offset, length, true),
    onLiteralValue: (value, offset, length, _line, _character, path) => {
      if (typeof value === 'string') add(path(), offset, length, false);
    },
  };
  try {
    visit(source, visitor, { allowTrailingComma: true });
  } catch (error) {
    if (!isTooDeep(error)) throw error;
  }
  return found;
}
