import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Version of an installed package as numbers; `undefined` where it cannot be told, as in a bundle.
 * `from` is a file of whoever uses the package.
 */
export function installedVersion(
  name: string,
  from: string = import.meta.url,
): Version | undefined {
  try {
    let folder = dirname(createRequire(from).resolve(name));
    for (;;) {
      const version = versionIn(join(folder, 'package.json'), name);
      if (version !== undefined) return parseVersion(version);
      const above = dirname(folder);
      if (above === folder) return undefined;
      folder = above;
    }
  } catch {
    return undefined;
  }
}

export type Version = readonly [major: number, minor: number, patch: number];

export function parseVersion(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = text.split(/[.+-]/).map(Number);
  return [major, minor, patch];
}

/** Whether a version is another one, or after it. */
export function isAtLeast(version: Version, least: Version): boolean {
  for (const [i, part] of version.entries()) {
    const other = least[i] ?? 0;
    if (part !== other) return part > other;
  }
  return true;
}

function versionIn(file: string, name: string): string | undefined {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
    return manifest.name === name ? manifest.version : undefined;
  } catch {
    return undefined;
  }
}
