import { type Retryable, SandboxError, type SandboxErrorCode } from '../../provider/errors.ts';

export interface StatusContext {
  provider: string;
  /** The address that answered. */
  where?: string;
  sandboxId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

const BY_STATUS: Readonly<Record<number, readonly [SandboxErrorCode, Retryable]>> = {
  400: ['invalid_argument', false],
  401: ['unauthorized', false],
  403: ['forbidden', false],
  404: ['not_found', false],
  405: ['unsupported', false],
  // The server gave up waiting; what it was asked for may still happen.
  408: ['timeout', 'unknown'],
  409: ['conflict', true],
  410: ['not_found', false],
  413: ['invalid_argument', false],
  422: ['invalid_argument', false],
  429: ['rate_limited', true],
  501: ['unsupported', false],
  502: ['unavailable', 'unknown'],
  503: ['unavailable', true],
  504: ['timeout', 'unknown'],
  507: ['capacity', false],
};

/** How servers that expect TLS answer what comes without: nginx, Apache's and Go's. */
const WANTS_TLS =
  /plain HTTP request was sent to HTTPS port|plain HTTP to an SSL-enabled|HTTP request to an HTTPS server/i;

/** The error for an answer that says that something went wrong. */
export function fromStatus(
  status: number,
  message: string,
  { where, ...context }: StatusContext,
): SandboxError {
  const { provider, sandboxId } = context;
  const server = where === undefined ? provider : `${provider} at ${withoutSecrets(where)}`;
  if (status === 400 && WANTS_TLS.test(message)) {
    const told = `${server} speaks TLS: use https:// in its address`;
    return new SandboxError('configuration', told, context);
  }
  // What a sandbox itself refuses is no matter of the key.
  if (status === 401 && sandboxId === undefined) {
    const told = `${server} does not accept the API key (${message})`;
    const fix = `correct apiKey of the provider "${provider}", or the variable that it comes from`;
    return new SandboxError('unauthorized', `${told}: ${fix}`, context);
  }
  const [code, retryable] =
    BY_STATUS[status] ??
    (status >= 500
      ? (['unavailable', 'unknown'] as const)
      : (['invalid_argument', false] as const));
  return new SandboxError(code, message, { retryable, ...context });
}

/** Milliseconds of a `Retry-After` header, which holds seconds or a date. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** An address that may be shown: a name and password in it are left out. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/\/[^/]*@/, '//');
  const { username, password } = new URL(url);
  return username === '' && password === '' ? url : url.replace(/\/\/[^/@]*@/, '//');
}
