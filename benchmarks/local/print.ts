import { describeMachine, type Machine } from '../machine.ts';
import type { Spread } from '../measure.ts';
import { section, table } from '../table.ts';
import type { Memory } from './server.ts';

/** Everything one run measured; times by backend, in milliseconds. */
export interface LocalResults {
  machine: Machine;
  isolation: string;
  firstCommand: Record<string, Spread>;
  /** Many created at once: until all were there, and until the first command of each was done. */
  burst: { created: Record<string, Spread>; done: Record<string, Spread> };
  manyCommands: Record<string, { ms: number; errors: number }>;
  idle: { empty: Memory; full: Memory };
  transfers: TransferResult[];
}

export interface TransferResult {
  name: string;
  bytes: number;
  up: { mbPerS: Spread; grewMb: number | null };
  down: { mbPerS: Spread; grewMb: number | null };
}

const FLOOR = 'child_process';
const BARE = 'bare Node server';

/** Results as aligned tables for people. */
export function formatLocal(results: LocalResults): string {
  const { machine, isolation, idle } = results;
  return [
    section('Machine', [describeMachine(machine), `sandboxes: ${isolation}`]),
    section('Targets', table(['figure', 'measured', 'target', 'met'], targets(results))),
    section('Create to first command done, ms', spreads(results.firstCommand)),
    section('50 created at once, ms', spreads(withoutFloor(results.burst.created))),
    section('50 created at once, the first command of each done, ms', spreads(results.burst.done)),
    section(
      '1,000 commands over 20 sandboxes',
      table(
        ['through', 's', 'errors', 'x floor'],
        Object.entries(results.manyCommands).map(([name, { ms, errors }]) => [
          name,
          (ms / 1000).toFixed(2),
          `${errors}`,
          ratio(ms, results.manyCommands[FLOOR]?.ms),
        ]),
      ),
    ),
    section(
      'Memory of the server and everything below it, MB',
      table(
        ['', 'resident', 'proportional'],
        [
          ['no sandbox', idle.empty.rssMb.toFixed(0), idle.empty.pssMb.toFixed(0)],
          ['200 idle', idle.full.rssMb.toFixed(0), idle.full.pssMb.toFixed(0)],
        ],
      ),
    ),
    section('One large file, MB/s', transferTable(results)),
  ].join('\n');
}

function targets(results: LocalResults): string[][] {
  const { firstCommand, burst, manyCommands, idle, transfers } = results;
  const rows: string[][] = [];
  const atMost = (name: string, value: number, most: number, unit: string): void => {
    rows.push([
      name,
      `${value.toFixed(1)} ${unit}`,
      `<= ${most} ${unit}`,
      value <= most ? 'yes' : 'NO',
    ]);
  };
  for (const [name, { median }] of Object.entries(withoutFloor(firstCommand))) {
    atMost(`create to first command, ${name}, p50`, median, 60, 'ms');
  }
  for (const [name, { median }] of Object.entries(withoutFloor(burst.created))) {
    atMost(`50 created at once, ${name}`, median / 1000, 2, 's');
  }
  atMost('200 idle sandboxes', idle.full.rssMb, 1500, 'MB');
  for (const [name, { errors }] of Object.entries(withoutFloor(manyCommands))) {
    atMost(`1,000 commands, ${name}`, errors, 0, 'errors');
  }
  const bare = transfers.find(({ name }) => name === BARE);
  for (const { name, up, down } of transfers) {
    if (name === BARE || bare === undefined) continue;
    for (const [way, own, floor] of [
      ['up', up, bare.up],
      ['down', down, bare.down],
    ] as const) {
      const share = own.mbPerS.median / floor.mbPerS.median;
      rows.push([
        `1 GB ${way}, ${name}`,
        `${share.toFixed(2)} x bare`,
        '>= 0.5 x bare',
        share >= 0.5 ? 'yes' : 'NO',
      ]);
    }
  }
  return rows;
}

/** The floor has no target, and creates nothing. */
function withoutFloor<T>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== FLOOR));
}

function spreads(values: Record<string, Spread>): string[] {
  return table(
    ['through', 'median', 'min-max', 'runs', 'x floor'],
    Object.entries(values).map(([name, { median, min, max, runs }]) => [
      name,
      median.toFixed(1),
      `${min.toFixed(1)}-${max.toFixed(1)}`,
      `${runs}`,
      ratio(median, values[FLOOR]?.median),
    ]),
  );
}

function transferTable({ transfers }: LocalResults): string[] {
  return table(
    ['server', 'MB', 'up', 'down', 'memory grew, MB'],
    transfers.map(({ name, bytes, up, down }) => [
      name,
      (bytes / 1e6).toFixed(0),
      up.mbPerS.median.toFixed(0),
      down.mbPerS.median.toFixed(0),
      up.grewMb === null ? '-' : Math.max(up.grewMb, down.grewMb ?? 0).toFixed(0),
    ]),
  );
}

function ratio(value: number, floor: number | undefined): string {
  return floor === undefined ? '-' : (value / floor).toFixed(1);
}
