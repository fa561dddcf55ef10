import { resolve } from 'node:path';
import { isBackend, isProvider, listed } from '../../shims/src/config/check-config.ts';
import { findConfig, loadConfig } from '../../shims/src/config/load.ts';
import type { Backend, SandboxConfig } from '../../shims/src/config/settings.ts';
import { SandboxError } from '../../shims/src/provider/errors.ts';
import type { SandboxProvider } from '../../shims/src/provider/provider.ts';

/** A provider of the configuration: of a backend that is known, or one of the program's own. */
export type Configured =
  | {
      name: string;
      isDefault: boolean;
      backend: Backend;
      options: Readonly<Record<string, unknown>>;
    }
  | { name: string; isDefault: boolean; own: SandboxProvider };

export interface Wanted {
  /** Names of the providers to take; all when there are none. */
  providers?: readonly string[] | undefined;
  /** Path of the configuration. */
  config?: string | undefined;
}

export interface Configuration {
  /** The file, if there is one. */
  file: string | undefined;
  providers: Configured[];
}

/**
 * Reads which providers the programs of a folder use, the same way as `createProvider` does.
 *
 * @throws {SandboxError} `configuration` when nothing says so, or what does is wrong
 */
export async function readConfiguration(
  { providers: wanted = [], config }: Wanted,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<Configuration> {
  const pinned = env.SANDBOX_PROVIDER || undefined;
  const named = config ?? (env.SANDBOX_CONFIG || undefined);
  const file = named === undefined ? findConfig(folder) : resolve(folder, named);
  const first = pinned ?? wanted[0];
  if (file === undefined && first === undefined) throw new SandboxError('configuration', NOTHING);
  const read = file === undefined ? { default: first ?? '' } : await loadConfig(file);
  const main = pinned ?? read.default;
  const names = wanted.length > 0 ? wanted : namesIn(read, main);
  return { file, providers: [...new Set(names)].map((name) => configured(name, main, read)) };
}

const NOTHING = `Nothing says which provider is used here. Name one with --provider, set SANDBOX_PROVIDER, or write sandbox.config.json, e.g. {"default": "cube"}.`;

function namesIn({ default: first, providers = {}, rollout = [] }: SandboxConfig, main: string) {
  return [main, first, ...Object.keys(providers), ...rollout.map(({ provider }) => provider)];
}

function configured(name: string, main: string, { providers = {} }: SandboxConfig): Configured {
  const settings = Object.hasOwn(providers, name) ? providers[name] : {};
  const isDefault = name === main;
  if (isProvider(settings)) return { name, isDefault, own: settings };
  const { use = name, ...options } = settings ?? {};
  if (isBackend(use)) return { name, isDefault, backend: use, options };
  const told = `"${name}" is not the name of a provider. ${listed(providers)}.`;
  throw new SandboxError('configuration', told);
}
