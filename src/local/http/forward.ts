import { type IncomingMessage, request as send } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpFailure } from './failure.ts';
import type { Reply } from './reply.ts';
import type { Call } from './router.ts';
import type { UpgradeCall } from './server.ts';

/** How a request goes on to a server inside a sandbox. */
export interface ForwardOptions {
  /** Opens a connection to it. */
  connect(): Promise<Duplex>;
  /** Path and query it gets. */
  path: string;
  /** Headers to set; undefined removes one. */
  headers?: Readonly<Record<string, string | undefined>>;
  /** Changes headers of the answer. */
  answer?(headers: IncomingMessage['headers']): IncomingMessage['headers'];
}

/** Concern one connection only (RFC 9110, 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

/**
 * Passes a request on and answers with what comes back, both streamed.
 * @throws HttpFailure 502 when the connection breaks before an answer came; what `connect` throws
 */
export async function forward(call: Call, options: ForwardOptions): Promise<Reply> {
  const socket = await options.connect();
  const { request } = call;
  const headers = canonical(passedOn(request.headers, options.headers));
  return new Promise<Reply>((resolve, reject) => {
    const upstream = send({
      createConnection: () => socket,
      method: request.method,
      path: options.path,
      headers: { ...headers, Connection: 'close' },
      setHost: false,
    });
    call.signal.addEventListener('abort', () => upstream.destroy(), { once: true });
    upstream.once('response', (answer) => {
      const kept = options.answer?.(answer.headers) ?? answer.headers;
      resolve({ status: answer.statusCode ?? 502, headers: passedOn(kept, {}), body: answer });
    });
    upstream.once('error', (error) => {
      reject(new HttpFailure(502, `the server in the sandbox broke off: ${error.message}`));
    });
    request.once('error', () => upstream.destroy());
    request.pipe(upstream);
  });
}

/** Passes an upgrade on: from then on bytes go both ways unread. */
export async function forwardUpgrade(call: UpgradeCall, options: ForwardOptions): Promise<void> {
  const upstream = await options.connect();
  const { request, socket, head } = call;
  const headers = canonical(passedOn(request.headers, options.headers));
  headers.Connection = 'Upgrade';
  headers.Upgrade = request.headers.upgrade ?? 'websocket';
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  upstream.write(`${request.method} ${options.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  upstream.write(head);
  upstream.on('error', () => socket.destroy());
  upstream.once('close', () => socket.destroy());
  socket.once('close', () => upstream.destroy());
  socket.pipe(upstream).pipe(socket);
}

/** Spells names as proxies written in Go do, E2B's and Daytona's among them: `Content-Type`. */
function canonical(headers: Record<string, string | string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  );
}

function passedOn(
  headers: IncomingMessage['headers'],
  changes: ForwardOptions['headers'] = {},
): Record<string, string | string[]> {
  const own = [headers.connection ?? '']
    .join()
    .toLowerCase()
    .split(/\s*,\s*/);
  const dropped = new Set([...HOP_BY_HOP, ...own]);
  const kept = Object.entries({ ...headers, ...changes }).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && !dropped.has(entry[0]),
  );
  return Object.fromEntries(kept);
}
