import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';

/** Whether certificates can be made here. */
export const HAS_OPENSSL = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export interface Certificate {
  key: Buffer;
  cert: Buffer;
  /** The file that it is in, for `NODE_EXTRA_CA_CERTS`. */
  file: string;
}

/** Makes a certificate that nobody knows, for 127.0.0.1. */
export function makeCertificate(folder: string): Certificate {
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
  const of = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const args = [...how, '-nodes', '-days', '2', ...files, ...of];
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const file = join(folder, 'cert.pem');
  return { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(file), file };
}

/** Something that stands before a server. */
export interface Front {
  /** `127.0.0.1` and its port. */
  host: string;
  close(): Promise<void>;
}

/** Speaks TLS with whoever comes, and hands on what it hears. */
export function openTls({ key, cert }: Certificate, target: string): Promise<Front> {
  const port = Number(new URL(target).port);
  return open(
    createTlsServer({ key, cert }, (socket) => {
      const behind = connect(port, '127.0.0.1');
      socket.on('error', () => behind.destroy()).pipe(behind);
      behind.on('error', () => socket.destroy()).pipe(socket);
    }),
  );
}

/** Puts another address where answers name the server's, as the settings of a server do. */
export function openRenaming(target: string, to: string): Promise<Front> {
  const { origin } = new URL(target);
  return openChanging(target, {}, (body) => body.replaceAll(origin, to));
}

/** Knows the key, so that nobody else needs it. */
export function openKnowing(target: string, key: string): Promise<Front> {
  return openChanging(target, { 'x-api-key': key }, (body) => body);
}

/** Hands on requests with further headers, and their answers changed. */
function openChanging(
  target: string,
  more: Readonly<Record<string, string>>,
  change: (body: string) => string,
): Promise<Front> {
  const { port } = new URL(target);
  return open(
    createHttpServer((incoming, response) => {
      const { method, url: path } = incoming;
      const headers = { ...incoming.headers, 'accept-encoding': 'identity', ...more };
      const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        void text(answer).then((body) => {
          const { 'content-length': _, 'transfer-encoding': __, ...back } = answer.headers;
          response.writeHead(answer.statusCode ?? 502, back).end(change(body));
        });
      });
      passed.on('error', () => response.destroy());
      incoming.pipe(passed);
    }),
  );
}

/** Answers whatever comes with the same bytes. */
export function openSaying(bytes: string): Promise<Front> {
  return open(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(bytes));
    }),
  );
}

/** An address at which nothing listens. */
export async function nowhere(): Promise<string> {
  const { host, close } = await open(createServer());
  await close();
  return `http://${host}`;
}

async function open(server: Server): Promise<Front> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
