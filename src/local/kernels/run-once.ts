import { quietly } from './driver-process.ts';
import { toCommonJs } from './javascript/prepare.ts';
import { checkEnv } from './kernel.ts';
import { kernelLanguage } from './languages.ts';
import { findInterpreter, start, textOf } from './probe.ts';
import { PYTHON_WITH_CHARTS } from './python/once.ts';
import type { KernelLanguage, KernelProcess, SpawnInSandbox, SpawnSpec } from './types.ts';

export interface RunOnceOptions {
  spawn: SpawnInSandbox;
  language?: string;
  code: string;
  argv?: readonly string[];
  /** Daytona joins the arguments with spaces and lets a shell read them; here they are kept apart otherwise. */
  argvByShell?: boolean;
  env?: Record<string, string>;
  cwd?: string;
  user?: string;
  /** None or 0: unlimited. */
  timeoutMs?: number;
  /** Kills the process. */
  signal?: AbortSignal;
}

export interface RunOnceResult {
  exitCode: number;
  /** Standard output and error as they came, in one. */
  output: string;
  /** Charts that Python code showed with matplotlib, as Daytona describes them. */
  charts: Record<string, unknown>[];
  /** Whether it was killed, and why; the output is then incomplete. */
  killed?: 'timeout' | 'aborted';
}

/** Libraries through which a program may draw; only then is more than plain Python started. */
const DRAWS = /\b(?:matplotlib|pylab|seaborn|pandas|plotnine|networkx)\b/;

/**
 * Runs code in a fresh process that reads it from standard input, as Daytona's `code-run` does: the
 * program has no input left to read, `argv[0]` is `-` and tracebacks name `<stdin>`.
 */
export async function runOnce(options: RunOnceOptions): Promise<RunOnceResult> {
  const { spawn, argv = [], env = {}, cwd, user, signal } = options;
  checkEnv(env);
  const language = kernelLanguage(options.language);
  const base = user === undefined ? { env } : { env, user };
  const interpreter = await findInterpreter(spawn, language, base);
  let code = options.code;
  try {
    if (language === 'typescript') code = await toCommonJs(code);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { exitCode: 1, output: `${error.name}: ${error.message}\n`, charts: [] };
  }
  const command = commandFor(language, code);
  const spec: SpawnSpec = {
    ...base,
    ...(cwd === undefined ? {} : { cwd }),
    argv: withArguments([interpreter, ...command], argv, options.argvByShell === true),
  };
  const process = await start(spawn, spec);
  return finish(process, code, options.timeoutMs ?? 0, signal);
}

function commandFor(language: KernelLanguage, code: string): string[] {
  if (language === 'bash') return ['-s', '-'];
  if (language !== 'python') return ['-'];
  return DRAWS.test(code) ? ['-u', '-c', PYTHON_WITH_CHARTS] : ['-u', '-'];
}

/**
 * Both streams go to one pipe, the only way to keep their order. The real standard error is free
 * then, and carries the charts.
 */
function withArguments(command: string[], argv: readonly string[], byShell: boolean): string[] {
  const script = `exec "$@" ${byShell ? argv.join(' ') : ''} 3>&2 2>&1`;
  return ['sh', '-c', script, 'sh', ...command, ...(byShell ? [] : argv)];
}

async function finish(
  process: KernelProcess,
  code: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<RunOnceResult> {
  let killed: RunOnceResult['killed'];
  const kill = (why: 'timeout' | 'aborted'): void => {
    killed ??= why;
    quietly(() => process.signal('SIGKILL'));
  };
  const abort = (): void => kill('aborted');
  const timer = timeoutMs > 0 ? setTimeout(kill, timeoutMs, 'timeout') : undefined;
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    // A program may end without reading its code.
    quietly(async () => {
      await process.write(code);
      await process.closeStdin();
    });
    // The end of the output, not of the process: what it left running in the background still speaks.
    const [output, charts] = await Promise.all([
      textOf(process, 'stdout'),
      textOf(process, 'stderr'),
    ]);
    const { exitCode } = await process.exit;
    return {
      exitCode,
      output,
      charts: charts.split('\n').filter(Boolean).flatMap(asChart),
      ...(killed === undefined ? {} : { killed }),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** What else comes that way is no chart: a shell that cannot start the program complains there. */
function asChart(line: string): Record<string, unknown>[] {
  try {
    const chart: unknown = JSON.parse(line);
    return typeof chart === 'object' && chart !== null ? [chart as Record<string, unknown>] : [];
  } catch {
    return [];
  }
}
