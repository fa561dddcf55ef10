import { dirname, sep } from 'node:path';

/** Turns a native path into one with forward slashes; nothing to do except on Windows. */
export const toSlashes: (path: string) => string =
  sep === '/' ? (path) => path : (path) => path.replaceAll(sep, '/');

/** The folder of a slash path; the empty string for a name without one. */
export function dirOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The last part of a slash path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A path or module name without the extension of a TypeScript or JavaScript file. */
export function withoutExtension(path: string): string {
  return path.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
}

/** The package a bare module name begins with, and what follows its slash, if there is one. */
export function splitSpecifier(specifier: string): { name: string; subpath: string | undefined } {
  const scope = specifier.startsWith('@') ? specifier.indexOf('/') + 1 : 0;
  const slash = specifier.indexOf('/', scope);
  return slash < 0
    ? { name: specifier, subpath: undefined }
    : { name: specifier.slice(0, slash), subpath: specifier.slice(slash + 1) };
}

/**
 * Joins a slash path onto a folder and resolves `.` and `..`.
 * Returns undefined when the result lies above the root, which no listed file does.
 */
export function joinPath(dir: string, path: string): string | undefined {
  const parts = dir === '' ? [] : dir.split('/');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** A folder and the folders above it, nearest first, ending with the root (the empty string). */
export function* upwards(dir: string): Generator<string> {
  let current = dir;
  while (current !== '') {
    yield current;
    current = dirOf(current);
  }
  yield '';
}

/** A name inside a folder, where the root is the empty string. */
export function inside(dir: string, name: string): string {
  return dir === '' ? name : `${dir}/${name}`;
}

/** The deepest folder that holds both absolute paths. */
export function commonFolder(a: string, b: string): string {
  let common = a;
  while (b !== common && !b.startsWith(common.endsWith(sep) ? common : common + sep)) {
    if (dirname(common) === common) break;
    common = dirname(common);
  }
  return common;
}
