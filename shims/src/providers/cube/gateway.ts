import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SandboxError } from '../../provider/errors.ts';

export interface GatewayOptions {
  apiUrl: string;
  proxyUrl: string;
  /** Whether the server creates as E2B's newest SDK does it; otherwise that is translated. */
  hasV2Create: boolean;
  /** Port on 127.0.0.1; 0, the default, is any free one. */
  port?: number;
  /**
   * What has to stand at the start of paths, so that others on this machine cannot use it. Defaults to
   * a random word; empty for none.
   */
  secret?: string;
}

/** Headers that belong to one connection. Source: RFC 9110, section 7.6.1. */
const OF_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'];

const CREATES = /^(?:\/v2)?\/sandboxes$/;
const ONE_SANDBOX = /^\/sandboxes\/([\w-]+)$/;

/** A request that makes or ends a sandbox. */
type Asked = { what: 'create' } | { what: 'delete'; id: string };

/**
 * Leads the requests of E2B's SDKs to a CubeSandbox that has no wildcard name and no certificate: the
 * SDK names the sandbox in headers, CubeProxy in the path. It adds the token that guards a private
 * sandbox, which the SDK sends to no command and no file call, and takes the routes of newer SDKs. The
 * token is told once, when the sandbox is created: it learns those of all that are created through it.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #tokens = new Map<string, string>();
  readonly #server: Server;
  readonly #prefix: string;
  #opening: Promise<void> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const secret = options.secret ?? randomBytes(16).toString('hex');
    this.#prefix = secret === '' ? '' : `/${secret}`;
    this.#server = createServer((request, response) => this.#lead(request, response));
    // Commands run as long as they do.
    this.#server.requestTimeout = 0;
  }

  /** Starts to listen. It keeps no program alive. */
  open(): Promise<void> {
    this.#opening ??= new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port ?? 0, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return this.#opening;
  }

  /** Lets the program end although it listens. */
  unref(): void {
    this.#server.unref();
  }

  /** For the SDK's `sandboxUrl`. */
  get sandboxUrl(): string {
    const address = this.#server.address() as AddressInfo | null;
    if (address === null) {
      throw new SandboxError('conflict', 'The provider is closed: make a new one', {
        retryable: false,
      });
    }
    return `http://127.0.0.1:${address.port}${this.#prefix}`;
  }

  /** For the SDK's `apiUrl`. */
  get apiUrl(): string {
    return `${this.sandboxUrl}/api`;
  }

  /** Remembers what guards a sandbox. */
  guard(sandboxId: string, token: string): void {
    this.#tokens.set(sandboxId, token);
  }

  forget(sandboxId: string): void {
    this.#tokens.delete(sandboxId);
  }

  tokenOf(sandboxId: string): string | undefined {
    return this.#tokens.get(sandboxId);
  }

  async close(): Promise<void> {
    if (this.#opening === undefined) return;
    await this.#opening;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #lead(request: IncomingMessage, response: ServerResponse): void {
    const to = this.#target(request);
    if (typeof to === 'string') this.#pass(request, response, to);
    else refuse(response, to.status, to.message);
  }

  /** Where a request goes, or why nowhere. */
  #target(request: IncomingMessage): string | { status: number; message: string } {
    const { url = '/', method } = request;
    const { apiUrl, proxyUrl } = this.#options;
    if (!url.startsWith(`${this.#prefix}/`)) return { status: 404, message: 'no such address' };
    const path = url.slice(this.#prefix.length);
    const id = header(request, 'e2b-sandbox-id');
    const port = header(request, 'e2b-sandbox-port');
    if (id !== undefined && port !== undefined) {
      const isPlain = /^[\w-]+$/.test(id) && /^\d+$/.test(port);
      if (!isPlain) return { status: 400, message: 'the headers name no sandbox' };
      return `${proxyUrl}/sandbox/${id}/${port}${path}`;
    }
    const inApi = this.#isApi(path);
    if (inApi === undefined) return { status: 421, message: 'the request names no sandbox' };
    return `${apiUrl}${method === 'POST' ? this.#known(inApi) : inApi}`;
  }

  /** The path for the control plane; without a secret all that names no sandbox is for it. */
  #isApi(path: string): string | undefined {
    if (this.#prefix === '') return path;
    return path.startsWith('/api/') ? path.slice('/api'.length) : undefined;
  }

  /** The path by which this server knows what is created and connected. */
  #known(path: string): string {
    if (this.#options.hasV2Create) return path;
    return path.replace(/^\/v2(?=\/sandboxes(?:\/[^/?]+\/connect)?(?:\?|$))/, '');
  }

  /** What a request does to the sandboxes that are known here. */
  #asked({ method }: IncomingMessage, to: string): Asked | undefined {
    if (!to.startsWith(`${this.#options.apiUrl}/`)) return undefined;
    const [path = ''] = to.slice(this.#options.apiUrl.length).split('?');
    if (method === 'POST' && CREATES.test(path)) return { what: 'create' };
    const id = method === 'DELETE' ? ONE_SANDBOX.exec(path)?.[1] : undefined;
    return id === undefined ? undefined : { what: 'delete', id };
  }

  #learn(body: string): void {
    const made = created(body);
    if (made !== undefined && made.token !== '') this.guard(made.id, made.token);
  }

  #pass(request: IncomingMessage, response: ServerResponse, to: string): void {
    const url = new URL(to);
    const asked = this.#asked(request, to);
    const token = this.#tokens.get(header(request, 'e2b-sandbox-id') ?? '');
    const headers: IncomingHttpHeaders = {
      ...request.headers,
      ...(token === undefined ? {} : { 'e2b-traffic-access-token': token }),
    };
    for (const name of [...OF_CONNECTION, 'host']) delete headers[name];
    // What is read here must not come compressed.
    if (asked?.what === 'create') delete headers['accept-encoding'];
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const passed = send(url, { method: request.method, headers }, (answer) => {
      const back = { ...answer.headers };
      for (const name of OF_CONNECTION) delete back[name];
      const status = answer.statusCode ?? 502;
      if (asked?.what === 'delete' && isGone(answer)) this.forget(asked.id);
      if (asked?.what === 'create' && status < 300) {
        // Known before it is told, since the first command may follow at once.
        buffer(answer).then(
          (body) => {
            this.#learn(body.toString());
            response.writeHead(status, back).end(body);
          },
          () => response.destroy(),
        );
        return;
      }
      response.writeHead(status, back);
      // Streams begin before they have anything to say.
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    passed.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, `${url.origin} could not be reached: ${error.message}`);
    });
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  }
}

/** The sandbox that an answer to a creation tells of, with what guards it if anything does. */
function created(body: string): { id: string; token: string } | undefined {
  try {
    const { sandboxID: id, trafficAccessToken: token } = JSON.parse(body) as Record<
      string,
      unknown
    >;
    return typeof id === 'string' && typeof token === 'string' ? { id, token } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the server says so itself: a proxy before it may not know the address. */
function isGone({ statusCode = 502, headers }: IncomingMessage): boolean {
  if (statusCode < 300) return true;
  const isTold = /json/i.test(headers['content-type'] ?? '');
  return (statusCode === 404 || statusCode === 410) && isTold;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ code: status, message: `gateway: ${message}` });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
