import { Command, InvalidArgumentError, Option } from 'commander';
import { CUBE_VERSIONS, LATEST_CUBE } from '../local/e2b/presets.ts';
import { VERSION } from '../version.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import type { ExplainFlags } from './commands/explain.ts';
import type { GatewayFlags } from './commands/gateway.ts';
import type { LocalFlags } from './commands/local.ts';
import type { RulesFlags } from './commands/rules.ts';
import type { ScanFlags } from './commands/scan.ts';

const EXAMPLES = `Examples:
  cubeshift scan                                   what ties this repository to Daytona
  cubeshift scan --target cube@0.6.0 --target e2b  compare two targets
  cubeshift scan packages/agent --json             one folder, for a program
  cubeshift explain exec-command                   what a finding means and what to do
  cubeshift local -- npm test                      run against sandboxes on this machine
  cubeshift gateway -- python agent.py             run an E2B program on a CubeSandbox
  cubeshift doctor                                 what stands between you and a sandbox
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

const LOCAL_EXAMPLES = `Examples:
  cubeshift local                         print the variables and serve until Ctrl-C
  cubeshift local -- npm test             serve while a command runs
  cubeshift local --cube-version 0.6.0    imitate an older CubeSandbox
  cubeshift local --flavor e2b            imitate E2B
  cubeshift local --fault "POST /sandboxes reset=after times=1"
`;

const LOCAL_EXIT_CODES = `
Exit codes:
  0  stopped by a signal; everything is removed
  2  wrong arguments, a port that is taken, or a command that cannot be run
  3  the server failed
  with a command: its exit code
`;

const GATEWAY_EXAMPLES = `Examples:
  cubeshift gateway --api-url http://10.0.0.5:3000    print the variables and serve until Ctrl-C
  cubeshift gateway -- python agent.py                serve while a command runs
`;

const GATEWAY_EXIT_CODES = `
Exit codes:
  0  stopped by a signal
  2  wrong arguments, a port that is taken, no CubeSandbox at the address, a key it does not
     accept, or a command that cannot be run
  3  the gateway failed
  with a command: its exit code
`;

const DOCTOR_EXAMPLES = `Examples:
  cubeshift doctor                        everything that is configured here
  cubeshift doctor --provider cube        one provider, by its name in the configuration
  cubeshift doctor --create               make a sandbox as well, run a command, delete it
`;

const DOCTOR_EXIT_CODES = `
Exit codes:
  0  no problem; warnings do not count
  1  at least one problem
  2  wrong arguments, or no configuration to check
  3  the check itself failed
`;

/**
 * Builds the command line. This module and what it imports load on every start, also for
 * `--version`, so the commands themselves are loaded when one runs.
 */
export function createProgram(exitWith: (code: number) => void): Command {
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

  addLocal(program).action(async (command: string[], flags: LocalFlags) => {
    const { runLocal } = await import('./commands/local.ts');
    exitWith(await runLocal(command, flags));
  });

  addGateway(program).action(async (command: string[], flags: GatewayFlags) => {
    const { runGateway } = await import('./commands/gateway.ts');
    exitWith(await runGateway(command, flags));
  });

  addDoctor(program).action(async (flags: DoctorFlags) => {
    const { runDoctor } = await import('./commands/doctor.ts');
    exitWith(await runDoctor(flags));
  });

  return program;
}

function addGateway(program: Command): Command {
  return program
    .command('gateway')
    .description("Lead E2B's SDKs, of any language, to a CubeSandbox without DNS and certificates.")
    .argument('[command...]', 'run this with the variables set, and stop when it ends')
    .option(
      '--api-url <url>',
      'CubeAPI (default: CUBE_API_URL, then E2B_API_URL, then http://127.0.0.1:3000)',
    )
    .option(
      '--proxy-url <url>',
      'CubeProxy (default: CUBE_PROXY_NODE_IP and the like, then port 80 of the same host)',
    )
    .addOption(portOption('--port <n>', 'on 127.0.0.1; 0 is any free one', 7340))
    .option('--json', 'print JSON instead of lines for a shell')
    .option('--quiet', 'print nothing on stderr but errors')
    .addOption(debugOption())
    .addHelpText('before', GATEWAY_EXAMPLES)
    .addHelpText('after', GATEWAY_EXIT_CODES);
}

function addDoctor(program: Command): Command {
  return program
    .command('doctor')
    .description('Check that sandboxes can be had with the configuration that is here.')
    .addOption(repeatable('--provider <name>', 'check this one only (default: all configured)'))
    .option('--config <file>', 'configuration (default: SANDBOX_CONFIG, then sandbox.config.*)')
    .option('--create', 'also create a sandbox, run a command in it and delete it, which may cost')
    .option('--json', 'print JSON')
    .addOption(noColourOption())
    .addOption(debugOption())
    .addHelpText('before', DOCTOR_EXAMPLES)
    .addHelpText('after', DOCTOR_EXIT_CODES);
}

function addLocal(program: Command): Command {
  return (
    program
      .command('local')
      .description('Serve the Daytona and the E2B/CubeSandbox API on this machine.')
      .argument('[command...]', 'run this with the variables set, and stop when it ends')
      .addOption(
        new Option('--flavor <service>', 'whose API the E2B side is')
          .choices(['cube', 'e2b'])
          .default('cube'),
      )
      .option(
        '--cube-version <version>',
        `one of ${CUBE_VERSIONS.join(', ')} (default: ${LATEST_CUBE})`,
      )
      .addOption(portOption('--port <n>', 'of the E2B side; 0 is any free one', 7330))
      .addOption(portOption('--daytona-port <n>', 'of the Daytona side', 7331))
      .option(
        '--host <address>',
        'address to listen on; others than loopback are open',
        '127.0.0.1',
      )
      .addOption(repeatable('--allow-host <name>', 'answer to this name too'))
      .option(
        '--domain <name>',
        'what getHost() puts ports before (default: localhost and the port)',
      )
      .addOption(
        new Option('--isolation <mode>', 'how sandboxes are kept apart')
          .choices(['auto', 'namespaces', 'directory'])
          .default('auto'),
      )
      .addOption(
        new Option('--network <mode>', 'a network for each sandbox, or the one of this machine')
          .choices(['auto', 'separate', 'host'])
          .default('auto'),
      )
      .option('--dir <folder>', 'where sandboxes are kept (default: the temporary folder)')
      .option('--faults <file>', 'what is to go wrong, as JSON')
      .addOption(repeatable('--fault <rule>', 'one fault, e.g. "POST /sandboxes status=503"'))
      .addOption(
        new Option('--seed <n>', 'for faults that are left to chance').argParser(wholeNumber),
      )
      // Not --env-file: Node 20 takes that one for itself, wherever it stands.
      .option('--write-env <file>', 'write the variables there too')
      .option('--json', 'print JSON instead of lines for a shell')
      .option('--quiet', 'print nothing on stderr but errors')
      .addOption(debugOption())
      .addHelpText('before', LOCAL_EXAMPLES)
      .addHelpText('after', LOCAL_EXIT_CODES)
  );
}

function portOption(flags: string, description: string, standard: number): Option {
  return new Option(flags, description).default(standard).argParser((value) => {
    const port = wholeNumber(value);
    if (port <= 65_535) return port;
    throw new InvalidArgumentError('Expected a port, 0 to 65535.');
  });
}

function wholeNumber(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected a whole number.');
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
