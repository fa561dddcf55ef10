import { parseJsonc as parseStrictly } from '../jsonc.ts';

/** What JSON text can hold. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json | undefined;
}

/** Reads JSON as people write it in configuration files. Returns undefined for what is broken. */
export function parseJsonc(text: string): Json | undefined {
  try {
    // Most files are plain, and lockfiles are large.
    return JSON.parse(text) as Json;
  } catch {
    return parseTolerantly(text);
  }
}

function parseTolerantly(text: string): Json | undefined {
  try {
    return parseStrictly(text) as Json;
  } catch {
    return undefined;
  }
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
