import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import {
  type ProcessControl,
  ProcessHandle,
  SandboxError,
  type SpawnOptions,
} from '@cubeshift/sandbox';

export interface Child {
  readonly handle: ProcessHandle;
  /** Ends it and all that it started; `false` when there is nothing left of it. */
  kill(signal?: NodeJS.Signals): boolean;
}

/** Starts a command in a process group of its own, so that what it starts can be ended with it. */
export function startInGroup(
  command: string,
  options: SpawnOptions,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Child {
  const input = options.stdin === true ? 'pipe' : 'ignore';
  const stdio = [input, 'pipe', 'pipe'] as const;
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: [...stdio], detached: true });
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): boolean =>
    child.pid !== undefined && signalGroup(child.pid, signal);
  let isHeard = true;
  const control: ProcessControl = {
    id: `${child.pid}`,
    streamsMerged: false,
    kill: async () => kill(),
    sendInput: async (data) => void child.stdin?.write(data),
    closeInput: async () => void child.stdin?.end(),
    disconnect: async () => {
      isHeard = false;
    },
  };
  const handle = new ProcessHandle(control, options);
  for (const stream of ['stdout', 'stderr'] as const) {
    // Letters of several bytes may come in two pieces, which setEncoding puts together.
    child[stream]?.setEncoding('utf8').on('data', (text) => isHeard && handle.push(stream, text));
  }
  // A command may end before it has read everything, which is its own business.
  child.stdin?.on('error', () => undefined);
  child.on('error', ({ message }) => {
    handle.end({ error: new SandboxError('invalid_argument', message) });
  });
  child.on('close', (code, signal) => {
    const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    if (isHeard) handle.end({ exitCode });
  });
  return { handle, kill };
}

function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
