import type { ScanResult } from './contenders.ts';
import { breakdown, type Figure, figures, type Results, scanOf } from './figures.ts';
import type { InstallResult } from './install.ts';
import { describeMachine } from './machine.ts';
import type { Spread } from './measure.ts';
import { section, table } from './table.ts';

/** Results as aligned tables for people. */
export function formatResults(results: Results): string {
  const { startup } = results;
  return [
    section('Machine', [describeMachine(results.machine)]),
    section(
      'Targets',
      table(['figure', 'measured', 'target', 'met'], figures(results).map(target)),
    ),
    section('Scans', [
      ...table(
        ['tree', 'contender', 'median s', 'min-max s', 'x cubeshift', ...SCAN_COUNTS],
        results.scans.map((scan) => scanRow(scan, results.scans)),
      ),
      '"there" is what the generator wrote. "findings" also has types, options, fields and variables.',
      'Every tool scanned in turns; jscodeshift takes tens of seconds a run, so it has fewer rounds.',
    ]),
    section(
      'Start-up',
      table(
        ['command', 'median ms', 'min-max ms', 'runs'],
        [
          ['node -e 0', ...spreadCells(startup.node)],
          ['cubeshift --version', ...spreadCells(startup.version)],
          ['cubeshift --help', ...spreadCells(startup.help)],
        ],
      ),
    ),
    section(
      'Installed',
      table(
        ['package', 'packages', 'MB', 'install scripts', 's'],
        results.installs.map(installRow),
      ),
    ),
    section('Where the time of tree A goes', timeLines(results)),
  ].join('\n');
}

const SCAN_COUNTS = ['peak MB', 'calls', 'there', 'findings', 'runs'] as const;
const NOT_MEASURED = '-';

function target({ name, value, atMost, unit }: Figure): string[] {
  const limit = `<= ${atMost} ${unit}`.trimEnd();
  if (value === null) return [name, NOT_MEASURED, limit, 'not measured'];
  const digits = Number.isInteger(value) ? 0 : value < 10 ? 2 : 1;
  return [
    name,
    `${value.toFixed(digits)} ${unit}`.trimEnd(),
    limit,
    value <= atMost ? 'yes' : 'NO',
  ];
}

function scanRow(scan: ScanResult, scans: readonly ScanResult[]): string[] {
  const { tree, contender, ms, peakMb, calls, expectedCalls, findings } = scan;
  const own = scanOf(scans, tree);
  return [
    tree,
    contender,
    seconds(ms.median),
    `${seconds(ms.min)}-${seconds(ms.max)}`,
    own === undefined ? NOT_MEASURED : (ms.median / own.ms.median).toFixed(1),
    peakMb?.toFixed(0) ?? NOT_MEASURED,
    String(calls),
    String(expectedCalls),
    findings?.toString() ?? NOT_MEASURED,
    String(ms.runs),
  ];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

function spreadCells({ median, min, max, runs }: Spread): string[] {
  return [median.toFixed(0), `${min.toFixed(0)}-${max.toFixed(0)}`, String(runs)];
}

function installRow({ name, installed, error }: InstallResult): string[] {
  if (installed === undefined) return [`${name}: ${error}`];
  const { version, packages, mb, withScripts, ms } = installed;
  return [
    `${name} ${version}`,
    String(packages),
    mb.toFixed(1),
    String(withScripts.length),
    (ms / 1000).toFixed(1),
  ];
}

function timeLines(results: Results): string[] {
  const parts = breakdown(results);
  if (parts === undefined) return [NOT_MEASURED];
  return table(
    ['part', 'ms'],
    [
      ['node itself', parts.node.toFixed(0)],
      ['loading the command line', parts.cli.toFixed(0)],
      ['the scan', parts.scan.toFixed(0)],
    ],
  );
}
