import { SandboxError } from '../provider/errors.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import { isBackend, isProvider, listed } from './check-config.ts';
import type { Backend, BackendOptions, SandboxConfig } from './settings.ts';

type Makers = {
  [B in Backend]: (options: BackendOptions[B]) => Promise<SandboxProvider>;
};

/** Backends are loaded when one is needed; their SDKs later still, with the first call. */
const MAKERS: Makers = {
  daytona: async (options) =>
    new (await import('../providers/daytona/index.ts')).DaytonaProvider(options),
  e2b: async (options) => new (await import('../providers/e2b/index.ts')).E2BProvider(options),
  cube: async (options) => new (await import('../providers/cube/index.ts')).CubeProvider(options),
  local: async (options) => (await import('../providers/local.ts')).localProvider(options),
};

/**
 * Makes the provider of a name.
 *
 * @throws {SandboxError} `configuration` for a name that is not there
 */
export async function makeProvider(
  name: string,
  { providers = {} }: Pick<SandboxConfig, 'providers'>,
): Promise<SandboxProvider> {
  const settings = Object.hasOwn(providers, name) ? providers[name] : {};
  if (isProvider(settings)) return settings;
  const { use = name, ...options } = settings ?? {};
  if (!isBackend(use)) {
    const told = `"${name}" is not the name of a provider. ${listed(providers)}`;
    throw new SandboxError('configuration', told);
  }
  return (MAKERS[use] as (options: object) => Promise<SandboxProvider>)({ ...options, name });
}
