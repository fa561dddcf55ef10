import { type Retryable, SandboxError, type SandboxErrorCode } from '../../provider/errors.ts';

/** What a failed connection means: no answer came, and sometimes it is sure that nothing was asked. */
const MEANINGS: readonly (readonly [
  codes: readonly string[],
  code: SandboxErrorCode,
  retryable: Retryable,
  told: string,
])[] = [
  [['ECONNREFUSED'], 'unavailable', true, 'nothing answers there: is the server running?'],
  [
    ['ENOTFOUND', 'EAI_AGAIN'],
    'unavailable',
    true,
    'its name cannot be looked up: check the address and DNS',
  ],
  [
    ['ENETUNREACH', 'EHOSTUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
    'unavailable',
    true,
    'there is no way to it from here: check the network, and a VPN if there is one',
  ],
  [
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    'configuration',
    false,
    'its certificate is of an authority that Node does not know: name it in NODE_EXTRA_CA_CERTS before the program starts',
  ],
  [
    ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    'configuration',
    false,
    'its certificate is expired or of another name',
  ],
  [
    ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
    'configuration',
    false,
    'it does not speak TLS: use http:// in its address',
  ],
];

/**
 * The error for a request that got no answer, from what `fetch` and `http` throw; `undefined` when it
 * is none. `where` is the address that was asked.
 */
export function fromTransport(
  error: unknown,
  provider: string,
  where: string,
): SandboxError | undefined {
  const codes = codesOf(error);
  const meaning = MEANINGS.find(([of]) => codes.some((code) => of.includes(code)));
  if (meaning !== undefined) {
    const [, code, retryable, told] = meaning;
    const message = `${provider} could not be reached at ${where}: ${told}`;
    return new SandboxError(code, message, { provider, retryable, cause: error });
  }
  const isLost =
    codes.some((code) => LOST.has(code)) ||
    (error instanceof TypeError && /fetch failed|terminated/.test(error.message));
  if (!isLost) return undefined;
  const message = `The connection to ${provider} was lost before it answered (${where})`;
  return new SandboxError('unavailable', message, {
    provider,
    retryable: 'unknown',
    cause: error,
  });
}

/** Codes of connections that broke while something was asked. */
const LOST = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
]);

/** Those of an error and of all it was caused by. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  const seen = new Set<unknown>();
  const visit = (one: unknown): void => {
    if (!(one instanceof Error) || seen.has(one)) return;
    seen.add(one);
    if ('code' in one && typeof one.code === 'string') codes.push(one.code);
    // Clients that wrap what was thrown keep its words at least.
    codes.push(...(one.message.match(/\b(?:E[A-Z]{4,}|UND_ERR_\w+|ERR_\w+)\b/g) ?? []));
    visit(one.cause);
    // Several addresses of one name were tried.
    if (one instanceof AggregateError) for (const part of one.errors) visit(part);
  };
  visit(error);
  return codes;
}
