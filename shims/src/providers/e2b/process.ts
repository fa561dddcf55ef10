import type { CommandHandle, Sandbox as Native } from 'e2b';
import { ProcessHandle, type SpawnOptions } from '../../provider/process.ts';
import { KILL_TREE } from './kill-tree.ts';
import type { E2BSdk } from './sdk.ts';

/** Kept by the server in case nobody is left here to watch the time. */
const SERVER_MARGIN_MS = 10_000;

/** Starts a command. `explain` makes errors of this package out of those of the SDK. */
export async function startProcess(
  sdk: E2BSdk,
  native: Native,
  command: string,
  options: SpawnOptions & { user?: string | undefined },
  explain: (error: unknown) => Promise<unknown>,
): Promise<ProcessHandle> {
  const { cwd, env, user, stdin, timeoutMs } = options;
  // Output may come before the SDK has handed the command over.
  const early: (() => void)[] = [];
  let handle: ProcessHandle | undefined;
  const push = (stream: 'stdout' | 'stderr') => (text: string) => {
    if (handle === undefined) early.push(() => handle?.push(stream, text));
    else handle.push(stream, text);
  };
  const running = await native.commands.run(command, {
    background: true,
    // Unlimited, where the SDK has 60 seconds.
    timeoutMs: timeoutMs === undefined ? 0 : timeoutMs + SERVER_MARGIN_MS,
    onStdout: push('stdout'),
    onStderr: push('stderr'),
    ...(stdin === true ? { stdin } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { envs: { ...env } }),
    ...(user === undefined ? {} : { user }),
  });
  handle = new ProcessHandle(controlOf(native, running), options);
  for (const tell of early) tell();
  const told = handle;
  void exitCodeOf(sdk, running).then(
    (exitCode) => told.end({ exitCode }),
    async (error) => told.end({ error: await explain(error) }),
  );
  return handle;
}

function controlOf(
  native: Native,
  running: CommandHandle,
): ConstructorParameters<typeof ProcessHandle>[0] {
  const { pid } = running;
  return {
    id: `${pid}`,
    streamsMerged: false,
    kill: () => killTree(native, pid),
    // Bytes are taken, whatever the types of older versions say.
    sendInput: (data) => native.commands.sendStdin(pid, data as string),
    closeInput: () => native.commands.closeStdin(pid),
    disconnect: () => running.disconnect(),
  };
}

/** The SDK throws for commands that failed. */
export async function exitCodeOf(sdk: E2BSdk, running: CommandHandle): Promise<number> {
  try {
    return (await running.wait()).exitCode;
  } catch (error) {
    if (!(error instanceof sdk.CommandExitError)) throw error;
    return error.exitCode < 0 ? 128 + signalNumber(error.error ?? '') : error.exitCode;
  }
}

/** Signals by the words of Go, in which envd tells them. */
const SIGNALS: Readonly<Record<string, number>> = {
  hangup: 1,
  interrupt: 2,
  quit: 3,
  'illegal instruction': 4,
  'trace/breakpoint trap': 5,
  aborted: 6,
  'bus error': 7,
  'floating point exception': 8,
  killed: 9,
  'segmentation fault': 11,
  'broken pipe': 13,
  'alarm clock': 14,
  terminated: 15,
};

function signalNumber(error: string): number {
  const name = /signal: ([^(]*[^( ])/.exec(error)?.[1] ?? '';
  return SIGNALS[name] ?? 9;
}

async function killTree(native: Native, pid: number): Promise<boolean> {
  const command = `${KILL_TREE}if kill_tree ${pid}; then echo ended; fi`;
  const { stdout } = await native.commands.run(command, { user: 'root', timeoutMs: 30_000 });
  return stdout.includes('ended');
}
