import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  astGrep,
  cubeshift,
  jscodeshift,
  type ScanJob,
  scanJob,
  scanResult,
} from './contenders.ts';
import { breakdown, figures, type Results, TREES } from './figures.ts';
import { type InstallResult, install, packRepository } from './install.ts';
import { machineFacts, progress } from './machine.ts';
import { interleave, runJob } from './measure.ts';
import { formatResults } from './print.ts';
import { measureStartup } from './startup.ts';
import { openWorkspace, type PlantedTree, plantTree, type TreeSpec } from './workspace.ts';

/** `npm run bench:scan`: cubeshift beside jscodeshift and ast-grep. See docs/benchmarks.md. */

const USAGE = `Usage: npm run bench:scan -- [options]

  --rounds <n>              runs of cubeshift and ast-grep on each tree (default: 5)
  --jscodeshift-rounds <n>  runs of jscodeshift, tens of seconds each (default: 2)
  --quick                   2 rounds, no tree of 100,000 files, no jscodeshift
  --json                    print the results as JSON
  --help                    print this help
`;

interface Options {
  rounds: number;
  /** 0 leaves jscodeshift out. */
  jscodeshiftRounds: number;
  startupRounds: number;
  quick: boolean;
  json: boolean;
}

const REPOSITORY = dirname(import.meta.dirname);
const BASE_TREES: readonly TreeSpec[] = [
  { name: TREES.few, files: 10_000, coupled: 10, git: true },
  { name: TREES.many, files: 10_000, coupled: 300, git: true },
  { name: TREES.walked, files: 10_000, coupled: 10, git: false },
];
const LARGE_TREE: TreeSpec = { name: TREES.large, files: 100_000, coupled: 10, git: true };
/** Trees all contenders scan. */
const SHARED_TREES: ReadonlySet<string> = new Set([TREES.few, TREES.many]);

const options = readOptions();
if (options === undefined) process.stdout.write(USAGE);
else await main(options);

/** Measures everything and prints it. */
async function main(options: Options): Promise<void> {
  const before = loadavg()[0] ?? 0;
  const workspace = openWorkspace();
  progress(`everything generated goes to ${workspace}, removed at the end`);
  const installs = installAll(workspace, options);
  const cli = commandLine(installs);
  const startup = await measureStartup(cli, options.startupRounds, progress);
  const scans = await measureScans(cli, plantTrees(workspace, options), options);
  const results: Results = { machine: machineFacts(before), startup, scans, installs };
  process.stdout.write(options.json ? formatJson(results) : formatResults(results));
}

/** Reads the arguments; undefined when help was asked for. @throws {Error} on a wrong one. */
function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string' },
      'jscodeshift-rounds': { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { quick, json } = values;
  return {
    rounds: wholeNumber('rounds', values.rounds, 1) ?? (quick ? 2 : 5),
    jscodeshiftRounds:
      wholeNumber('jscodeshift-rounds', values['jscodeshift-rounds'], 0) ?? (quick ? 0 : 2),
    startupRounds: quick ? 5 : 15,
    quick,
    json,
  };
}

function wholeNumber(name: string, value: string | undefined, least: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < least) {
    throw new Error(`--${name} takes a whole number from ${least}, not "${value}"`);
  }
  return number;
}

/** Installs the packed cubeshift and, unless in a hurry, the packages it is compared with. */
function installAll(workspace: string, { quick }: Options): InstallResult[] {
  progress('packing cubeshift');
  const packages = { cubeshift: packRepository(REPOSITORY, workspace) };
  const others = { jscodeshift: 'jscodeshift', '@next/codemod': '@next/codemod' };
  return Object.entries({ ...packages, ...(quick ? {} : others) }).map(([name, spec]) => {
    progress(`installing ${name}`);
    return install(workspace, name, spec);
  });
}

/** The installed command line: what users run. @throws {Error} when it could not be installed. */
function commandLine(installs: readonly InstallResult[]): string {
  const own = installs.find(({ name }) => name === 'cubeshift');
  if (own?.installed === undefined) throw new Error(`cubeshift was not installed: ${own?.error}`);
  return join(own.installed.folder, 'node_modules/cubeshift/bin/cubeshift.js');
}

function plantTrees(workspace: string, { quick }: Options): PlantedTree[] {
  return [...BASE_TREES, ...(quick ? [] : [LARGE_TREE])].map((spec) => {
    progress(`writing tree ${spec.name}: ${spec.files} files`);
    return plantTree(workspace, spec);
  });
}

/** Scans all trees with all contenders, in turns, after a run of each that fills the disk cache. */
async function measureScans(
  cli: string,
  trees: readonly PlantedTree[],
  { rounds, jscodeshiftRounds }: Options,
): Promise<Results['scans']> {
  const own = cubeshift(cli);
  const shared = trees.filter(({ name }) => SHARED_TREES.has(name));
  const quickJobs = [
    ...trees.map((tree) => scanJob(own, tree, rounds)),
    ...shared.map((tree) => scanJob(astGrep(), tree, rounds)),
  ];
  const slowJobs =
    jscodeshiftRounds === 0
      ? []
      : shared.map((tree) => scanJob(jscodeshift(), tree, jscodeshiftRounds));
  progress('one run of each, not counted');
  for (const job of quickJobs) await runJob(job);
  const jobs: ScanJob[] = [...quickJobs, ...slowJobs];
  const samples = await interleave(jobs, progress);
  return jobs
    .map((job) => scanResult(job, samples.get(job) ?? []))
    .sort((a, b) => a.tree.localeCompare(b.tree, 'en'));
}

function formatJson(results: Results): string {
  const figuresWithVerdict = figures(results).map((figure) => ({
    ...figure,
    met: figure.value === null ? null : figure.value <= figure.atMost,
  }));
  const breakdownMs = breakdown(results) ?? null;
  return `${JSON.stringify({ ...results, figures: figuresWithVerdict, breakdownMs }, null, 2)}\n`;
}
