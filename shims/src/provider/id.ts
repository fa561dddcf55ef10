import { SandboxError } from './errors.ts';

const NAME = /^[a-z][a-z0-9-]*$/;

/** An id that says which provider its sandbox lives on, so that it still finds it after a switch. */
export function joinId(provider: string, nativeId: string): string {
  return `${provider}:${nativeId}`;
}

/** The parts of an id; `provider` is undefined for one that the backend itself gave. */
export function splitId(id: string): { provider: string | undefined; nativeId: string } {
  const at = id.indexOf(':');
  if (at < 0 || !NAME.test(id.slice(0, at))) return { provider: undefined, nativeId: id };
  return { provider: id.slice(0, at), nativeId: id.slice(at + 1) };
}

/**
 * The backend's own id.
 *
 * @throws {SandboxError} `invalid_argument` when it is empty or belongs to another provider
 */
export function nativeIdFor(provider: string, id: string): string {
  const parts = splitId(id);
  if (parts.nativeId === '') {
    throw new SandboxError('invalid_argument', 'The id of a sandbox must not be empty', {
      provider,
    });
  }
  if (parts.provider !== undefined && parts.provider !== provider) {
    const where = `${id} is a sandbox of the provider "${parts.provider}", not of "${provider}"`;
    throw new SandboxError('invalid_argument', `${where}. Ask that one, or a provider of both`, {
      provider,
    });
  }
  return parts.nativeId;
}

/**
 * @throws {SandboxError} `configuration` when the name of a provider cannot be part of an id
 */
export function checkProviderName(name: string): void {
  if (NAME.test(name)) return;
  const rule = 'a lower-case letter, then letters, digits and dashes';
  throw new SandboxError('configuration', `"${name}" cannot name a provider: use ${rule}`);
}
