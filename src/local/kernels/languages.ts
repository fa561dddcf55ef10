import { BASH_DRIVER } from './bash/driver.ts';
import { UnsupportedLanguageError } from './errors.ts';
import { JAVASCRIPT_DRIVER } from './javascript/driver.ts';
import { prepareJavaScript } from './javascript/prepare.ts';
import { PYTHON_DRIVER, PYTHON_START } from './python/driver.ts';
import type { KernelLanguage } from './types.ts';

export interface StartRequest {
  nonce: string;
  cwd: string | undefined;
}

export interface RunRequest {
  code: string;
  count: number;
  env: Readonly<Record<string, string>>;
}

/** How a language's driver is started and spoken to. */
export interface LanguageSpec {
  /** Programs that can run it, best first. */
  interpreters: readonly string[];
  /** The command line of the driver. */
  argv(interpreter: string): string[];
  start(request: StartRequest): string;
  run(request: RunRequest): string;
  /** Asks the driver itself to stop a cell, where the signal alone cannot. */
  interrupt?(count: number): string;
  /** Whether it may miss a signal, as shells do while they start a program; sent again, it arrives. */
  missesSignals?: boolean;
  /** What is done to code before it is sent. Throws a SyntaxError that becomes the cell's error. */
  prepare?(code: string): Promise<string>;
}

const json = {
  start: ({ nonce, cwd }: StartRequest) =>
    `${JSON.stringify({ op: 'start', nonce, cwd: cwd ?? null })}\n`,
  run: (request: RunRequest) => `${JSON.stringify({ op: 'run', ...request })}\n`,
};

const node = {
  ...json,
  interrupt: (count: number) => `${JSON.stringify({ op: 'interrupt', count })}\n`,
  interpreters: ['node'],
  // Node cannot duplicate a descriptor, so a shell puts the protocol's away from user code.
  argv: (interpreter: string) => [
    'sh',
    '-c',
    'exec 3<&0 4>&1 5>&2 </dev/null; exec "$0" -e "$1"',
    interpreter,
    JAVASCRIPT_DRIVER,
  ],
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const LANGUAGES: Readonly<Record<KernelLanguage, LanguageSpec>> = {
  python: {
    ...json,
    interpreters: ['python3', 'python'],
    argv: (interpreter) => [interpreter, '-c', PYTHON_START, PYTHON_DRIVER],
  },
  javascript: { ...node, prepare: (code) => prepareJavaScript(code, { types: false }) },
  typescript: { ...node, prepare: (code) => prepareJavaScript(code, { types: true }) },
  bash: {
    interpreters: ['bash'],
    missesSignals: true,
    argv: (interpreter) => [interpreter, '--noprofile', '--norc', '-c', BASH_DRIVER, 'bash'],
    start: ({ nonce, cwd }) => `start ${nonce} ${base64(cwd ?? '')}\n`,
    run: ({ code, env }) => {
      const variables = Object.entries(env).map(([name, value]) => ` ${name}=${base64(value)}`);
      return `run ${base64(code)}${variables.join('')}\n`;
    },
  },
};

const SHORT: Readonly<Record<string, KernelLanguage>> = {
  py: 'python',
  python3: 'python',
  js: 'javascript',
  ts: 'typescript',
  sh: 'bash',
};

/** The language that a client's word means; none is Python, as for both services. */
export function kernelLanguage(word: string | undefined): KernelLanguage {
  const name = word?.trim().toLowerCase() || 'python';
  if (Object.hasOwn(LANGUAGES, name)) return name as KernelLanguage;
  const long = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
  if (long === undefined) throw new UnsupportedLanguageError(name);
  return long;
}
