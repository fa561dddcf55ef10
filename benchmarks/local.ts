import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { Sandbox } from 'e2b';
import { type Backend, childProcess, daytona, e2b } from './local/backends.ts';
import { burst, firstCommand, idle, manyCommands } from './local/operations.ts';
import { formatLocal, type LocalResults, type TransferResult } from './local/print.ts';
import { memoryOfTree, type RunningServer, startBareServer, startServer } from './local/server.ts';
import { download, type Moved, type Transfer, upload } from './local/transfer.ts';
import { machineFacts, progress } from './machine.ts';
import { type Spread, spread } from './measure.ts';
import { type BenchmarkOptions, readOptions } from './options.ts';
import { openWorkspace } from './workspace.ts';

/** `npm run bench:local`: the local server through the real SDKs. See docs/benchmarks.md. */

const USAGE = `Usage: npm run bench:local -- [options]

  --quick   fewer rounds, and files of 128 MB
  --json    print the results as JSON
  --help    print this help
`;

const REPOSITORY = dirname(import.meta.dirname);
const GIB = 1024 ** 3;

const options = readOptions(USAGE);
if (options !== undefined) await main(options);

async function main({ quick, json }: BenchmarkOptions): Promise<void> {
  const before = loadavg()[0] ?? 0;
  const workspace = openWorkspace();
  const server = await startServer(REPOSITORY, workspace);
  progress(`the server runs, sandboxes in ${server.isolation.mode}`);
  try {
    const results = await measure(server, workspace, quick);
    const whole: LocalResults = { machine: machineFacts(before), ...results };
    process.stdout.write(json ? `${JSON.stringify(whole, null, 2)}\n` : formatLocal(whole));
  } finally {
    await server.stop();
  }
}

async function measure(
  server: RunningServer,
  workspace: string,
  quick: boolean,
): Promise<Omit<LocalResults, 'machine'>> {
  const backends: Backend[] = [childProcess, e2b(server), daytona(server)];
  for (const backend of backends) await firstCommand(backend);

  const firsts = await inTurns(backends, quick ? 10 : 50, firstCommand);
  const first = spreads('first command', firsts, (ms) => ms);
  const bursts = await inTurns(backends, quick ? 1 : 3, (one) => burst(one, 50));
  const created = spreads('50 created at once', bursts, ({ createdMs }) => createdMs);
  const done = spreads('a command in each of 50', bursts, ({ doneMs }) => doneMs);
  const many = new Map<string, { ms: number; errors: number }>();
  for (const backend of backends) {
    const { ms, errors } = await manyCommands(backend, 1000, 20);
    for (const error of errors.slice(0, 3)) progress(`${backend.name}: ${error}`);
    many.set(backend.name, { ms, errors: errors.length });
    progress(`1,000 commands, ${backend.name}: ${ms.toFixed(0)} ms, ${errors.length} errors`);
  }
  const empty = memoryOfTree(server.pid);
  const boxes = await idle(e2b(server), 200);
  const full = memoryOfTree(server.pid);
  progress(`200 idle sandboxes: ${full.rssMb.toFixed(0)} MB`);
  await Promise.all(boxes.map((box) => box.delete()));

  const transfers = await measureTransfers(server, workspace, quick);
  return {
    isolation: server.isolation.mode,
    firstCommand: first,
    burst: { created, done },
    manyCommands: Object.fromEntries(many),
    idle: { empty, full },
    transfers,
  };
}

