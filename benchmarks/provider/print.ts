import { describeMachine, type Machine } from '../machine.ts';
import { section, table } from '../table.ts';
import { OPERATIONS, type Operation, type PerOperation } from './operations.ts';
import type { PackageResult } from './package.ts';

/** Times of one operation, in milliseconds. */
export interface Times {
  median: number;
  p99: number;
  runs: number;
}

/** Everything one run measured. */
export interface ProviderResults {
  machine: Machine;
  isolation: string;
  pairs: { name: string; requests: PerOperation<number>; times: PerOperation<Times> }[];
  package: PackageResult;
}

const MOST_OVERHEAD = 3;
const MOST_KB = 300;
const MOST_IMPORT_MS = 25;

/** Results as aligned tables for people. */
export function formatProvider(results: ProviderResults): string {
  const { machine, isolation, pairs } = results;
  return [
    section('Machine', [describeMachine(machine), `sandboxes: ${isolation}`]),
    section('Targets', table(['figure', 'measured', 'target', 'met'], targets(results))),
    section('Requests', table(['backend', ...OPERATIONS], pairs.flatMap(requestRows))),
    section(
      'Time, ms',
      table(
        ['backend', 'operation', 'SDK', 'provider', 'overhead', 'SDK p99', 'provider p99', 'runs'],
        pairs.flatMap(({ name, times }) => OPERATIONS.map((one) => timeRow(name, one, times))),
      ),
    ),
    section('Whole processes, ms', importTable(results.package)),
  ].join('\n');
}

function targets({ pairs, package: packed }: ProviderResults): string[][] {
  const rows: string[][] = [];
  const atMost = (name: string, value: number, most: number, unit: string, digits = 1): void => {
    const isMet = value <= most;
    const measured = `${value.toFixed(digits)} ${unit}`;
    rows.push([name, measured, `<= ${most} ${unit}`, isMet ? 'yes' : 'NO']);
  };
  for (const { name, requests } of pairs) {
    const more = OPERATIONS.map((one) => requests[one].provider - requests[one].sdk);
    atMost(`${name}, requests more than the SDK`, Math.max(...more), 0, 'requests', 0);
  }
  for (const { name, times } of pairs) {
    for (const one of OPERATIONS) {
      atMost(`${name}, ${one}, median overhead`, overhead(one, times), MOST_OVERHEAD, '%');
    }
  }
  atMost('packed', packed.packedKb, MOST_KB, 'kB', 0);
  atMost('importing, over bare Node', importMs(packed), MOST_IMPORT_MS, 'ms');
  return rows;
}

function requestRows({ name, requests }: ProviderResults['pairs'][number]): string[][] {
  return (['sdk', 'provider'] as const).map((side) => [
    `${name}, ${side === 'sdk' ? 'SDK' : 'provider'}`,
    ...OPERATIONS.map((one) => `${requests[one][side]}`),
  ]);
}

function timeRow(name: string, operation: Operation, times: PerOperation<Times>): string[] {
  const { sdk, provider } = times[operation];
  return [
    name,
    operation,
    sdk.median.toFixed(2),
    provider.median.toFixed(2),
    `${overhead(operation, times).toFixed(1)} %`,
    sdk.p99.toFixed(2),
    provider.p99.toFixed(2),
    `${sdk.runs}`,
  ];
}

/** In percent of what the SDK takes. */
function overhead(operation: Operation, times: PerOperation<Times>): number {
  const { sdk, provider } = times[operation];
  return (provider.median / sdk.median - 1) * 100;
}

function importTable({ node, importing }: PackageResult): string[] {
  return table(
    ['program', 'median', 'min-max', 'runs'],
    [
      ['that does nothing', node] as const,
      ['that imports @cubeshift/sandbox', importing] as const,
    ].map(([name, { median, min, max, runs }]) => [
      name,
      median.toFixed(1),
      `${min.toFixed(1)}-${max.toFixed(1)}`,
      `${runs}`,
    ]),
  );
}

function importMs({ node, importing }: PackageResult): number {
  return importing.median - node.median;
}
