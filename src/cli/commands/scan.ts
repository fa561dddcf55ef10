import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { RULES } from '../../catalog/rules.ts';
import { loadConfig, type ScanConfig } from '../../config/config.ts';
import { didYouMean } from '../../config/nearest.ts';
import type { Confidence } from '../../model/finding.ts';
import type { ScanReport } from '../../model/report.ts';
import {
  REPORTER_NAMES,
  REPORTERS,
  type ReportContext,
  type ReporterName,
} from '../../report/reporter.ts';
import {
  applyBaseline,
  BASELINE_FILE,
  type Baseline,
  type BaselineScope,
  formatBaseline,
  readBaseline,
  updateBaseline,
} from '../../scan/baseline.ts';
import { HOMEPAGE } from '../../version.ts';
import { OutputError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode, scanExitCode } from '../exit.ts';
import { writeFile, writeStderr, writeStdout } from '../output.ts';
import {
  covers,
  fromCwd,
  fromRoot,
  openRepository,
  type Repository,
  scanRepository,
} from '../repository.ts';
import { DEFAULT_WIDTH, textWidth, useColour } from '../terminal.ts';
import { parseTargets, requireRule, userFacing } from '../usage.ts';

export interface ScanFlags {
  target?: string[];
  reporter?: string[];
  json?: boolean;
  failOn?: Confidence | 'none';
  baseline?: string;
  updateBaseline?: boolean;
  minConfidence?: Confidence;
  only?: string[];
  skip?: string[];
  ignore?: string[];
  config?: string;
  printConfig?: boolean;
  quiet?: boolean;
  color: boolean;
}

/** One reporter and where its result goes. */
interface Output {
  reporter: ReporterName;
  /** Path as given, or undefined for stdout. */
  file: string | undefined;
}

/** Runs `cubeshift scan`. @throws {UsageError | OutputError} */
export async function runScan(paths: readonly string[], flags: ScanFlags): Promise<ExitCode> {
  const cwd = process.cwd();
  const quiet = flags.quiet ?? false;
  const outputs = parseOutputs(flags);
  const config = await userFacing(() => settings(cwd, flags));
  const targets = await userFacing(() => parseTargets(config.targets));
  if (flags.printConfig) {
    const baseline = config.baseline && relative(cwd, config.baseline);
    await writeStdout(`${JSON.stringify({ ...config, baseline }, null, 2)}\n`);
    return EXIT.ok;
  }

  const repository = openRepository(cwd, paths.length === 0 ? ['.'] : paths);
  const baselinePath = pickBaseline(repository, config, flags);
  const previous = await userFacing(() => openBaseline(cwd, baselinePath, flags));
  const written = outputs.flatMap(({ file }) => (file === undefined ? [] : [resolve(cwd, file)]));
  const scanConfig = withoutOwnFiles(repository, config, [...written, baselinePath]);
  let report = await scanRepository(repository, targets, scanConfig, { quiet });

  if (baselinePath !== undefined) {
    const scope = scopeOf(repository, config);
    const baseline = flags.updateBaseline ? updateBaseline(report, previous, scope) : previous;
    if (baseline !== undefined) {
      report = applyBaseline(report, baseline, nameOf(repository, baselinePath), scope);
      if (flags.updateBaseline) saveBaseline(repository, baselinePath, baseline, quiet);
    }
  }
  const allWritten = await print(report, outputs, repository, flags);
  if (!allWritten) return EXIT.incomplete;
  return scanExitCode(report, flags.updateBaseline ? 'none' : config.failOn);
}

/** Reads `--reporter` and `--json`; without either, text on stdout. */
function parseOutputs(flags: ScanFlags): Output[] {
  const outputs = (flags.reporter ?? []).map(parseOutput);
  if (flags.json) outputs.push({ reporter: 'json', file: undefined });
  if (outputs.length === 0) return [{ reporter: 'text', file: undefined }];
  const printed = outputs.filter((output) => output.file === undefined);
  const exclusive = printed.find(({ reporter }) => REPORTERS[reporter].exclusive);
  if (exclusive !== undefined && printed.length > 1) {
    const { reporter } = exclusive;
    throw new UsageError(
      `Only one result can go to stdout beside ${reporter}. Send the others to files, e.g. --reporter ${reporter}=report.${reporter}`,
    );
  }
  return outputs;
}

