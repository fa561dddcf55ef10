import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { withoutSecrets } from '../../shims/src/providers/http/status.ts';
import { type Outcome, ok, problem } from './check.ts';
import type { Setting } from './subject.ts';

const TIMEOUT_MS = 5_000;

/** An address, taken apart for the steps of reaching it. */
interface Address {
  url: URL;
  host: string;
  port: number;
  where: string;
}

/** Whether something answers at an address; step by step, so that what is missing can be named. */
export async function reach({ value, where }: Setting): Promise<Outcome> {
  const shown = withoutSecrets(value);
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    return problem(
      `"${shown}" is no address`,
      `Write ${where} as http://host:port or https://host`,
    );
  }
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') {
    return problem(`${shown} has a name or password in it`, `Take them out of ${where}`);
  }
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const address = { url, host, port: Number(url.port) || (isSecure ? 443 : 80), where };
  return (
    (await nameProblem(address)) ??
    (await connectionProblem(address)) ??
    (isSecure ? await tlsProblem(address) : await plainProblem(address)) ??
    ok(`${url.origin} answers${isSecure ? ', and its certificate is trusted' : ''}`)
  );
}

async function nameProblem({ host, where }: Address): Promise<Outcome | undefined> {
  if (isIP(host) !== 0) return undefined;
  try {
    await lookup(host);
    return undefined;
  } catch (error) {
    return problem(
      `the name ${host} cannot be looked up (${codeOf(error)})`,
      `Correct ${where}, or the DNS of this machine`,
    );
  }
}

async function connectionProblem({ host, port, where }: Address): Promise<Outcome | undefined> {
  try {
    const socket = connect({ host, port });
    await settled(socket, 'connect');
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ECONNREFUSED'
      ? problem(`nothing listens at ${host} port ${port}`, `Start the server, or correct ${where}`)
      : problem(
          `there is no way to ${host} port ${port} (${code})`,
          `Open the way (VPN, firewall), or correct ${where}`,
        );
  }
}

/** What a certificate can be refused for, and what puts it right. */
const CERTIFICATES: readonly (readonly [codes: readonly string[], found: string, fix: string])[] = [
  [
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    'is of an authority that Node does not know',
    'export NODE_EXTRA_CA_CERTS=/path/to/its-authority.pem',
  ],
  [['CERT_HAS_EXPIRED'], 'has expired', 'Renew the certificate of the server'],
  [['CERT_NOT_YET_VALID'], 'is not valid yet', 'Set the clock of this machine right'],
];

async function tlsProblem({ url, host, port, where }: Address): Promise<Outcome | undefined> {
  const code = await handshake(host, port, true);
  if (code === undefined) return undefined;
  const known = CERTIFICATES.find(([codes]) => codes.includes(code));
  if (known !== undefined) return problem(`the certificate of ${url.host} ${known[1]}`, known[2]);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return problem(
      `the certificate of ${url.host} is of another name`,
      `Name the server in ${where} as its certificate does`,
    );
  }
  const plain = url.href.replace(/^https:/, 'http:').replace(/\/$/, '');
  return (await speaksHttp(host, port)) === undefined
    ? problem(`no TLS connection to ${url.host} (${code})`, `Look at the TLS of the server`)
    : problem(`${url.host} speaks plain HTTP, not TLS`, `Write ${plain} in ${where}`);
}

async function plainProblem({ url, host, port, where }: Address): Promise<Outcome | undefined> {
  const answer = await speaksHttp(host, port);
  const secure = url.href.replace(/^http:/, 'https:').replace(/\/$/, '');
  const leads = answer?.location?.startsWith('https:') === true;
  if (leads) return problem(`${url.host} leads on to HTTPS`, `Write ${secure} in ${where}`);
  // Some servers say so in words, others break off.
  const isRefused = answer === undefined || answer.status === 400;
  if (isRefused && (await handshake(host, port, false)) === undefined) {
    return problem(`${url.host} speaks TLS, not plain HTTP`, `Write ${secure} in ${where}`);
  }
  if (answer !== undefined) return undefined;
  return problem(`${url.host} does not speak HTTP`, `Correct ${where}`);
}

/** The code of what goes wrong with a TLS connection; `undefined` when nothing does. */
async function handshake(
  host: string,
  port: number,
  isChecked: boolean,
): Promise<string | undefined> {
  try {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    // Nothing but the handshake is done, so nobody's data is at risk where it is not checked.
    await settled(
      connectTls({ host, port, rejectUnauthorized: isChecked, ...servername }),
      'secureConnect',
    );
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** The answer to a request without TLS; `undefined` when there is none. */
async function speaksHttp(
  host: string,
  port: number,
): Promise<{ status: number; location: string | undefined } | undefined> {
  const asked = request({ host, port, path: '/', agent: false, timeout: TIMEOUT_MS });
  asked.on('timeout', () => asked.destroy());
  asked.end();
  try {
    const [answer] = await once(asked, 'response');
    return { status: answer.statusCode, location: answer.headers.location };
  } catch {
    return undefined;
  } finally {
    asked.destroy();
  }
}

/** Waits for a connection to be there and ends it. */
async function settled(socket: Socket, event: string): Promise<void> {
  try {
    await once(socket, event, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function codeOf(error: unknown): string {
  // Several addresses of one name were tried.
  const one = error instanceof AggregateError ? error.errors[0] : error;
  if (one instanceof Error && one.name === 'AbortError') return 'no answer';
  return `${(one as NodeJS.ErrnoException).code ?? one}`;
}
