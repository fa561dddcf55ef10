import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** An answer that does not come from the server behind. */
export interface OwnAnswer {
  status: number;
  type: string;
  body: string;
}

/** Stands before a server, as a company's proxy does. */
export class FrontProxy {
  /** Is asked before a request is passed on, as `METHOD /path`; what it gives is answered instead. */
  meet: (asked: string) => OwnAnswer | undefined | Promise<undefined> = () => undefined;
  readonly #server;

  private constructor(target: URL) {
    this.#server = createServer(async (incoming, response) => {
      const { method = 'GET', url = '/' } = incoming;
      const body = await buffer(incoming);
      const own = await this.meet(`${method} ${url}`);
      if (own !== undefined) {
        response.writeHead(own.status, { 'content-type': own.type }).end(own.body);
        return;
      }
      const headers = { ...incoming.headers, host: target.host };
      // Also when whoever asked has gone meanwhile.
      request(new URL(url, target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      })
        .on('error', () => response.destroy())
        .end(body);
    });
  }

  static async open(target: string): Promise<FrontProxy> {
    const proxy = new FrontProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
