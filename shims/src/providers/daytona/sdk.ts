import { SandboxError } from '../../provider/errors.ts';
import { installedVersion, isAtLeast, type Version } from '../sdk-version.ts';

/** What is used of Daytona's SDK, which has two names. */
export type DaytonaSdk = Pick<typeof import('@daytonaio/sdk'), 'Daytona' | 'DaytonaError'>;

/** The SDK, and its version where that can be told; otherwise it counts as new. */
export interface LoadedSdk {
  sdk: DaytonaSdk;
  version: Version;
}

export const OLDEST: Version = [0, 150, 0];
/** What counts as the version where none can be told. */
export const NEW: Version = [1, 0, 0];
const NAMES = ['@daytona/sdk', '@daytonaio/sdk'] as const;

/**
 * Loads the SDK that the program has installed, under either name.
 *
 * @throws {SandboxError} `configuration` when there is none, or it is too old
 */
export async function loadSdk(provider: string): Promise<LoadedSdk> {
  const installed = NAMES.map((name) => ({ name, version: installedVersion(name) }));
  const found = installed.find(({ version }) => version !== undefined);
  if (found?.version !== undefined && !isAtLeast(found.version, OLDEST)) {
    const told = `${found.name} ${found.version.join('.')} is too old for the provider "${provider}"`;
    throw new SandboxError(
      'configuration',
      `${told}: install ${found.name}@${OLDEST.join('.')} or newer`,
      { provider },
    );
  }
  const order = found === undefined ? NAMES : [found.name];
  let cause: unknown;
  for (const name of order) {
    try {
      // Written out, so that bundlers see them.
      const sdk =
        name === '@daytona/sdk'
          ? ((await import('@daytona/sdk')) as unknown as DaytonaSdk)
          : await import('@daytonaio/sdk');
      return { sdk, version: found?.version ?? NEW };
    } catch (error) {
      cause ??= error;
    }
  }
  const told = `The provider "${provider}" needs Daytona's SDK, which could not be loaded`;
  const fix =
    'npm install @daytona/sdk (0.162.0 or newer; @daytonaio/sdk from 0.150.0 does as well)';
  throw new SandboxError('configuration', `${told}: ${fix}`, { provider, cause });
}
