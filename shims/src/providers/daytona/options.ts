import type { DaytonaSdk } from './sdk.ts';
import type { DaytonaSettings } from './settings.ts';

/** Options of the class: settings, and what no file can hold. */
export interface DaytonaProviderOptions extends DaytonaSettings {
  /** The module of the SDK, for programs that are bundled. Defaults to the installed one. */
  sdk?: DaytonaSdk;
  /** Version of `sdk`, as in its `package.json`. Defaults to one that can do everything. */
  sdkVersion?: string;
}
