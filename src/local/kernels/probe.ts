import { buffer } from 'node:stream/consumers';
import { InterpreterMissingError, KernelStartError } from './errors.ts';
import { LANGUAGES } from './languages.ts';
import type { KernelLanguage, KernelProcess, SpawnInSandbox, SpawnSpec } from './types.ts';

/** Whose process it is, and what it sees: given to every process that is started. */
export type SpawnBase = Pick<SpawnSpec, 'env' | 'user'>;

const FIND = 'for name in "$@"; do command -v "$name" && exit 0; done; exit 127';

/** The path of the program in the sandbox that runs a language. It is looked for every time: it may have been installed since. */
export async function findInterpreter(
  spawn: SpawnInSandbox,
  language: KernelLanguage,
  base: SpawnBase,
): Promise<string> {
  const { interpreters } = LANGUAGES[language];
  const process = await start(spawn, { ...base, argv: ['sh', '-c', FIND, 'sh', ...interpreters] });
  await process.closeStdin();
  const [out, , { exitCode }] = await Promise.all([
    textOf(process, 'stdout'),
    textOf(process, 'stderr'),
    process.exit,
  ]);
  const found = out.trim();
  if (exitCode !== 0 || found === '') throw new InterpreterMissingError(language, interpreters);
  return found;
}

/** Starts a process and says in our words that it could not be. */
export async function start(spawn: SpawnInSandbox, spec: SpawnSpec): Promise<KernelProcess> {
  try {
    return await spawn(spec);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KernelStartError(`The sandbox could not start ${spec.argv[0]}: ${reason}`, {
      cause: error,
    });
  }
}

export async function textOf(process: KernelProcess, stream: 'stdout' | 'stderr'): Promise<string> {
  // Not `text` of the same module, which takes away a byte order mark.
  return (await buffer(process[stream])).toString('utf8');
}
