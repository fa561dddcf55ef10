import { SandboxError } from '../../provider/errors.ts';
import { installedVersion, isAtLeast, type Version } from '../sdk-version.ts';

/** What is used of the module `e2b`. */
export type E2BSdk = Pick<
  typeof import('e2b'),
  | 'Sandbox'
  | 'Volume'
  | 'Template'
  | 'AuthenticationError'
  | 'CommandExitError'
  | 'FileNotFoundError'
  | 'InvalidArgumentError'
  | 'NotEnoughSpaceError'
  | 'NotFoundError'
  | 'RateLimitError'
  | 'TimeoutError'
>;

/** First version whose commands and files can be led through one address (`sandboxUrl`, both kinds). */
export const OLDEST: Version = [2, 26, 0];

/**
 * Loads the SDK that the program has installed.
 *
 * @throws {SandboxError} `configuration` when it is missing or too old
 */
export async function loadSdk(provider: string): Promise<E2BSdk> {
  const version = installedVersion('e2b');
  if (version !== undefined && !isAtLeast(version, OLDEST)) {
    const told = `The package e2b ${version.join('.')} is too old for the provider "${provider}"`;
    throw new SandboxError(
      'configuration',
      `${told}: install e2b@${OLDEST.join('.')} or newer (2.50.0 fits every backend)`,
      { provider },
    );
  }
  try {
    return await import('e2b');
  } catch (cause) {
    const told = `The provider "${provider}" needs the package e2b, which could not be loaded`;
    throw new SandboxError('configuration', `${told}: npm install e2b@2.50.0`, { provider, cause });
  }
}

/**
 * Whether it can fork, since 2.35. Pausing without memory came a little before, but older versions drop
 * that wish silently and cannot be told apart.
 */
export function canFork({ Sandbox }: E2BSdk): boolean {
  return typeof Sandbox.fork === 'function';
}
