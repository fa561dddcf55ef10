import type { ScanResult } from './contenders.ts';
import type { InstallResult } from './install.ts';
import type { Machine } from './machine.ts';
import type { Startup } from './startup.ts';

/** Everything one run measured. */
export interface Results {
  machine: Machine;
  startup: Startup;
  scans: ScanResult[];
  installs: InstallResult[];
}

/** A measured number beside the most it should be. */
export interface Figure {
  name: string;
  /** Null when this run did not measure it. */
  value: number | null;
  atMost: number;
  unit: string;
}

/** Names of the generated trees. */
export const TREES = { few: 'A', many: 'B', large: 'C', walked: 'A without git' } as const;

/** The scan of a tree by a contender, if this run had it. */
export function scanOf(
  scans: readonly ScanResult[],
  tree: string,
  contender = 'cubeshift',
): ScanResult | undefined {
  return scans.find((scan) => scan.tree === tree && scan.contender === contender);
}

/** The figures that have a target. */
export function figures({ startup, scans, installs }: Results): Figure[] {
  const few = scanOf(scans, TREES.few);
  const many = scanOf(scans, TREES.many);
  const large = scanOf(scans, TREES.large);
  const installed = installs.find(({ name }) => name === 'cubeshift')?.installed;
  const growth = few && large ? large.ms.median / few.ms.median : null;
  const seconds = (scan: ScanResult | undefined): number | null =>
    scan === undefined ? null : scan.ms.median / 1000;
  return [
    { name: 'scan, tree A', value: seconds(few), atMost: 0.6, unit: 's' },
    { name: 'scan, tree B', value: seconds(many), atMost: 2.5, unit: 's' },
    { name: 'peak memory, tree B', value: many?.peakMb ?? null, atMost: 450, unit: 'MB' },
    { name: 'time of C over time of A (10 x the files)', value: growth, atMost: 10, unit: 'x' },
    { name: '--version over bare node', value: over(startup, 'version'), atMost: 120, unit: 'ms' },
    { name: '--help over bare node', value: over(startup, 'help'), atMost: 120, unit: 'ms' },
    { name: 'installed size', value: installed?.mb ?? null, atMost: 25, unit: 'MB' },
    { name: 'installed packages', value: installed?.packages ?? null, atMost: 25, unit: '' },
    {
      name: 'packages with install scripts',
      value: installed?.withScripts.length ?? null,
      atMost: 0,
      unit: '',
    },
  ];
}

function over({ node, ...commands }: Startup, command: 'version' | 'help'): number {
  return commands[command].median - node.median;
}

/** Where the wall time of scanning tree A goes, in milliseconds. */
export interface Breakdown {
  /** Node itself. */
  node: number;
  /** Loading the command line. */
  cli: number;
  /** Everything a scan does. */
  scan: number;
}

export function breakdown({ startup, scans }: Results): Breakdown | undefined {
  const few = scanOf(scans, TREES.few);
  if (few === undefined) return undefined;
  const { node, version } = startup;
  return {
    node: node.median,
    cli: version.median - node.median,
    scan: few.ms.median - version.median,
  };
}
