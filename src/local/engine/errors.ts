/** What went wrong, in words a protocol front can map to its own statuses. */
export type EngineErrorCode =
  | 'not-found'
  | 'exists'
  | 'not-directory'
  | 'is-directory'
  | 'not-a-file'
  | 'not-empty'
  | 'no-space'
  | 'link-loop'
  | 'denied'
  | 'unknown-user'
  | 'bad-cwd'
  | 'spawn-failed'
  | 'not-running'
  | 'refused'
  | 'unsupported'
  | 'invalid'
  | 'closed';

/** Every failure of the engine that its caller can do something about. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const BY_ERRNO: Readonly<Record<string, EngineErrorCode>> = {
  ENOENT: 'not-found',
  EEXIST: 'exists',
  ENOTDIR: 'not-directory',
  EISDIR: 'is-directory',
  ENXIO: 'not-a-file',
  ENOTEMPTY: 'not-empty',
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  ELOOP: 'link-loop',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
};

const WORDS: Partial<Record<EngineErrorCode, string>> = {
  'not-found': 'does not exist',
  exists: 'already exists',
  'not-directory': 'is not a folder',
  'is-directory': 'is a folder',
  'not-a-file': 'is not a regular file',
  'not-empty': 'is a folder that is not empty',
  'no-space': 'cannot be written: no space left on the device',
  'link-loop': 'has too many symbolic links',
  denied: 'is not permitted',
};

/** A system error about a sandbox path, without the host's path in its message. */
export function fileError(error: unknown, path: string): EngineError {
  if (error instanceof EngineError) return error;
  const errno = (error as NodeJS.ErrnoException).code ?? '';
  const code = BY_ERRNO[errno] ?? 'invalid';
  return new EngineError(code, `'${path}' ${WORDS[code] ?? `cannot be used (${errno || error})`}`, {
    cause: error,
  });
}
