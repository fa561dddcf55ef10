import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Fault, Faults, type FrontName } from '../faults/faults.ts';
import { HttpFailure } from './failure.ts';
import { Guard } from './guard.ts';
import { type Reply, send } from './reply.ts';
import type { Call, Handler, Route } from './router.ts';

/** An upgrade request; the handler takes the socket over. */
export interface UpgradeCall extends Call {
  readonly socket: Duplex;
  /** What the client sent after its request. */
  readonly head: Buffer;
}

export type UpgradeHandler = (call: UpgradeCall) => void | Promise<void>;

/** What answers a request. */
export interface Found<H> {
  route: Route<H>;
  params: Readonly<Record<string, string>>;
  /** Web pages may call it: it leads into a sandbox, not to this server. */
  isPublic?: boolean;
}

/** One protocol, as the HTTP server sees it. */
export interface Site {
  /** What answers a request; there is always something, if only a 404. */
  find(request: IncomingMessage, path: string): Found<Handler>;
  /** The same for upgrades (WebSocket). @throws HttpFailure to refuse */
  findUpgrade(request: IncomingMessage, path: string): Found<UpgradeHandler>;
  /** What a client of this protocol is told when a handler throws. */
  failure(error: unknown, path: string): Reply;
}

export interface ListenOptions {
  /** Which protocol it is, for rules that name one. */
  name?: FrontName;
  host: string;
  /** 0: any free one. */
  port: number;
  site: Site;
  guard?: Guard;
  faults?: Faults;
  /** Hears of failures that no client could be told. */
  onError?: (error: unknown) => void;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Breaks all connections but one, as a restart of the server does. */
  dropConnections(except?: Duplex): void;
  close(): Promise<void>;
}

/** Above the idle time of common clients, so that it is they who close idle connections. */
const KEEP_ALIVE_MS = 75_000;

/** Serves one protocol on one port. @throws what `listen` throws, e.g. EADDRINUSE */
export async function listen(options: ListenOptions): Promise<Listening> {
  const {
    name = 'e2b',
    site,
    guard = new Guard(),
    faults = new Faults(),
    onError = () => undefined,
  } = options;
  const sockets = new Set<Duplex>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    answer(request, response).catch((error) => {
      onError(error);
      response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head).catch((error) => {
      onError(error);
      socket.destroy();
    });
  });

  /** What comes before every handler; `find` only when the name the request was sent to is ours. */
  async function admit<H>(
    { request, signal }: Call,
    find: () => Found<H>,
  ): Promise<Found<H> & { fault: Fault | undefined }> {
    guard.checkHost(request);
    const found = find();
    if (found.isPublic !== true) guard.checkOrigin(request);
    const fault = faults.next(name, found.route.name);
    await fault?.delay(signal);
    return { ...found, fault };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const call = callOf(request, gone.signal);
    let limit: number | undefined;
    let reply: Reply;
    try {
      const { route, params, fault } = await admit(call, () => site.find(request, call.path));
      if (fault?.reset === 'before') return void response.destroy();
      failBy(fault);
      reply = await route.handler({ ...call, params });
      if (fault?.reset === 'after') return void response.destroy();
      limit = fault?.truncateBytes;
    } catch (error) {
      if (gone.signal.aborted) return;
      reply = site.failure(error, call.path);
      if (reply.status >= 500 && !(error instanceof HttpFailure)) onError(error);
    }
    await send(response, request.method === 'HEAD' ? bodiless(reply) : reply, limit);
    // What a handler did not want to read must not stand before the next request.
    if (!request.readableEnded) request.resume();
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const call = callOf(request, gone.signal);
    try {
      const { route, params, fault } = await admit(call, () =>
        site.findUpgrade(request, call.path),
      );
      if (fault?.reset === 'before') return void socket.destroy();
      failBy(fault);
      await route.handler({ ...call, params, socket, head });
      if (fault?.reset === 'after') socket.destroy();
    } catch (error) {
      refuse(socket, site.failure(error, call.path));
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const dropConnections = (except?: Duplex): void => {
    for (const socket of sockets) if (socket !== except) socket.destroy();
  };
  return {
    host: options.host,
    port: (server.address() as AddressInfo).port,
    dropConnections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        dropConnections();
      }),
  };
}

function callOf(request: IncomingMessage, signal: AbortSignal): Call {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  return {
    request,
    params: {},
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark)),
    signal,
  };
}

function failBy(fault: Fault | undefined): void {
  if (fault?.status === undefined) return;
  throw new HttpFailure(fault.status, `injected fault: ${fault.status}`, fault.headers);
}

function bodiless({ status, headers = {} }: Reply): Reply {
  return { status, headers };
}

/** Answers an upgrade request in plain HTTP and ends the connection. */
function refuse(socket: Duplex, { status, headers = {}, body = '' }: Reply): void {
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
}
