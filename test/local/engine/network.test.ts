import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../../src/local/engine/engine.ts';
import type { Sandbox } from '../../../src/local/engine/sandbox.ts';
import { codeOf, folder, modes, PATIENCE, removeFolders, run, sh, until } from './support.ts';

const ENGINE = join(import.meta.dirname, '../../../src/local/engine/engine.ts');

describe.each(await modes())('network: $title', ({ mode, isMissing }) => {
  if (isMissing) return test.skip('all of it');
  let engine: Engine;
  let sandbox: Sandbox;

  beforeAll(async () => {
    engine = await createEngine({ isolation: mode, dir: folder() });
    sandbox = await engine.create({ id: 'one' });
  }, PATIENCE);

  afterAll(async () => {
    await engine.close();
    removeFolders();
  }, PATIENCE);

  test.each(['127.0.0.1', '::1'])('a port on %s is reached from outside', async (host) => {
    const port = await serve(sandbox, `echo over ${host}`, { host });
    expect(await sandbox.listeningPorts()).toContain(port);
    const connection = await sandbox.connect(port);
    const answer = text(connection);
    connection.end('hello ');
    expect(await answer).toBe(`hello echo over ${host}`);
  });

  test('a port nobody listens on is refused, as is what is not a port', async () => {
    const port = await serve(sandbox, 'gone');
    for (const process of sandbox.processes.values()) {
      await process.signal('SIGKILL');
      await process.exit;
    }
    expect(await codeOf(sandbox.connect(port))).toBe('refused');
    expect(await sandbox.listeningPorts()).not.toContain(port);
    for (const bad of [0, 65536, 1.5, Number.NaN]) {
      expect(await codeOf(sandbox.connect(bad))).toBe('invalid');
    }
  });

  test('a sandbox that does not run has no ports', async () => {
    const other = await engine.create({ id: 'states' });
    const port = await serve(other, '');
    await other.pause();
    expect(await codeOf(other.connect(port))).toBe('not-running');
    expect(await other.listeningPorts()).toEqual([port]);
    await other.resume();
    (await other.connect(port)).destroy();
    await other.stop();
    expect(await codeOf(other.connect(port))).toBe('not-running');
    expect(await codeOf(other.listeningPorts())).toBe('not-running');
    await other.delete();
  });
});

const engineHere = await createEngine({ dir: folder() });
await engineHere.close();
removeFolders();
const { network, limits } = engineHere.isolation;
const hasOutbound = network === 'separate' && !limits.some((limit) => /slirp4netns/.test(limit));

describe.skipIf(network === 'host')('a network of its own', () => {
  let engine: Engine;
  let one: Sandbox;
  let two: Sandbox;

  beforeAll(async () => {
    engine = await createEngine({ network: 'separate', dir: folder() });
    one = await engine.create({ id: 'one' });
    two = await engine.create({ id: 'two', outbound: false });
  }, PATIENCE);

  afterAll(async () => {
    await engine.close();
    removeFolders();
  }, PATIENCE);

  test('two sandboxes listen on the same port, and each is reached', async () => {
    await serve(one, 'first', { port: 3000 });
    await serve(two, 'second', { port: 3000 });
    expect(await ask(one, 3000)).toBe('first');
    expect(await ask(two, 3000)).toBe('second');
    expect([await one.listeningPorts(), await two.listeningPorts()]).toEqual([[3000], [3000]]);
  });

  test('many connections at once, much data both ways', async () => {
    const port = await serve(one, '.');
    const data = 'x'.repeat(1_000_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const connection = await one.connect(port);
        const answer = text(connection);
        connection.end(`${i}${data}`);
        return answer;
      }),
    );
    expect(answers).toEqual(answers.map((_, i) => `${i}${data}.`));
  });

  test('what the server inside says at once is not lost', async () => {
    const program =
      "require('net').createServer((s) => s.end('hi')).listen(4000, () => console.log())";
    const server = await one.spawn({ argv: [process.execPath, '-e', program] });
    await new Promise((resolve) => server.stdout.once('data', resolve));
    for (let i = 0; i < 20; i++) expect(await text(await one.connect(4000))).toBe('hi');
  });

  test('neither the host’s loopback nor a neighbour’s is seen', async () => {
    await using host = await hostServer('127.0.0.1');
    await serve(two, 'second', { port: 3001 });
    for (const at of ['127.0.0.1', '10.0.2.2']) {
      expect(await reach(one, at, host.port)).not.toBe('reached');
      expect(await reach(one, at, 3001)).not.toBe('reached');
    }
    expect(await codeOf(one.connect(host.port))).toBe('refused');
  });

  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  test.skipIf(!hasOutbound || address === undefined)(
    'there is a way out, unless it is not wanted (needs slirp4netns)',
    async () => {
      await using host = await hostServer('0.0.0.0');
      expect(await reach(one, `${address}`, host.port)).toBe('reached');
      expect(await reach(two, `${address}`, host.port)).toBe('ENETUNREACH');
    },
  );

  test('a sandbox that ends closes its connections', async () => {
    const sandbox = await engine.create({ id: 'short' });
    const port = await serve(sandbox, '');
    const connection = await sandbox.connect(port);
    connection.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => connection.once('close', resolve));
    await sandbox.stop();
    await closed;
    await sandbox.start();
    expect(await codeOf(sandbox.connect(port))).toBe('refused');
    await serve(sandbox, 'again', { port });
    expect(await ask(sandbox, port)).toBe('again');
    await sandbox.delete();
  });

  test('nothing stays in the network of a sandbox, also when the server is killed', async () => {
    const sandbox = await engine.create({ id: 'ends' });
    const space = (await sh(sandbox, 'readlink /proc/self/ns/net')).trim();
    await ask(sandbox, await serve(sandbox, ''));
    expect(inNetwork(space)).not.toEqual([]);
    await sandbox.delete();
    expect(inNetwork(space)).toEqual([]);

    const program = `
      import { createEngine } from ${JSON.stringify(ENGINE)};
      const engine = await createEngine({ dir: ${JSON.stringify(folder())} });
      const sandbox = await engine.create({ id: 'one' });
      await sandbox.connect(1).catch(() => {});
      const shell = await sandbox.spawn({ argv: ['readlink', '/proc/self/ns/net'] });
      shell.stdout.pipe(process.stdout);
      setInterval(() => {}, 1000);
    `;
    const args = ['--import', 'tsx', '--input-type=module', '-e', program];
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const other = await new Promise((resolve) => server.stdout.once('data', resolve));
    const below = children(server.pid ?? 0);
    server.kill('SIGKILL');
    await until(() => inNetwork(`${other}`.trim()).length === 0);
    await until(() => below.every((pid) => !existsSync(`/proc/${pid}`)));
  });
});

