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
 * Parses JSON that may have comments and trailing commas, as people write configuration.
 * `JSON.parse` cannot serve: it knows neither, and does not always say where an error is.
 * @throws {JsoncError}
 */
export function parseJsonc(source: string): unknown {
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*.*?\*\/)*/sy;
const STRING = /"(?:[^"\\\r\n]|\\.)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    this.#skipBlank();
    if (this.#take('{')) return this.#object();
    if (this.#take('[')) return this.#array();
    const literal = this.#match(STRING) ?? this.#match(NUMBER) ?? this.#match(WORD);
    if (literal === undefined) this.#fail('a value');
    return this.#literal(literal);
  }

  end(): void {
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail('the end of the file');
  }

  #object(): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (;;) {
      this.#skipBlank();
      if (this.#take('}')) return Object.fromEntries(entries);
      const key = this.#match(STRING);
      if (key === undefined) this.#fail('a key in double quotes or }');
      const name = String(this.#literal(key));
      this.#skipBlank();
      if (!this.#take(':')) this.#fail('a colon');
      entries.push([name, this.value()]);
      this.#skipBlank();
      if (!this.#take(',') && this.#text[this.#at] !== '}') this.#fail('a comma or }');
    }
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    for (;;) {
      this.#skipBlank();
      if (this.#take(']')) return items;
      items.push(this.value());
      this.#skipBlank();
      if (!this.#take(',') && this.#text[this.#at] !== ']') this.#fail('a comma or ]');
    }
  }

  #literal(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw new JsoncError(`Bad string or number ${text}`, this.#text, this.#at - text.length);
    }
  }

  #skipBlank(): void {
    this.#match(BLANK);
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(expected: string): never {
    const char = this.#text[this.#at];
    const found = char === undefined ? 'the end of the file' : JSON.stringify(char);
    throw new JsoncError(`Expected ${expected}, found ${found}`, this.#text, this.#at);
  }
}
