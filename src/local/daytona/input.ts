import { badRequest, DaytonaFailure } from './errors.ts';

/** A JSON object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** The body as an object; an empty body counts as one without fields. */
export function fieldsOf(body: unknown): Fields {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new DaytonaFailure(400, 'the body must be a JSON object', 'INVALID_REQUEST_BODY');
  }
  return body as Fields;
}

/** An optional text. @throws DaytonaFailure 400 when it is something else */
export function text(fields: Fields, name: string): string | undefined {
  return field(fields, name, 'a string', (value): value is string => typeof value === 'string');
}

/** A text that must be there, and not empty. */
export function needText(fields: Fields, name: string): string {
  const value = text(fields, name);
  if (value === undefined || value === '') throw badRequest(`${name} should not be empty`);
  return value;
}

export function flag(fields: Fields, name: string): boolean | undefined {
  return field(fields, name, 'a boolean value', (value) => typeof value === 'boolean');
}

export function integer(fields: Fields, name: string, least?: number): number | undefined {
  const value = field(fields, name, 'an integer number', (given): given is number =>
    Number.isInteger(given),
  );
  if (value !== undefined && least !== undefined && value < least) {
    throw badRequest(`${name} must not be less than ${least}`);
  }
  return value;
}

/** Texts by name, such as labels and variables. */
export function textMap(fields: Fields, name: string): Record<string, string> | undefined {
  return field(
    fields,
    name,
    'an object of strings',
    (value): value is Record<string, string> =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => typeof one === 'string'),
  );
}

export function textList(fields: Fields, name: string): string[] | undefined {
  return field(fields, name, 'an array of strings', (value): value is string[] => {
    return Array.isArray(value) && value.every((one) => typeof one === 'string');
  });
}

export function objectList(fields: Fields, name: string): Fields[] | undefined {
  return field(fields, name, 'an array of objects', (value): value is Fields[] => {
    return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null);
  });
}

/** Names that a shell can take. @throws DaytonaFailure 400 */
export function checkEnv(env: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw badRequest(`invalid environment variable name: '${name}'`);
    }
    if (value.includes('\0')) throw badRequest(`the value of '${name}' contains a NUL byte`);
  }
}

function field<T>(
  fields: Fields,
  name: string,
  kind: string,
  is: (value: unknown) => value is T,
): T | undefined;
function field(
  fields: Fields,
  name: string,
  kind: string,
  is: (value: unknown) => boolean,
): boolean | undefined;
function field(
  fields: Fields,
  name: string,
  kind: string,
  is: (value: unknown) => boolean,
): unknown {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (!is(value)) throw badRequest(`${name} must be ${kind}`);
  return value;
}
