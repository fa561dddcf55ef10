import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SandboxError } from '../../shims/src/provider/errors.ts';
import type { DaytonaSdk } from '../../shims/src/providers/daytona/sdk.ts';
import type { E2BSdk } from '../../shims/src/providers/e2b/sdk.ts';
import { installedVersion, type Version } from '../../shims/src/providers/sdk-version.ts';

/** An SDK as the project has it, which is where its programs load it from. */
export interface InstalledSdk {
  /** The name it is installed under, or the first of those it could have. */
  readonly name: string;
  readonly version: Version | undefined;
  /** Loads it from there. */
  load(): unknown;
}

/** The first of the packages that is installed for programs in a folder. */
export function findSdk(names: readonly [string, ...string[]], folder: string): InstalledSdk {
  const from = join(folder, 'package.json');
  const found = names.find((name) => installedVersion(name, from) !== undefined);
  const name = found ?? names[0];
  return {
    name,
    version: installedVersion(name, from),
    load: () => load(name, from),
  };
}

function load(name: string, from: string): unknown {
  try {
    return createRequire(from)(name);
  } catch (cause) {
    const told = `The package ${name} could not be loaded: ${(cause as Error).message}`;
    throw new SandboxError('configuration', told, { cause });
  }
}

export const loadE2b = (sdk: InstalledSdk): E2BSdk => sdk.load() as E2BSdk;
export const loadDaytona = (sdk: InstalledSdk): DaytonaSdk => sdk.load() as DaytonaSdk;
