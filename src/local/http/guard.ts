import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpFailure } from './failure.ts';

/** Names of this machine that need no name server, so that no stranger's name can lead here. */
const LOOPBACK = /^(?:localhost|(?:[^.]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses requests that a web page made: one that reached this server under a foreign name (DNS
 * rebinding), or one that comes from another origin. The server runs commands for whoever reaches
 * it, and a browser reaches loopback.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #domains: readonly string[];

  /** `hosts` are further names of this server; each with everything below it, as `*.name`. */
  constructor(hosts: readonly string[] = []) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.#domains = [...this.#hosts].map((host) => `.${host}`);
  }

  /** @throws HttpFailure 403 */
  checkHost({ headers }: IncomingMessage): void {
    const host = hostname(headers.host ?? '');
    if (LOOPBACK.test(host) || this.#hosts.has(host)) return;
    if (this.#domains.some((domain) => host.endsWith(domain))) return;
    throw new HttpFailure(403, `this server does not answer to the name '${host}'`);
  }

  /** @throws HttpFailure 403 */
  checkOrigin({ headers }: IncomingMessage): void {
    const { origin, host } = headers;
    if (origin === undefined) return;
    if (origin === `http://${host}` || origin === `https://${host}`) return;
    throw new HttpFailure(403, `requests of web pages from '${origin}' are not answered`);
  }
}

/** Whether an address or name can only lead to this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase()) || host === '::1';
}

/** Compares secrets in a time that does not depend on where they differ. */
export function sameSecret(given: string | undefined, secret: string): boolean {
  if (given === undefined) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** The token of `Authorization: Bearer …`. */
export function bearer({ headers }: IncomingMessage): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** A header that is to be there once; the first value if it is there more often. */
export function header({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The key a request shows: `Authorization: Bearer`, which counts more, or `X-API-Key`. */
export function shownKey(request: IncomingMessage): string | undefined {
  return bearer(request) ?? header(request, 'x-api-key');
}

/** A Host header without its port, in lower case. */
export function hostname(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}
