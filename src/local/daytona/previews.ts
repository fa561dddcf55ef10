import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { EngineError } from '../engine/errors.ts';
import { type ForwardOptions, forward, forwardUpgrade } from '../http/forward.ts';
import { bearer, sameSecret } from '../http/guard.ts';
import type { Reply } from '../http/reply.ts';
import type { Call } from '../http/router.ts';
import type { Listening, Site, UpgradeCall } from '../http/server.ts';
import { previewTokens, TOKEN_HEADER, TOKEN_QUERY } from './access.ts';
import { badRequest, DaytonaFailure, NOT_RUNNING } from './errors.ts';
import { type Lookup, leadsTo, systemLookup } from './names.ts';
import { PreviewPorts, type PreviewTarget } from './preview-ports.ts';
import type { SandboxRecord } from './record.ts';
import type { World } from './world.ts';

/** Says that a request does not count as activity; not for the program inside. */
const SKIP_ACTIVITY = 'x-daytona-skip-last-activity-update';

interface Signed {
  readonly sandboxId: string;
  readonly port: number;
  readonly expiresAt: number;
  cancelTimer(): void;
}

/**
 * Ports of sandboxes, reached from outside by host names of their own. Where the system does not
 * lead such names to this machine, links are to ports of this machine instead; names are served
 * all the same, since browsers and curl need no system for those below `localhost`.
 */
export class Previews {
  readonly #world: World;
  readonly #lookup: Lookup;
  readonly #signed = new Map<string, Signed>();
  readonly #ports: PreviewPorts;
  #hasNames?: Promise<boolean>;
  /** What answers behind a target; set by the front, which knows. */
  siteOf?: (target: PreviewTarget) => Site;

  constructor(world: World, lookup = systemLookup) {
    this.#world = world;
    this.#lookup = lookup;
    this.#ports = new PreviewPorts((target) => this.#listen(target));
  }

  /** `<port>-<id or token>.<anything>` in the Host header. */
  static target({ headers }: IncomingMessage): PreviewTarget | undefined {
    const match = /^(\d{1,5})-([a-z0-9-]+)\./i.exec(headers.host ?? '');
    if (match === null) return undefined;
    return { port: Number(match[1]), name: (match[2] ?? '').toLowerCase() };
  }

  /** The host name under which a port is reached; those below localhost mean this machine. */
  url(port: number, name: string): string {
    return `http://${port}-${name}.${this.#domain()}:${new URL(this.#world.context.origin()).port}`;
  }

  /** The address of a port that programs on this machine can use. */
  link(record: SandboxRecord, port: number): Promise<string> {
    return this.#address(record, { port, name: record.id });
  }

  /** An address that is its own key for a while. */
  async sign(
    record: SandboxRecord,
    port: number,
    seconds: number,
  ): Promise<Record<string, unknown>> {
    const token = randomBytes(12).toString('hex').slice(0, 16);
    const url = await this.#address(record, { port, name: token });
    const { clock } = this.#world.context.engine;
    const cancelTimer = clock.setTimer(seconds * 1000, () => {
      this.#drop(token).catch(this.#world.context.onError);
    });
    const expiresAt = clock.now() + seconds * 1000;
    this.#signed.set(token, { sandboxId: record.id, port, expiresAt, cancelTimer });
    return { sandboxId: record.id, port, token, url };
  }

  async expire(record: SandboxRecord, port: number, token: string): Promise<void> {
    const signed = this.#signed.get(token);
    if (signed?.sandboxId === record.id && signed.port === port) await this.#drop(token);
  }

  /** Ends all links to a sandbox. */
  async forget(sandboxId: string): Promise<void> {
    const tokens = [...this.#signed].filter(([, signed]) => signed.sandboxId === sandboxId);
    await Promise.all(tokens.map(([token]) => this.#drop(token)));
    await this.#ports.closeOf(sandboxId);
  }

  /** Ends all links; there are no new ones. */
  async close(): Promise<void> {
    for (const { cancelTimer } of this.#signed.values()) cancelTimer();
    await this.#ports.end();
  }

  async serve(target: PreviewTarget, call: Call): Promise<Reply> {
    const options = this.#prepare(target, call);
    try {
      return await forward(call, options);
    } catch (error) {
      throw unreachable(error);
    }
  }

  async upgrade(target: PreviewTarget, call: UpgradeCall): Promise<void> {
    const options = this.#prepare(target, call);
    try {
      await forwardUpgrade(call, options);
    } catch (error) {
      throw unreachable(error);
    }
  }

  async #drop(token: string): Promise<void> {
    const signed = this.#signed.get(token);
    if (signed === undefined) return;
    signed.cancelTimer();
    this.#signed.delete(token);
    await this.#ports.close({ port: signed.port, name: token });
  }

  async #address(record: SandboxRecord, target: PreviewTarget): Promise<string> {
    if (await this.#leadsHere()) return this.url(target.port, target.name);
    if (record.state === 'destroying' || record.state === 'destroyed') {
      throw new DaytonaFailure(404, `Sandbox with ID or name ${record.id} not found`);
    }
    const port = await this.#ports.open(record.id, target);
    return `http://${this.#host()}:${port}`;
  }

  /** Whether the system leads names like ours to this server; asked once. */
  #leadsHere(): Promise<boolean> {
    if (this.#world.context.listen === undefined) return Promise.resolve(true);
    const host = this.#host().replace(/^\[|\]$/g, '');
    this.#hasNames ??= leadsTo(this.#lookup, `3000-probe.${this.#domain()}`, host);
    return this.#hasNames;
  }

  #listen(target: PreviewTarget): Promise<Listening> {
    const { listen } = this.#world.context;
    const site = this.siteOf?.(target);
    if (listen === undefined || site === undefined) throw new Error('there is nothing to serve');
    return listen(site);
  }

  /** Where the server is, for a URL; one that listens everywhere is here, too. */
  #host(): string {
    const { hostname } = new URL(this.#world.context.origin());
    return { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname] ?? hostname;
  }

  #domain(): string {
    const host = this.#host();
    // Nothing is below an address of numbers.
    return /^(?:[\d.]+|\[.*\])$/.test(host) ? 'localhost' : host;
  }

  #prepare(target: PreviewTarget, call: Call): ForwardOptions {
    const { request } = call;
    const record = this.#authorized(target, call);
    const { box } = record;
    if (box === undefined || record.state !== 'started') throw badRequest(NOT_RUNNING);
    if (request.headers[SKIP_ACTIVITY] !== 'true')
      this.#world.sandboxes.holdUntil(record, call.signal);
    const isOurs = sameSecret(bearer(request), this.#world.context.key);
    return {
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
  }

  /** The sandbox that a token opens a port of. */
  #signedFor({ port, name }: PreviewTarget): SandboxRecord | undefined {
    const signed = this.#signed.get(name);
    if (signed === undefined || signed.port !== port) return undefined;
    if (signed.expiresAt <= this.#world.now()) return undefined;
    return this.#world.sandboxes.find(signed.sandboxId);
  }

  /** @throws DaytonaFailure 401 unless the sandbox is public or the request shows a token */
  #authorized(target: PreviewTarget, call: Call): SandboxRecord {
    const record = this.#world.sandboxes.find(target.name);
    const signed = this.#signedFor(target);
    if (signed !== undefined) return signed;
    if (record?.isPublic === true) return record;
    const isKnown =
      record !== undefined &&
      (previewTokens(call).some((token) => sameSecret(token, record.authToken)) ||
        sameSecret(bearer(call.request), this.#world.context.key));
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