/** Measures each backend once a round, starting with another one each time. */
async function inTurns<T>(
  backends: readonly Backend[],
  rounds: number,
  operation: (backend: Backend) => Promise<T>,
): Promise<Map<string, T[]>> {
  const measured = new Map<string, T[]>(backends.map((backend) => [backend.name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < backends.length; i++) {
      const backend = backends[(round + i) % backends.length] as Backend;
      measured.get(backend.name)?.push(await operation(backend));
    }
  }
  return measured;
}

/** One figure of what was measured, by backend, which is also told as progress. */
function spreads<T>(
  name: string,
  measured: ReadonlyMap<string, readonly T[]>,
  figure: (one: T) => number,
): Record<string, Spread> {
  const entries = [...measured].map(
    ([backend, all]) => [backend, spread(all.map(figure))] as const,
  );
  for (const [backend, { median }] of entries) {
    progress(`${name}, ${backend}: ${median.toFixed(1)} ms`);
  }
  return Object.fromEntries(entries);
}

/** The same bytes to and from each server, in turns. */
async function measureTransfers(
  server: RunningServer,
  workspace: string,
  quick: boolean,
): Promise<TransferResult[]> {
  const bytes = quick ? GIB / 8 : GIB;
  const bare = await startBareServer(join(workspace, 'bare'));
  const sandbox = await Sandbox.create(server.e2b.templateId, {
    apiUrl: server.e2b.url,
    sandboxUrl: server.e2b.url,
    apiKey: server.e2b.apiKey,
    timeoutMs: 3_600_000,
  });
  const created = await fetch(`${server.daytona.url}/sandbox`, {
    method: 'POST',
    headers: { ...daytonaHeaders(server), 'content-type': 'application/json' },
    body: '{}',
  });
  const { id, toolboxProxyUrl } = (await created.json()) as { id: string; toolboxProxyUrl: string };
  const transfers: (Transfer & { pid?: number })[] = [
    { name: 'bare Node server', upload: { url: bare.url }, download: { url: bare.url } },
    { pid: server.pid, ...e2bTransfer(server, sandbox.sandboxId) },
    { pid: server.pid, ...daytonaTransfer(server, `${toolboxProxyUrl}/${id}`) },
  ];
  const results: TransferResult[] = [];
  try {
    const moves = new Map<string, { up: Moved[]; down: Moved[] }>();
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      for (const { pid, ...transfer } of transfers) {
        const { up, down } = moves.get(transfer.name) ?? { up: [], down: [] };
        up.push(await upload(transfer, bytes, pid));
        down.push(await download(transfer, bytes, pid));
        moves.set(transfer.name, { up, down });
        progress(
          `${transfer.name}: ${up.at(-1)?.mbPerS.toFixed(0)} MB/s up, ${down.at(-1)?.mbPerS.toFixed(0)} MB/s down`,
        );
      }
    }
    for (const [name, { up, down }] of moves)
      results.push({ name, bytes, up: sum(up), down: sum(down) });
  } finally {
    bare.stop();
    await sandbox.kill();
  }
  return results;
}

function sum(moves: readonly Moved[]): TransferResult['up'] {
  const grown = moves.map(({ grewMb }) => grewMb).filter((mb) => mb !== null);
  return {
    mbPerS: spread(moves.map(({ mbPerS }) => mbPerS)),
    grewMb: grown.length === 0 ? null : Math.max(...grown),
  };
}

function e2bTransfer({ e2b: { url } }: RunningServer, id: string): Transfer {
  const headers = { 'e2b-sandbox-id': id, 'e2b-sandbox-port': '49983' };
  const files = `${url}/files?path=/tmp/large`;
  return {
    name: 'e2b /files',
    upload: { url: files, headers: { ...headers, 'content-type': 'application/octet-stream' } },
    download: { url: files, headers },
  };
}

function daytonaTransfer(server: RunningServer, toolbox: string): Transfer {
  const boundary = 'cubeshift-benchmark';
  const part = (name: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  return {
    name: 'Daytona bulk',
    upload: {
      url: `${toolbox}/files/bulk-upload`,
      headers: {
        ...daytonaHeaders(server),
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      form: {
        before: `${part('files[0].path')}/tmp/large\r\n${part('files[0].file', '; filename="/tmp/large"')}`,
        after: `\r\n--${boundary}--\r\n`,
      },
    },
    download: {
      url: `${toolbox}/files/bulk-download`,
      method: 'POST',
      headers: { ...daytonaHeaders(server), 'content-type': 'application/json' },
      body: JSON.stringify({ paths: ['/tmp/large'] }),
    },
  };
}

function daytonaHeaders({ daytona: { apiKey } }: RunningServer): Record<string, string> {
  return { authorization: `Bearer ${apiKey}`, 'x-daytona-sdk-version': '0.218.0' };
}
