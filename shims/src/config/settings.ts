import type { SandboxProvider } from '../provider/provider.ts';
import type { CubeSettings } from '../providers/cube/settings.ts';
import type { DaytonaSettings } from '../providers/daytona/settings.ts';
import type { E2BSettings } from '../providers/e2b/settings.ts';
import type { LocalProviderOptions } from '../providers/local.ts';

/** Backends that come with this package. */
export const BACKENDS = ['daytona', 'e2b', 'cube', 'local'] as const;
export type Backend = (typeof BACKENDS)[number];

/** Settings of each backend. They name no type of an SDK, which need not be installed. */
export interface BackendOptions {
  daytona: DaytonaSettings;
  e2b: E2BSettings;
  cube: CubeSettings;
  local: LocalProviderOptions;
}

type SettingsOf<B extends Backend> = {
  /** The backend, where it is not the name that these settings stand under. */
  use?: B;
} & Omit<BackendOptions[B], 'name'>;

/** Settings of one provider: of a backend that is known, or a provider of one's own. */
export type ProviderSettings = { [B in Backend]: SettingsOf<B> }[Backend] | SandboxProvider;

/** Sends part of what is created to another provider, always the same part. */
export interface RolloutRule {
  /** Name of the provider. */
  provider: string;
  /** How many of a hundred values of `key`; fractions count. */
  percent: number;
  /** The label whose value decides, so that all sandboxes of a tenant go the same way. */
  key: string;
}

/** What `sandbox.config.json` holds. */
export interface SandboxConfig {
  /** Name of the provider that new sandboxes go to. */
  default: string;
  /** Providers by name. A backend that needs no settings may be left out. */
  providers?: Record<string, ProviderSettings>;
  /** The first rule that takes a sandbox sends it; parts of rules with the same key lie side by side. */
  rollout?: readonly RolloutRule[];
  /** Whose are ids that do not name their provider, such as those stored before. Defaults to `default`. */
  unnamedIds?: string;
}

/** For configuration in TypeScript: checks and completes as one types. */
export function defineConfig(config: SandboxConfig): SandboxConfig {
  return config;
}
