/** What JSON text can hold. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json | undefined;
}

/**
 * Reads JSON as people write it in configuration files: comments, trailing commas and a byte order
 * mark are allowed. Returns undefined for what is broken beyond that.
 */
export function parseJsonc(text: string): Json | undefined {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return tryParse(plain) ?? tryParse(stripExtensions(plain));
}

/** {@link parseJsonc} for files whose root is an object. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJsonc(text);
  return isObject(value) ? value : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The strings of an array; empty for anything else. */
export function stringsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Strings are matched first, so that what looks like a comment inside one is kept. */
const TOKENS = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const TRAILING_COMMA = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

function stripExtensions(text: string): string {
  const keepStrings = (token: string) => (token.startsWith('"') ? token : '');
  return text.replace(TOKENS, keepStrings).replace(TRAILING_COMMA, keepStrings);
}
