import type { Backend } from '../../shims/src/config/settings.ts';
import type { SandboxProvider } from '../../shims/src/provider/provider.ts';
import type { CubeServer } from '../../shims/src/providers/cube/server.ts';
import type { Rest } from '../../shims/src/providers/http/rest.ts';
import { withoutSecrets } from '../../shims/src/providers/http/status.ts';
import type { InstalledSdk } from './sdk.ts';

/** A setting: what it is, and where it is changed. */
export interface Setting<T = string> {
  readonly value: T;
  /** As a person would write it: a variable, or a place in the configuration. */
  readonly where: string;
}

/** A configured provider, as the checks see it. */
export interface Subject {
  /** Its name in the configuration. */
  readonly name: string;
  /** What the configuration calls its backend. */
  readonly backend: Backend;
  /** Whose protocol it speaks. */
  readonly kind: 'cube' | 'e2b' | 'daytona';
  readonly apiUrl: Setting;
  /** Where sandboxes themselves are reached; `undefined` where the server tells. */
  readonly dataUrl: Setting | undefined;
  /** `undefined` when there is none. It is never shown. */
  readonly apiKey: Setting<string | undefined>;
  readonly template: Setting<string | undefined>;
  readonly rest: Rest;
  /** The SDK that the project has installed, and how it is loaded. */
  readonly sdk: InstalledSdk;
  /** It is a `cubeshift local`, which needs nothing of a node. */
  readonly isLocalServer: boolean;
  /** What the CubeSandbox can do, asked once. */
  readonly server: () => Promise<CubeServer>;
  /** The provider itself, with the SDK of the project. Whoever makes it closes it. */
  readonly makeProvider: () => Promise<SandboxProvider>;
}

/** What is shown of settings: of a key only whether there is one. */
export interface ShownSettings {
  apiUrl: string;
  dataUrl: string | null;
  template: string | null;
  apiKey: 'set' | 'not set';
}

export function shownSettings({ apiUrl, dataUrl, template, apiKey }: Subject): ShownSettings {
  return {
    apiUrl: withoutSecrets(apiUrl.value),
    dataUrl: dataUrl === undefined ? null : withoutSecrets(dataUrl.value),
    template: template.value ?? null,
    apiKey: apiKey.value === undefined ? 'not set' : 'set',
  };
}

/** Whether an address is one of this machine. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}
