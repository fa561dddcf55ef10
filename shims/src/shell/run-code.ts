import type { CodeLanguage, RunCodeOptions, RunCodeResult } from '../provider/code.ts';
import { randomId } from '../provider/crypto.ts';
import { SandboxError } from '../provider/errors.ts';
import type { Sandbox } from '../provider/sandbox.ts';
import { errorOfNode, errorOfPython } from './code-errors.ts';
import type { Shell } from './command.ts';
import { quote } from './quote.ts';

/** How programs of a language are run. */
interface Runner {
  readonly extension: string;
  /** What a template has to have. */
  readonly needs: string;
  /** Ways to run it, the best first: a test that they are there, and the command. */
  readonly ways: readonly (readonly [test: string, command: string])[];
  readonly errorOf?: typeof errorOfNode;
}

const has = (program: string): string => `command -v ${program} >/dev/null 2>&1`;
/** Newer versions of Node leave out types by themselves, or when told to. */
const STRIP_TYPES = 'node --experimental-strip-types --no-warnings';

const RUNNERS: Readonly<Record<CodeLanguage, Runner>> = {
  python: {
    extension: 'py',
    needs: 'python3',
    ways: [
      [has('python3'), 'python3'],
      [has('python'), 'python'],
    ],
    errorOf: errorOfPython,
  },
  javascript: {
    extension: 'js',
    needs: 'node',
    ways: [[has('node'), 'node']],
    errorOf: errorOfNode,
  },
  typescript: {
    extension: 'ts',
    needs: 'tsx, ts-node or Node 22.6',
    ways: [
      [has('tsx'), 'tsx'],
      [`${STRIP_TYPES} --eval 0 >/dev/null 2>&1`, STRIP_TYPES],
      [has('ts-node'), 'ts-node'],
    ],
    errorOf: errorOfNode,
  },
  bash: { extension: 'sh', needs: 'bash', ways: [[has('bash'), 'bash']] },
};

/**
 * Runs a program as a file, for backends without an interpreter of their own. Modules are found as if
 * the file were in the working folder, but for relative imports of JavaScript and TypeScript.
 *
 * @throws {SandboxError} `unsupported` when the template has nothing that runs the language;
 *   `timeout` when its time was over
 */
export async function runCodeAsFile(
  sandbox: Shell & Pick<Sandbox, 'files'>,
  code: string,
  { language = 'python', args = [], ...options }: RunCodeOptions = {},
): Promise<RunCodeResult> {
  const runner = RUNNERS[language];
  if (runner === undefined) {
    const told = `"${language}" cannot be run: use one of ${Object.keys(RUNNERS).join(', ')}`;
    throw new SandboxError('invalid_argument', told);
  }
  const folder = `/tmp/cubeshift-${randomId()}`;
  const file = `${folder}/main.${runner.extension}`;
  const { signal } = options;
  await sandbox.files.write(file, code, { signal });
  try {
    const result = await sandbox.exec(script(runner, folder, file, args), options);
    if (result.exitCode === 127 && result.output.includes(nothingRuns(folder))) {
      const told = `This sandbox has nothing to run ${language} with. Use a template with ${runner.needs}`;
      throw new SandboxError('unsupported', told, {
        provider: sandbox.provider,
        sandboxId: sandbox.id,
      });
    }
    const { exitCode, stdout, stderr, streamsMerged } = result;
    const error = exitCode === 1 ? runner.errorOf?.(streamsMerged ? stdout : stderr) : undefined;
    return { exitCode, stdout, stderr, streamsMerged, ...(error === undefined ? {} : { error }) };
  } catch (error) {
    // The command did not come to the end, where it removes them.
    await sandbox.exec(`rm -rf ${folder}`).catch(() => undefined);
    throw error;
  }
}

const nothingRuns = (folder: string): string => `${folder}: nothing runs this`;

function script({ ways }: Runner, folder: string, file: string, args: readonly string[]): string {
  const program = [file, ...args.map(quote)].join(' ');
  const choice = ways.map(([test, command]) => `if ${test}; then ${command} ${program}; el`);
  return [
    'PATH="$PATH:$PWD/node_modules/.bin"',
    'export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"',
    `if [ -d node_modules ]; then ln -s "$PWD/node_modules" ${folder}/node_modules; fi`,
    `${choice.join('')}se echo '${nothingRuns(folder)}' >&2; (exit 127); fi`,
    'code=$?',
    `rm -rf ${folder}`,
    'exit $code',
  ].join('\n');
}
