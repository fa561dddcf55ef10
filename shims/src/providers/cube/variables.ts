import { SandboxError } from '../../provider/errors.ts';

/**
 * Names that CubeSandbox refuses, because they change how programs start. Source: CubeAPI,
 * services/sandboxes.rs, August 2026.
 */
const REFUSED = new Set(
  `BASH_ENV ENV LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH LD_ORIGIN_PATH DYLD_INSERT_LIBRARIES
DYLD_LIBRARY_PATH GCONV_PATH PATH PYTHONPATH NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS GEM_PATH
RUBYOPT RUBYLIB PERL5LIB PERLLIB CLASSPATH IFS`.split(/\s+/),
);
const LONGEST_NAME = 256;
const LONGEST_VALUE_BYTES = 4096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Refuses variables that the server would refuse, all of them at once.
 *
 * @throws {SandboxError} `invalid_argument`
 */
export function checkVariables(provider: string, env: Readonly<Record<string, string>> = {}): void {
  const problems = Object.entries(env).flatMap(([name, value]) => {
    const problem = problemOf(name, value);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  if (problems.length === 0) return;
  const told = `CubeSandbox refuses these variables: ${problems.join('; ')}`;
  const instead = 'Give them to exec() and spawn(), or write what they hold to a file';
  throw new SandboxError('invalid_argument', `${told}. ${instead}`, { provider });
}

function problemOf(name: string, value: string): string | undefined {
  if (REFUSED.has(name)) return 'is a name that it does not take';
  if (name.length > LONGEST_NAME) return `has a name of more than ${LONGEST_NAME} characters`;
  if (CONTROL.test(value)) return 'holds a line break or another control character';
  const bytes = Buffer.byteLength(value);
  if (bytes > LONGEST_VALUE_BYTES) return `holds ${bytes} bytes, of ${LONGEST_VALUE_BYTES} at most`;
  return undefined;
}
