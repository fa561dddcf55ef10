import { randomUUID } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PortUrl } from '@cubeshift/sandbox';

const KEY = 'x-key';
const PORT = 'x-port';

/** Lets requests with a key through to ports of this host. */
export class Gate {
  readonly #key = randomUUID();
  readonly #server = createServer((incoming, response) => {
    if (incoming.headers[KEY] !== this.#key) {
      response.writeHead(401).end('no key');
      return;
    }
    const target = { port: Number(incoming.headers[PORT]), path: incoming.url };
    request(target, (answer) => {
      response.writeHead(answer.statusCode ?? 502);
      answer.pipe(response);
    })
      .on('error', () => response.writeHead(502).end())
      .end();
  });
  #listening: Promise<number> | undefined;

  async url(port: number): Promise<PortUrl> {
    this.#listening ??= new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
    return {
      url: `http://127.0.0.1:${await this.#listening}`,
      headers: { [KEY]: this.#key, [PORT]: `${port}` },
    };
  }

  async close(): Promise<void> {
    if (this.#listening === undefined) return;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
