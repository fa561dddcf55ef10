import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { type RunningServer, startServer } from './local/server.ts';
import { machineFacts, progress } from './machine.ts';
import { percentile, spread } from './measure.ts';
import { type BenchmarkOptions, readOptions } from './options.ts';
import { countRequests, cubePair, daytonaPair, e2bPair, type Pair } from './provider/contenders.ts';
import { countEach, perOperation, type Repeats, timeRound } from './provider/operations.ts';
import { measurePackage } from './provider/package.ts';
import { formatProvider, type ProviderResults } from './provider/print.ts';
import { openWorkspace } from './workspace.ts';

/** `npm run bench:provider`: the sandbox package beside the SDKs it uses. See docs/benchmarks.md. */

const USAGE = `Usage: npm run bench:provider -- [options]

  --quick   fewer rounds
  --json    print the results as JSON
  --help    print this help
`;

const REPOSITORY = dirname(import.meta.dirname);
const REPEATS: Repeats = { lives: 3, calls: 5 };

const options = readOptions(USAGE);
if (options !== undefined) await main(options);

async function main({ quick, json }: BenchmarkOptions): Promise<void> {
  const before = loadavg()[0] ?? 0;
  const workspace = openWorkspace();
  const folder = join(REPOSITORY, 'shims');
  const packed = await measurePackage(folder, workspace, quick ? 5 : 101);
  const servers = [
    await startServer(REPOSITORY, join(workspace, 'cube')),
    await startServer(REPOSITORY, join(workspace, 'e2b'), '--flavor', 'e2b'),
  ] as const;
  progress('the servers run');
  try {
    const whole: ProviderResults = {
      pairs: await measurePairs(servers, quick ? 10 : 200),
      package: packed,
      isolation: servers[0].isolation.mode,
      machine: machineFacts(before),
    };
    process.stdout.write(json ? `${JSON.stringify(whole, null, 2)}\n` : formatProvider(whole));
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function measurePairs(
  [cube, e2b]: readonly [RunningServer, RunningServer],
  rounds: number,
): Promise<ProviderResults['pairs']> {
  const pairs: Pair[] = [e2bPair(e2b), cubePair(cube), daytonaPair(cube)];
  for (const server of [cube, e2b]) await countRequests(server);
  const measured = [];
  for (const pair of pairs) {
    measured.push({
      pair,
      requests: await countEach(pair),
      times: perOperation<number[]>(() => []),
    });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { pair, times } of measured) await timeRound(pair, round, REPEATS, times);
    if ((round + 1) % 20 === 0) progress(`round ${round + 1} of ${rounds}`);
  }
  for (const pair of pairs) await pair.close();
  return measured.map(({ pair, requests, times }) => ({
    name: pair.name,
    requests,
    times: perOperation((operation, side) => {
      const all = times[operation][side];
      const { median, runs } = spread(all);
      return { median, p99: percentile(all, 99), runs };
    }),
  }));
}
