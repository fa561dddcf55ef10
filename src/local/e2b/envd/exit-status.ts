import type { Exit } from '../../engine/process.ts';

/** `process.ProcessEvent.EndEvent`; what is zero is left out, as protobuf's JSON does. */
export interface EndEvent {
  exitCode?: number;
  exited?: boolean;
  status: string;
  error?: string;
}

/** Names of signals as Go prints them, since envd is written in it. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGABRT: 'aborted',
  SIGALRM: 'alarm clock',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGHUP: 'hangup',
  SIGILL: 'illegal instruction',
  SIGINT: 'interrupt',
  SIGKILL: 'killed',
  SIGPIPE: 'broken pipe',
  SIGQUIT: 'quit',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
  SIGTRAP: 'trace/breakpoint trap',
  SIGUSR1: 'user defined signal 1',
  SIGUSR2: 'user defined signal 2',
};

/** How a process ended, in the words of Go's `os.ProcessState`. */
export function endOf({ exitCode, signal }: Exit): EndEvent {
  if (signal !== undefined) {
    const status = `signal: ${SIGNALS[signal] ?? signal.toLowerCase()}`;
    return { exitCode: -1, status, error: status };
  }
  const status = `exit status ${exitCode}`;
  return exitCode === 0
    ? { exited: true, status }
    : { exitCode, exited: true, status, error: status };
}
