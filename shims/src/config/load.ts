import { existsSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SandboxError } from '../provider/errors.ts';
import { checkConfig } from './check-config.ts';
import type { SandboxConfig } from './settings.ts';

const NAMES = ['json', 'ts', 'mts', 'js', 'mjs'].map((end) => `sandbox.config.${end}`);

/** The configuration file of a folder; `undefined` when there is none. */
export function findConfig(folder: string): string | undefined {
  return NAMES.map((name) => join(folder, name)).find((file) => existsSync(file));
}

/**
 * Reads a configuration file. Those that are programs export it as `default`.
 *
 * @throws {SandboxError} `configuration`
 */
export async function loadConfig(path: string): Promise<SandboxConfig> {
  const file = resolve(path);
  if (!existsSync(file)) {
    throw new SandboxError('configuration', `The configuration ${path} does not exist`);
  }
  const value = extname(file) === '.json' ? parse(file) : await run(file);
  return checkConfig(value, path);
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const told = `${file} is not JSON: ${(cause as Error).message}`;
    throw new SandboxError('configuration', told, { cause });
  }
}

async function run(file: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
    return module.default;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const told =
      code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? 'this version of Node runs no TypeScript: use 22.18 or newer, run with tsx, or write JSON'
        : message;
    throw new SandboxError('configuration', `${file}: ${told}`, { cause });
  }
}