test.skipIf(network === 'host')('sandboxes can be given the host’s network', async () => {
  const engine = await createEngine({ network: 'host', dir: folder() });
  try {
    expect(engine.isolation.network).toBe('host');
    expect(engine.isolation.limits.join()).toContain('the network is the host’s');
    const sandbox = await engine.create({ id: 'one' });
    await using host = await hostServer('127.0.0.1');
    expect(await reach(sandbox, '127.0.0.1', host.port)).toBe('reached');
    expect(await sandbox.listeningPorts()).toEqual([]);
    expect(await codeOf(engine.create({ id: 'kept in', outbound: false }))).toBe('unsupported');
  } finally {
    await engine.close();
    removeFolders();
  }
});

test('a folder has no network of its own', async () => {
  const engine = createEngine({ isolation: 'directory', network: 'separate', dir: folder() });
  expect(await codeOf(engine)).toBe('unsupported');
  removeFolders();
});

async function ask(sandbox: Sandbox, port: number): Promise<string> {
  const connection = await sandbox.connect(port);
  const answer = text(connection);
  connection.end();
  return answer;
}

/** How an attempt to connect from inside ends. */
async function reach(sandbox: Sandbox, host: string, port: number): Promise<string> {
  const program = `
    const socket = require('net').connect(${port}, '${host}');
    socket.setTimeout(5000, () => { console.log('timeout'); process.exit(); });
    socket.on('connect', () => { console.log('reached'); process.exit(); });
    socket.on('error', (error) => { console.log(error.code); process.exit(); });
  `;
  return (await run(sandbox, { argv: [process.execPath, '-e', program] })).stdout.trim();
}

/** A server of the host on a port of its own; disposing closes it. */
async function hostServer(address: string): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((socket) => socket.on('error', () => undefined).end());
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

/** Processes of the host in a network namespace. */
function inNetwork(space: string): string[] {
  return processes().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`) === space;
    } catch {
      return false;
    }
  });
}

/** Processes that another one started, directly or not. */
function children(root: number): string[] {
  const own = processes().filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) === root;
    } catch {
      return false;
    }
  });
  return own.flatMap((pid) => [pid, ...children(Number(pid))]);
}

function processes(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** Starts a server in a sandbox that answers with what it is sent and its own word after it. */
async function serve(
  sandbox: Sandbox,
  word: string,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<number> {
  const program = `
    const net = require('node:net');
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => socket.write(data));
      socket.on('end', () => socket.end(${JSON.stringify(word)}));
    });
    server.listen(${port}, ${JSON.stringify(host)}, () => console.log(server.address().port));
  `;
  const server = await sandbox.spawn({ argv: [process.execPath, '-e', program] });
  server.stderr.pipe(process.stderr);
  const [line] = await new Promise<Buffer[]>((resolve, reject) => {
    server.stdout.once('data', (data: Buffer) => resolve([data]));
    void server.exit.then((exit) => reject(new Error(`server ended: ${JSON.stringify(exit)}`)));
  });
  return Number(line);
}
