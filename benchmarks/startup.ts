import { interleave, type Job, type Spread, spread } from './measure.ts';

/** Wall times of processes that do next to nothing, in milliseconds. */
export interface Startup {
  /** `node -e 0`. */
  node: Spread;
  version: Spread;
  help: Spread;
}

/** Times bare Node, `--version` and `--help` in turns. */
export async function measureStartup(
  cli: string,
  rounds: number,
  progress: (line: string) => void,
): Promise<Startup> {
  const job = (name: string, ...args: string[]): Job => ({
    name,
    command: process.execPath,
    args,
    cwd: process.cwd(),
    rounds,
    exitCodes: [0],
  });
  const node = job('node -e 0', '-e', '0');
  const version = job('--version', cli, '--version');
  const help = job('--help', cli, '--help');
  const samples = await interleave([node, version, help], progress);
  const times = (of: Job): Spread => spread((samples.get(of) ?? []).map(({ ms }) => ms));
  return { node: times(node), version: times(version), help: times(help) };
}
