import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Job, Sample, Spread } from './measure.ts';
import { spread } from './measure.ts';
import type { PlantedTree } from './workspace.ts';

/** A tool that looks for the SDK's calls in a tree. */
export interface Contender {
  name: string;
  command: string;
  args: readonly string[];
  exitCodes: readonly number[];
  /** Reads what a run printed. @throws {Error} when the run was not a whole one. */
  count(stdout: string): Count;
}

export interface Count {
  /** Calls and constructions found, the part all contenders look for. */
  calls: number;
  /** Everything reported, or null for a tool that was asked for calls only. */
  findings: number | null;
}

export interface ScanJob extends Job {
  contender: Contender;
  tree: PlantedTree;
}

/** What a contender did on a tree. */
export interface ScanResult extends Count {
  tree: string;
  contender: string;
  ms: Spread;
  /** Median of the runs' peaks in MB, or null where the system does not tell. */
  peakMb: number | null;
  /** Calls the generator wrote. */
  expectedCalls: number;
}

const HERE = import.meta.dirname;
const require = createRequire(import.meta.url);

/** Last part of the SDK symbols the other contenders are told to look for, beside `new Daytona`. */
const METHODS: ReadonlySet<string> = new Set([
  'create',
  'executeCommand',
  'uploadFile',
  'downloadFile',
  'getPreviewLink',
  'stop',
  'delete',
]);

/** Rules of calls and constructions; a symbol of another rule is a type, an option or a field. */
const CALL_RULES: ReadonlySet<string> = new Set([
  'DT201',
  'DT203',
  'DT301',
  'DT307',
  'DT401',
  'DT501',
  'DT502',
]);

interface CubeshiftReport {
  complete: boolean;
  findings: { rule: string; symbol?: string }[];
}

/** The installed command line, with the whole report as JSON. */
export function cubeshift(cli: string): Contender {
  return {
    name: 'cubeshift',
    command: process.execPath,
    args: [cli, 'scan', '--json'],
    exitCodes: [0, 1],
    count(stdout) {
      const { complete, findings } = JSON.parse(stdout) as CubeshiftReport;
      if (!complete) throw new Error('cubeshift could not read or parse a file of its tree');
      return { calls: findings.filter(isCall).length, findings: findings.length };
    },
  };
}

function isCall({ rule, symbol }: CubeshiftReport['findings'][number]): boolean {
  if (!CALL_RULES.has(rule)) return false;
  return rule === 'DT201' || METHODS.has(symbol?.split('.').at(-1) ?? '');
}

/** The native ast-grep binary: the package's own command is a link its install script makes. */
export function astGrep(): Contender {
  const rules = join(HERE, 'find-with-ast-grep.yml');
  return {
    name: 'ast-grep',
    command: nativeAstGrep(),
    args: ['scan', '--rule', rules, '--json=stream', '.'],
    exitCodes: [0],
    count: (stdout) => ({ calls: stdout.split('\n').filter(Boolean).length, findings: null }),
  };
}

function nativeAstGrep(): string {
  const scope = dirname(dirname(require.resolve('@ast-grep/cli/package.json')));
  const platform = readdirSync(scope).find((name) => name.startsWith(`cli-${process.platform}-`));
  if (platform === undefined) throw new Error(`No @ast-grep/cli binary in ${scope}: npm install`);
  return join(scope, platform, process.platform === 'win32' ? 'ast-grep.exe' : 'ast-grep');
}

/** jscodeshift's command line in a dry run; without Babel, which the transform does not need. */
export function jscodeshift(): Contender {
  const transform = join(HERE, 'find-with-jscodeshift.cjs');
  return {
    name: 'jscodeshift',
    command: process.execPath,
    args: [
      require.resolve('jscodeshift/bin/jscodeshift.js'),
      '--dry',
      '--no-babel',
      '--extensions=ts,tsx',
      `--transform=${transform}`,
      '.',
    ],
    exitCodes: [0],
    count(stdout) {
      const errors = /^(\d+) errors/m.exec(stdout)?.[1];
      if (errors !== '0') throw new Error(`jscodeshift could not parse ${errors ?? 'any'} files`);
      return { calls: Number(/^site: (\d+)/m.exec(stdout)?.[1] ?? 0), findings: null };
    },
  };
}

export function scanJob(contender: Contender, tree: PlantedTree, rounds: number): ScanJob {
  const { command, args, exitCodes } = contender;
  const name = `${contender.name} on tree ${tree.name}`;
  return { name, command, args, exitCodes, cwd: tree.root, rounds, contender, tree };
}

/** Sums up the runs of a job. @throws {Error} when a run was not a whole one or two runs differ. */
export function scanResult({ contender, tree }: ScanJob, samples: readonly Sample[]): ScanResult {
  const counts = samples.map(({ stdout }) => contender.count(stdout));
  const [first] = counts;
  if (first === undefined || counts.some(({ calls }) => calls !== first.calls)) {
    throw new Error(`${contender.name} found different things in the same tree ${tree.name}`);
  }
  const peaks = samples.flatMap(({ peakMb }) => (peakMb === null ? [] : [peakMb]));
  return {
    tree: tree.name,
    contender: contender.name,
    ms: spread(samples.map(({ ms }) => ms)),
    peakMb: peaks.length === 0 ? null : spread(peaks).median,
    expectedCalls: tree.calls,
    ...first,
  };
}
