import { type Retryable, SandboxError, type SandboxErrorCode } from '../../provider/errors.ts';
import { withoutSecrets } from './status.ts';

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
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    'configuration',
    false,
    'its certificate is of an authority that Node does not know: name it in NODE_EXTRA_CA_CERTS before the program starts',
  ],
  [['CERT_HAS_EXPIRED'], 'configuration', false, 'its certificate has expired: renew it'],
  [
    ['CERT_NOT_YET_VALID'],
    'configuration',
    false,
    'its certificate is not valid yet: set the clock of this machine right',
  ],
  [
    ['ERR_TLS_CERT_ALTNAME_INVALID'],
    'configuration',
    false,
    'its certificate is of another name: name the server in its address as its certificate does',
  ],
  [
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
    'configuration',
    false,
    'it does not speak TLS: use http:// in its address',
  ],
  [['EPROTO'], 'configuration', false, 'no TLS connection comes about: look at its TLS settings'],
  [
    ['HPE_INVALID_CONSTANT'],
    'configuration',
    false,
    'it does not answer in HTTP: if it speaks TLS, use https:// in its address',
  ],
  [
    ['ERR_INVALID_URL'],
    'configuration',
    false,
    'that is no address: write it as http://host:port or https://host',
  ],
  [
    ['CREDENTIALS_IN_URL'],
    'configuration',
    false,
    'there is a name or a password in its address: take it out',
  ],
];

/** Words of clients that keep no code, and the code that Node has for the same. */
const WORDS: readonly (readonly [words: RegExp, code: string])[] = [
  [/\bself[- ]signed certificate\b/i, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  [/\bunable to verify the first certificate\b/i, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [/\bunable to get (?:local )?issuer certificate\b/i, 'UNABLE_TO_GET_ISSUER_CERT'],
  [/\bcertificate has expired\b/i, 'CERT_HAS_EXPIRED'],
  [/\bcertificate is not yet valid\b/i, 'CERT_NOT_YET_VALID'],
  [/\bdoes not match certificate's altnames\b/i, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/:wrong version number:/, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/:packet length too long:/, 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
  [/\bExpected HTTP\//, 'HPE_INVALID_CONSTANT'],
  [/^Invalid URL$/, 'ERR_INVALID_URL'],
  [/\bURL that includes credentials\b/, 'CREDENTIALS_IN_URL'],
  [/\bsocket hang up\b/, 'ECONNRESET'],
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
  const at = withoutSecrets(where);
  const meaning = MEANINGS.find(([of]) => codes.some((code) => of.includes(code)));
  if (meaning !== undefined) {
    const [, code, retryable, told] = meaning;
    const message = `${provider} could not be reached at ${at}: ${told}`;
    // The address is in the words of the cause.
    const cause = at === where ? error : undefined;
    return new SandboxError(code, message, { provider, retryable, cause });
  }
  const isLost =
    codes.some((code) => LOST.has(code)) ||
    (error instanceof TypeError && /fetch failed|terminated/.test(error.message));
  if (!isLost) return undefined;
  const told = `The connection to ${provider} at ${at} was lost before it answered`;
  // Servers that expect TLS say no more to anything else.
  const mayWantTls = !at.startsWith('https:') && isSilent(error, codes);
  const message = mayWantTls ? `${told}. If it never answers, use https:// in its address` : told;
  return new SandboxError('unavailable', message, {
    provider,
    retryable: 'unknown',
    cause: error,
  });
}

/** The error for an answer that leads elsewhere, as from http:// to https://. */
export function ledOn(provider: string, where: string, location: string): SandboxError {
  const to = URL.canParse(location, where) ? new URL(location, where).origin : location;
  const told = `${provider} could not be reached at ${withoutSecrets(where)}: it leads on to ${to}`;
  return new SandboxError('configuration', `${told}, so use that in its address`, { provider });
}

/** Whether a connection ended before there was any answer, as far as can be told. */
function isSilent(error: unknown, codes: readonly string[]): boolean {
  if (error instanceof Error && /terminated/.test(error.message)) return false;
  return codes.length === 0 || codes.some((code) => SILENT.has(code));
}

const SILENT = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

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
    for (const [words, code] of WORDS) if (words.test(one.message)) codes.push(code);
    visit(one.cause);
    // Several addresses of one name were tried.
    if (one instanceof AggregateError) for (const part of one.errors) visit(part);
  };
  visit(error);
  return codes;
}
