import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import type { ExplainFlags } from './commands/explain.ts';
import type { RulesFlags } from './commands/rules.ts';
import type { ScanFlags } from './commands/scan.ts';
import type { ExitCode } from './exit.ts';

const EXAMPLES = `Examples:
  cubeshift scan                                   what ties this repository to Daytona
  cubeshift scan --target cube@0.6.0 --target e2b  compare two targets
  cubeshift scan packages/agent --json             one folder, for a program
  cubeshift explain exec-command                   what a finding means and what to do
`;

const SCAN_EXAMPLES = `Examples:
  cubeshift scan
  cubeshift scan apps/api packages --ignore '**/*.test.ts'
  cubeshift scan --target cube@0.6.0 --target e2b
  cubeshift scan --reporter text --reporter sarif=out/cubeshift.sarif
  cubeshift scan --update-baseline                     accept what is there today
  cubeshift scan --baseline cubeshift-baseline.json    fail on new couplings only
`;

const SCAN_EXIT_CODES = `
Exit codes:
  0  nothing at or above --fail-on
  1  findings at or above --fail-on (with a baseline: new ones)
  2  wrong arguments or configuration, nothing was done
  3  incomplete: something could not be read, parsed or written
`;

const EXPLAIN_EXAMPLES = `Examples:
  cubeshift explain DT401                         a rule by id
  cubeshift explain exec-command                  a rule by name
  cubeshift explain Process.executeCommand        a Daytona symbol
  cubeshift explain 0123456789abcdef --report r.json  a finding of a report
`;

/**
 * Builds the command line. This module and what it imports load on every start, also for
 * `--version`, so the commands themselves are loaded when one runs.
 */
export function createProgram(exitWith: (code: ExitCode) => void): Command {
  const program = new Command('cubeshift')
    .description('Move code off the Daytona sandbox SDK.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    // Throw instead of exiting, so that one place decides on the exit code. Subcommands inherit it.
    .exitOverride()
    .configureHelp({ helpWidth: 80 })
    .addHelpText('beforeAll', '')
    .addHelpText('before', EXAMPLES);

  addScan(program).action(async (paths: string[], flags: ScanFlags) => {
    const { runScan } = await import('./commands/scan.ts');
    exitWith(await runScan(paths, flags));
  });

  program
    .command('explain')
    .description('Explain a rule, a Daytona symbol or a finding.')
    .argument(
      '<rule|symbol|finding>',
      'DT401, exec-command, Process.executeCommand or a finding id',
    )
    .addOption(targetOption())
    .option('--report <file>', 'JSON report to look a finding id up in (default: scan again)')
    .option('--json', 'print JSON')
    .addOption(noColourOption())
    .addOption(debugOption())
    .addHelpText('before', EXPLAIN_EXAMPLES)
    .action(async (topic: string, flags: ExplainFlags) => {
      const { runExplain } = await import('./commands/explain.ts');
      exitWith(await runExplain(topic, flags));
    });

  program
    .command('rules')
    .description('List every kind of coupling cubeshift knows.')
    .option('--json', 'print JSON')
    .addOption(noColourOption())
    .addOption(debugOption())
    .action(async (flags: RulesFlags) => {
      const { runRules } = await import('./commands/rules.ts');
      exitWith(await runRules(flags));
    });

  return program;
}

function addScan(program: Command): Command {
  const confidences = ['certain', 'likely', 'possible'];
  return program
    .command('scan')
    .description('List every Daytona coupling and what becomes of it.')
    .argument('[paths...]', 'files and folders to scan (default: the current folder)')
    .addOption(targetOption())
    .addOption(
      repeatable(
        '--reporter <name[=file]>',
        'text, json, sarif, markdown, html or github; to a file or stdout (default: text)',
      ),
    )
    .option('--json', 'same as --reporter json')
    .addOption(
      new Option('--fail-on <confidence>', 'exit with 1 on findings this sure or surer').choices([
        ...confidences,
        'none',
      ]),
    )
    .option('--baseline <file>', 'findings recorded there do not fail the run')
    .option('--update-baseline', 'record the findings of this run, and succeed')
    .addOption(
      new Option('--min-confidence <confidence>', 'leave out findings less sure than this').choices(
        confidences,
      ),
    )
    .addOption(repeatable('--only <rule>', 'report this rule only'))
    .addOption(repeatable('--skip <rule>', 'do not report this rule'))
    .addOption(repeatable('--ignore <glob>', 'leave out files, in .gitignore syntax'))
    .option('--config <file>', 'configuration file (default: cubeshift.config.json above here)')
    .option('--print-config', 'print the settings in effect and stop')
    .option('--quiet', 'no progress and no hints on stderr')
    .addOption(noColourOption())
    .addOption(debugOption())
    .addHelpText('before', SCAN_EXAMPLES)
    .addHelpText('after', SCAN_EXIT_CODES);
}

function targetOption(): Option {
  return repeatable('--target <target>', 'cube, cube@<release>, e2b or local (default: cube)');
}

function noColourOption(): Option {
  return new Option('--no-color', 'no colour (NO_COLOR and FORCE_COLOR work too)');
}

function debugOption(): Option {
  return new Option('--debug', 'print stack traces');
}

/** An option whose values add up when it is given several times. */
function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, previous?: string[]) => [
    ...(previous ?? []),
    value,
  ]);
}
