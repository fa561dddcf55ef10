import { resolve } from 'node:path';
import { checkConfig } from './check-config.ts';
import { findConfig, loadConfig } from './load.ts';
import { RoutedProvider } from './routed.ts';
import type { BackendOptions, SandboxConfig } from './settings.ts';

/** Selects by name what is wanted, with settings for it, instead of a configuration. */
export type ProviderConfig = {
  [B in keyof BackendOptions]: { provider: B } & Omit<BackendOptions[B], 'name'>;
}[keyof BackendOptions];

export interface FromConfigOptions {
  provider?: undefined;
  /**
   * The configuration, or the path of its file. Defaults to the file named by `SANDBOX_CONFIG`, then
   * to `sandbox.config.json` (`.ts`, `.mjs`, …) in the working folder.
   */
  config?: SandboxConfig | string;
}

/**
 * The provider that the program runs on, which configuration decides:
 *
 * 1. an argument: `createProvider({ provider: 'cube', apiUrl })`,
 * 2. `SANDBOX_PROVIDER`, which overrules the file and its rules, for a way back in no time,
 * 3. the file, see {@link SandboxConfig}.
 *
 * Nothing is loaded or asked before the first call.
 *
 * @throws {SandboxError} `configuration` when nothing says which provider, or what does is wrong; of a
 *   file with the first call
 * @example
 * const provider = createProvider();
 * const sandbox = await provider.create({ labels: { tenantId } });
 */
export function createProvider(
  options: ProviderConfig | FromConfigOptions = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): RoutedProvider {
  if (options.provider !== undefined) {
    const { provider, ...settings } = options;
    const config = { default: provider, providers: { [provider]: settings } };
    const checked = checkConfig(config, 'createProvider');
    return new RoutedProvider({ config: async () => checked });
  }
  const pinned = env.SANDBOX_PROVIDER || undefined;
  const { config = env.SANDBOX_CONFIG || findConfig(process.cwd()) } = options;
  if (typeof config === 'object') {
    const checked = checkConfig(config, 'createProvider');
    return new RoutedProvider({ config: async () => checked, pinned });
  }
  if (config !== undefined) {
    // The working folder may be another one by the time it is read.
    const file = resolve(config);
    return new RoutedProvider({ config: () => loadConfig(file), pinned });
  }
  const checked = checkConfig({ default: pinned ?? '' }, pinned === undefined ? NONE : VARIABLE);
  return new RoutedProvider({ config: async () => checked, pinned });
}

const NONE = 'Nothing says which provider to use (SANDBOX_PROVIDER, sandbox.config.json)';
const VARIABLE = 'SANDBOX_PROVIDER';
