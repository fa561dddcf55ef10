import { EngineError } from '../../engine/errors.ts';
import { readJson } from '../../http/body.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { KernelInputError, runOnce, UnsupportedLanguageError } from '../../kernels/index.ts';
import { kernelSpawn } from '../../sandbox-kernels.ts';
import { badRequest, DaytonaFailure } from '../errors.ts';
import { checkEnv, fieldsOf, integer, needText, text, textList, textMap } from '../input.ts';
import type { Box } from './box.ts';
import { merged, said } from './output.ts';
import type { BoxRoutes } from './route.ts';

export function processRoutes(routes: BoxRoutes): void {
  routes.on('POST /process/execute', execute).on('POST /process/code-run', codeRun);
}

const timedOut = (): DaytonaFailure =>
  new DaytonaFailure(
    408,
    'request timeout: command execution timeout',
    'PROCESS_EXECUTION_TIMEOUT',
  );

/**
 * Feeds the command to a shell's standard input, as the daemon does, so that a command that reads
 * takes the rest of the script. The process goes on when the client goes away.
 */
async function execute(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const command = text(fields, 'command') ?? '';
  if (command.trim() === '') throw badRequest('command cannot be empty or whitespace-only');
  const env = textMap(fields, 'envs');
  checkEnv(env);
  const timeoutS = integer(fields, 'timeout') ?? 0;
  const cwd = text(fields, 'cwd');

  const options = { argv: merged([await box.shell()]), stdin: true, ...(env ? { env } : {}) };
  let process: Awaited<ReturnType<Box['spawn']>>;
  try {
    process = await box.spawn({ ...options, ...(cwd === undefined ? {} : { cwd }) });
  } catch (error) {
    if (!isUnstartable(error)) throw error;
    return json(200, { exitCode: -1, result: error.message });
  }
  // A shell may end without reading all of it.
  process
    .write(command)
    .then(() => process.closeStdin())
    .catch(() => undefined);
  const running = said(process);
  const result = timeoutS > 0 ? await withDeadline(running, timeoutS) : await running;
  if (result === undefined) {
    await process.signal('SIGKILL', { group: true }).catch(() => false);
    running.catch(() => undefined);
    process.stdout.destroy();
    throw timedOut();
  }
  return json(200, { exitCode: result.exitCode, result: result.output });
}

/** What it comes to, or undefined when that takes too long. */
async function withDeadline<T>(running: Promise<T>, seconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(seconds * 1000, 2 ** 31 - 1));
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function codeRun(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const code = text(fields, 'code');
  if (code === undefined) throw badRequest('code is required');
  const language = needText(fields, 'language');
  const env = textMap(fields, 'envs') ?? {};
  checkEnv(env);
  try {
    const { exitCode, output, charts, killed } = await runOnce({
      spawn: kernelSpawn(box.sandbox),
      language,
      code,
      argv: textList(fields, 'argv') ?? [],
      // The daemon joins them with spaces and lets a shell read them.
      argvByShell: true,
      env: { ...box.env(), ...env },
      cwd: box.workDir,
      user: box.record.account,
      timeoutMs: (integer(fields, 'timeout') ?? 0) * 1000,
    });
    if (killed === 'timeout') throw timedOut();
    return json(200, { exitCode, result: output, artifacts: { charts } });
  } catch (error) {
    if (error instanceof UnsupportedLanguageError || error instanceof KernelInputError) {
      throw badRequest(error.message);
    }
    throw error;
  }
}

function isUnstartable(error: unknown): error is EngineError {
  return (
    error instanceof EngineError && (error.code === 'bad-cwd' || error.code === 'spawn-failed')
  );
}
