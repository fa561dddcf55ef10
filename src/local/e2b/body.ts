import { readBytes } from '../http/body.ts';
import type { Call } from '../http/router.ts';
import { ShapeError, SyntaxFailure } from './errors.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads values out of a JSON object; what is null counts as left out. */
export class Fields {
  readonly #value: JsonObject;
  readonly #at: string;

  constructor(value: JsonObject, at = '') {
    this.#value = value;
    this.#at = at;
  }

  /** The object as it came. */
  get raw(): JsonObject {
    return this.#value;
  }

  has(name: string): boolean {
    const value = this.#value[name];
    return value !== undefined && value !== null;
  }

  /** @throws ShapeError also when it is missing */
  string(name: string): string {
    return this.optionalString(name) ?? this.#missing(name, 'a string');
  }

  optionalString(name: string): string | undefined {
    return this.#read(name, 'a string', (value) => typeof value === 'string') as string | undefined;
  }

  integer(name: string): number {
    return this.optionalInteger(name) ?? this.#missing(name, 'an integer');
  }

  optionalInteger(name: string): number | undefined {
    return this.#read(name, 'an integer', Number.isSafeInteger) as number | undefined;
  }

  boolean(name: string): boolean | undefined {
    return this.#read(name, 'a boolean', (value) => typeof value === 'boolean') as
      | boolean
      | undefined;
  }

  strings(name: string): string[] | undefined {
    const list = this.#list(name);
    list?.forEach((value, index) => {
      if (typeof value !== 'string') this.#refuse(`${name}/${index}`, 'a string', value);
    });
    return list as string[] | undefined;
  }

  /** A map of strings. */
  map(name: string): Record<string, string> | undefined {
    const fields = this.object(name);
    if (fields === undefined) return undefined;
    for (const key of Object.keys(fields.raw)) fields.optionalString(key);
    return { ...fields.raw } as Record<string, string>;
  }

  object(name: string): Fields | undefined {
    const value = this.#read(name, 'an object', isObject);
    return value === undefined ? undefined : new Fields(value as JsonObject, `${this.#at}/${name}`);
  }

  objects(name: string): Fields[] | undefined {
    return this.#list(name)?.map((value, index) => {
      if (!isObject(value)) this.#refuse(`${name}/${index}`, 'an object', value);
      return new Fields(value as JsonObject, `${this.#at}/${name}/${index}`);
    });
  }

  #list(name: string): readonly unknown[] | undefined {
    return this.#read(name, 'a sequence', Array.isArray) as readonly unknown[] | undefined;
  }

  #read(name: string, expected: string, isRight: (value: unknown) => boolean): unknown {
    const value = this.#value[name] ?? undefined;
    if (value !== undefined && !isRight(value)) this.#refuse(name, expected, value);
    return value;
  }

  #missing(name: string, expected: string): never {
    throw new ShapeError(`${this.#at}/${name}`, expected);
  }

  #refuse(name: string, expected: string, found: unknown): never {
    throw new ShapeError(`${this.#at}/${name}`, expected, kindOf(found));
  }
}

/**
 * The body of a control-plane request. `optional`: none at all is as good as an empty object.
 * @throws ShapeError, SyntaxFailure
 */
export async function readFields(call: Call, { optional = false } = {}): Promise<Fields> {
  const text = (await readBytes(call.request)).toString('utf8');
  if (text.trim() === '') {
    if (optional) return new Fields({});
    throw new SyntaxFailure('EOF while parsing a value at line 1 column 0');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxFailure((error as Error).message);
  }
  if (!isObject(value)) throw new ShapeError('', 'an object', kindOf(value));
  return new Fields(value as JsonObject);
}

/** A non-negative integer of the query, or what holds without one. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In serde's words. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (typeof value === 'number') {
    return Number.isInteger(value) ? `integer \`${value}\`` : `floating point \`${value}\``;
  }
  return typeof value === 'boolean' ? `boolean \`${value}\`` : 'map';
}
