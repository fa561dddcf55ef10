import { strict as assert } from 'node:assert';
import type { PortUrl, Sandbox } from '../../provider/sandbox.ts';
import { quote } from '../../shell/quote.ts';
import { type Case, type Kit, rejects } from '../kit.ts';

/** Says what it was asked for, on every address. */
const PYTHON = `
import http.server, sys
class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = ('served ' + self.path).encode()
        self.send_response(200)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(('', int(sys.argv[1])), Server).serve_forever()`;
const NODE = `require('node:http')
  .createServer((request, response) => response.end('served ' + request.url))
  .listen(Number(process.argv.at(-1)))`;

/** Programs that are reached from outside. */
export const PORTS: readonly Case[] = [
  {
    name: 'ports: a program is reached, with the headers given',
    async run(kit) {
      const sandbox = await kit.create();
      const { port } = kit;
      if (!(await kit.supports('ports', () => sandbox.portUrl(port)))) return;
      await serve(sandbox, port);
      const address = await sandbox.portUrl(port);
      const { headers } = address;
      await isReached(kit, address, '/some/path?q=1');
      const { status } = await kit.fetch(below(address, '/'), { redirect: 'manual' });
      kit.seen(`${Object.keys(headers).length} headers, and without them ${status}`);
    },
  },
  {
    name: 'ports: a private one is not reached without headers',
    async run(kit) {
      const sandbox = await kit.create({ public: false });
      const { port } = kit;
      if (!(await kit.supports('ports', () => sandbox.portUrl(port)))) return;
      if (!kit.capabilities.ports.private) return kit.seen('none is private');
      await serve(sandbox, port);
      const address = await sandbox.portUrl(port);
      await isReached(kit, address, '/private');
      assert.notDeepEqual(address.headers, {});
      const refused = await kit.fetch(below(address, '/private'), { redirect: 'manual' });
      assert.ok(refused.status >= 300, `Without headers it is reached: ${refused.status}`);
      assert.doesNotMatch(await refused.text(), /served/);
      kit.seen(`without headers: ${refused.status}`);
    },
  },
  {
    name: 'ports: a public one needs no headers',
    async run(kit) {
      const sandbox = await kit.create({ public: true });
      const { port } = kit;
      if (!(await kit.supports('ports', () => sandbox.portUrl(port)))) return;
      await serve(sandbox, port);
      const address = await sandbox.portUrl(port);
      assert.deepEqual(address.headers, {});
      await isReached(kit, address, '/public');
    },
  },
  {
    name: 'ports: the address of a program that is not there yet',
    async run(kit) {
      const sandbox = await kit.shared();
      const { port } = kit;
      if (!(await kit.supports('ports', () => sandbox.portUrl(port)))) return;
      const { url } = await sandbox.portUrl(port);
      assert.match(url, /^https?:\/\//);
    },
  },
  {
    name: 'ports: none of a sandbox that is gone',
    async run(kit) {
      const sandbox = await kit.create();
      const { port } = kit;
      if (!(await kit.supports('ports', () => sandbox.portUrl(port)))) return;
      await serve(sandbox, port);
      const before = await sandbox.portUrl(port);
      await isReached(kit, before, '/before');
      await kit.remove(sandbox);
      await kit.until('its program is not reached any more', async () => {
        return (await request(kit, before, '/after')) !== 'served /after';
      });
      const later = await sandbox.portUrl(port).then(
        () => 'is given, but leads nowhere',
        (error: unknown) => rejects(Promise.reject(error), 'not_found').then(() => 'is not_found'),
      );
      kit.seen(`its address ${later}`);
    },
  },
];

async function serve(sandbox: Sandbox, port: number): Promise<void> {
  const python = `exec python3 -c ${quote(PYTHON)} ${port}`;
  const node = `exec node -e ${quote(NODE)} ${port}`;
  const command = `if command -v python3 >/dev/null; then ${python}; else ${node}; fi`;
  await sandbox.spawn(command, { capture: false });
}

/** Waits until the program of {@link serve} answers. */
async function isReached(kit: Kit, port: PortUrl, path: string): Promise<void> {
  let seen = '';
  await kit
    .until('the program answers', async () => {
      seen = await request(kit, port, path);
      return seen === `served ${path}`;
    })
    .catch((error: Error) => {
      throw new Error(`${error.message}; ${port.url} gave ${seen}`, { cause: error });
    });
}

/** What is answered, or why nothing is. */
async function request(kit: Kit, port: PortUrl, path: string): Promise<string> {
  const { headers } = port;
  try {
    const response = await kit.fetch(below(port, path), {
      headers,
      signal: AbortSignal.timeout(5_000),
    });
    return await response.text();
  } catch (error) {
    return String(error instanceof Error ? (error.cause ?? error) : error);
  }
}

/** An address of a port may have a path, below which all of its program is. */
function below({ url }: PortUrl, path: string): URL {
  return new URL(`${url.replace(/\/$/, '')}${path}`);
}
