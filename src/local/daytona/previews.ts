import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { EngineError } from '../engine/errors.ts';
import { type ForwardOptions, forward, forwardUpgrade } from '../http/forward.ts';
import { bearer, sameSecret } from '../http/guard.ts';
import type { Reply } from '../http/reply.ts';
import type { Call } from '../http/router.ts';
import type { UpgradeCall } from '../http/server.ts';
import { badRequest, DaytonaFailure, NOT_RUNNING } from './errors.ts';
import type { SandboxRecord } from './record.ts';
import type { World } from './world.ts';

const TOKEN_HEADER = 'x-daytona-preview-token';
const TOKEN_QUERY = 'DAYTONA_SANDBOX_AUTH_KEY';
/** Says that a request does not count as activity; not for the program inside. */
const SKIP_ACTIVITY = 'x-daytona-skip-last-activity-update';

/** Where a preview request wants to go. */
export interface PreviewTarget {
  port: number;
  /** The id of a sandbox, or a token that stands for one. */
  name: string;
}

interface Signed {
  readonly sandboxId: string;
  readonly port: number;
  readonly expiresAt: number;
}

/** Ports of sandboxes, reached from outside by host names of their own. */
export class Previews {
  readonly #world: World;
  readonly #signed = new Map<string, Signed>();

  constructor(world: World) {
    this.#world = world;
  }

  /** `<port>-<id or token>.<anything>` in the Host header. */
  static target({ headers }: IncomingMessage): PreviewTarget | undefined {
    const match = /^(\d{1,5})-([a-z0-9-]+)\./i.exec(headers.host ?? '');
    if (match === null) return undefined;
    return { port: Number(match[1]), name: (match[2] ?? '').toLowerCase() };
  }

  /** The address under which a port is reached; names below localhost lead to this machine. */
  url(port: number, name: string): string {
    const { protocol, hostname, port: own } = new URL(this.#world.context.origin());
    // Nothing is below an address of numbers.
    const domain = /^(?:[\d.]+|\[.*\])$/.test(hostname) ? 'localhost' : hostname;
    return `${protocol}//${port}-${name}.${domain}:${own}`;
  }

  /** An address that is its own key for a while. */
  sign(record: SandboxRecord, port: number, seconds: number): Record<string, unknown> {
    const token = randomBytes(12).toString('hex').slice(0, 16);
    const expiresAt = this.#world.now() + seconds * 1000;
    this.#signed.set(token, { sandboxId: record.id, port, expiresAt });
    return { sandboxId: record.id, port, token, url: this.url(port, token) };
  }

  expire(record: SandboxRecord, port: number, token: string): void {
    const signed = this.#signed.get(token);
    if (signed?.sandboxId === record.id && signed.port === port) this.#signed.delete(token);
  }

  /** The sandbox that a token opens a port of. */
  signedFor({ port, name }: PreviewTarget): SandboxRecord | undefined {
    const signed = this.#signed.get(name);
    if (signed === undefined || signed.port !== port) return undefined;
    if (signed.expiresAt <= this.#world.now()) {
      this.#signed.delete(name);
      return undefined;
    }
    return this.#world.sandboxes.find(signed.sandboxId);
  }

  forget(sandboxId: string): void {
    for (const [token, signed] of this.#signed) {
      if (signed.sandboxId === sandboxId) this.#signed.delete(token);
    }
  }

  async serve(target: PreviewTarget, call: Call): Promise<Reply> {
    const { record, options } = this.#prepare(target, call);
    record.openCalls++;
    call.signal.addEventListener('abort', () => this.#done(record), { once: true });
    try {
      return await forward(call, options);
    } catch (error) {
      throw unreachable(error);
    }
  }

  async upgrade(target: PreviewTarget, call: UpgradeCall): Promise<void> {
    const { record, options } = this.#prepare(target, call);
    record.openCalls++;
    call.signal.addEventListener('abort', () => this.#done(record), { once: true });
    try {
      await forwardUpgrade(call, options);
    } catch (error) {
      throw unreachable(error);
    }
  }

  #done(record: SandboxRecord): void {
    record.openCalls--;
    this.#world.sandboxes.touch(record);
  }

  #prepare(target: PreviewTarget, call: Call): { record: SandboxRecord; options: ForwardOptions } {
    const { request } = call;
    const record = this.#authorized(target, call);
    const { box } = record;
    if (box === undefined || record.state !== 'started') throw badRequest(NOT_RUNNING);
    if (request.headers[SKIP_ACTIVITY] !== 'true') this.#world.sandboxes.touch(record);
    const isOurs = sameSecret(bearer(request), this.#world.context.key);
    const options: ForwardOptions = {
      connect: () => box.sandbox.connect(target.port),
      path: withoutToken(request.url ?? '/'),
      headers: {
        [TOKEN_HEADER]: undefined,
        [SKIP_ACTIVITY]: undefined,
        // The program's own use of this header is left alone.
        ...(isOurs ? { authorization: undefined } : {}),
        'x-forwarded-host': request.headers.host,
        'x-forwarded-proto': 'http',
      },
    };
    return { record, options };
  }

  /** @throws DaytonaFailure 401 unless the sandbox is public or the request shows a token */
  #authorized(target: PreviewTarget, { request, query }: Call): SandboxRecord {
    const record = this.#world.sandboxes.find(target.name);
    const signed = this.signedFor(target);
    if (signed !== undefined) return signed;
    if (record?.isPublic === true) return record;
    const header = request.headers[TOKEN_HEADER];
    const tokens = [
      typeof header === 'string' ? header : undefined,
      query.get(TOKEN_QUERY) ?? undefined,
    ];
    const isKnown =
      record !== undefined &&
      (tokens.some((token) => sameSecret(token, record.authToken)) ||
        sameSecret(bearer(request), this.#world.context.key));
    if (isKnown) return record;
    throw new DaytonaFailure(
      401,
      'unauthorized: provide a preview access token (via header or query parameter) or use an API key',
    );
  }
}

/** The path as the program inside shall see it, byte for byte except for the token. */
function withoutToken(url: string): string {
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const kept = url
    .slice(mark + 1)
    .split('&')
    .filter((pair) => !pair.startsWith(`${TOKEN_QUERY}=`));
  return kept.length === 0 ? url.slice(0, mark) : `${url.slice(0, mark)}?${kept.join('&')}`;
}

function unreachable(error: unknown): unknown {
  if (!(error instanceof EngineError) || error.code !== 'refused') return error;
  return new DaytonaFailure(502, 'bad gateway: nothing listens on this port of the sandbox');
}