function parseOutput(value: string): Output {
  const equals = value.indexOf('=');
  const name = equals < 0 ? value : value.slice(0, equals);
  const file = equals < 0 ? undefined : value.slice(equals + 1);
  const reporter = REPORTER_NAMES.find((known) => known === name);
  if (reporter === undefined) {
    const hint = didYouMean(name, REPORTER_NAMES);
    throw new UsageError(`Unknown reporter "${name}".${hint} Use ${REPORTER_NAMES.join(', ')}.`);
  }
  if (file === '') throw new UsageError(`--reporter ${value}: the file name is missing.`);
  return { reporter, file: file === '-' ? undefined : file };
}

/** Lays the flags over the configuration file. */
function settings(cwd: string, flags: ScanFlags): ScanConfig {
  const { config } = loadConfig(cwd, flags.config);
  const rules = { ...config.rules };
  if (flags.only !== undefined) {
    const only = new Set(flags.only.map((name) => requireRule(name).id));
    for (const { id } of RULES) rules[id] = only.has(id) ? 'on' : 'off';
  }
  for (const name of flags.skip ?? []) rules[requireRule(name).id] = 'off';
  return {
    ...config,
    rules,
    targets: flags.target ?? config.targets,
    ignore: [...config.ignore, ...(flags.ignore ?? [])],
    minConfidence: flags.minConfidence ?? config.minConfidence,
    failOn: flags.failOn ?? config.failOn,
    baseline: flags.baseline === undefined ? config.baseline : resolve(cwd, flags.baseline),
  };
}

function pickBaseline(
  { root }: Repository,
  { baseline }: ScanConfig,
  { updateBaseline: update }: ScanFlags,
): string | undefined {
  return baseline ?? (update ? resolve(root, BASELINE_FILE) : undefined);
}

/** Reads the baseline before the scan, so that a wrong path costs no waiting. */
function openBaseline(
  cwd: string,
  path: string | undefined,
  { updateBaseline: update }: ScanFlags,
): Baseline | undefined {
  if (path === undefined || (update && !existsSync(path))) return undefined;
  return readBaseline(path, relative(cwd, path));
}

function saveBaseline(
  repository: Repository,
  path: string,
  baseline: Baseline,
  quiet: boolean,
): void {
  const shown = relative(repository.cwd, path);
  writeFile(path, formatBaseline(baseline), shown);
  if (!quiet) writeStderr(`Recorded ${baseline.findings.length} findings in ${shown}.`);
}

function scopeOf(repository: Repository, config: ScanConfig): BaselineScope {
  const isCovered = covers(repository);
  return {
    includes: ({ file, rule }) => isCovered(file) && config.rules[rule] !== 'off',
    minConfidence: config.minConfidence,
  };
}

/** Our own files quote the code they report, so a scan must not find couplings in them. */
function withoutOwnFiles(
  repository: Repository,
  config: ScanConfig,
  paths: readonly (string | undefined)[],
): ScanConfig {
  const names = paths.flatMap((path) => {
    const name = path === undefined ? undefined : fromRoot(repository, path);
    return name === undefined ? [] : [`/${name.replace(/[\\*?[\]!#\s]/g, '\\$&')}`];
  });
  return { ...config, ignore: [...config.ignore, ...names] };
}

function nameOf(repository: Repository, path: string): string {
  return fromRoot(repository, path) ?? relative(repository.cwd, path);
}

/** Writes every result. A file that cannot be written does not keep the others from the user. */
async function print(
  report: ScanReport,
  outputs: readonly Output[],
  repository: Repository,
  flags: ScanFlags,
): Promise<boolean> {
  const failures: OutputError[] = [];
  let stdout = '';
  for (const { reporter, file } of outputs) {
    const render = await REPORTERS[reporter].load();
    const text = render(report, contextFor(repository, flags, file === undefined));
    if (file === undefined) {
      stdout += text;
      continue;
    }
    try {
      writeFile(resolve(repository.cwd, file), text, file);
    } catch (error) {
      if (!(error instanceof OutputError)) throw error;
      failures.push(error);
    }
  }
  if (stdout !== '') await writeStdout(stdout);
  for (const failure of failures) writeStderr(`error: ${failure.message}`);
  return failures.length === 0;
}

function contextFor(repository: Repository, flags: ScanFlags, stdout: boolean): ReportContext {
  return {
    path: (file) => fromCwd(repository, file),
    colour: stdout && useColour(process.stdout, flags.color),
    width: stdout ? textWidth(process.stdout) : DEFAULT_WIDTH,
    ...(HOMEPAGE === undefined ? {} : { homepage: HOMEPAGE }),
  };
}
