import type { Readable } from 'node:stream';

export type KernelLanguage = 'python' | 'javascript' | 'typescript' | 'bash';

/** What kernels need from a sandbox: a plain process in it, whoever runs it. */
export interface KernelProcess {
  readonly stdout: Readable;
  readonly stderr: Readable;
  write(data: string): void | Promise<void>;
  /** Ends standard input. */
  closeStdin(): void | Promise<void>;
  /**
   * Reaches the process and what it started (its process group), as Ctrl-C in a terminal does; also
   * when the process itself is gone already. A target that is not there any more is no error.
   */
  signal(name: KernelSignal): void | Promise<void>;
  readonly exit: Promise<KernelExit>;
}

export type KernelSignal = 'SIGINT' | 'SIGKILL';

export interface KernelExit {
  /** 128 and the number of the signal for a process that a signal ended. */
  exitCode: number;
}

export interface SpawnSpec {
  argv: string[];
  cwd?: string;
  /** In addition to what every process in the sandbox has. */
  env?: Record<string, string>;
  user?: string;
}

/** Starts a process that leads a process group. Rejects if it cannot be started. */
export type SpawnInSandbox = (spec: SpawnSpec) => Promise<KernelProcess>;

/** Formats of one value by MIME type; pictures and PDF in base64, `e2b/…` as E2B's clients know it. */
export type MimeBundle = Record<string, unknown>;

/** `completed` says that the code ran to its end or failed by itself. */
export type EndReason = 'completed' | 'interrupted' | 'timeout' | 'crashed';

export type KernelEvent =
  | { type: 'executionCount'; count: number }
  | { type: 'stdout'; text: string }
  | { type: 'stderr'; text: string }
  /** `isMain`: the value of the last expression, not something displayed on the way. */
  | { type: 'result'; data: MimeBundle; isMain: boolean }
  | { type: 'error'; name: string; value: string; traceback: string }
  /** Always last, exactly once. `stateLost`: the kernel is gone, the next execution starts empty. */
  | { type: 'end'; reason: EndReason; stateLost: boolean };

export interface ExecuteOptions {
  /** Visible to this execution only. */
  env?: Record<string, string>;
  /** From the start of the execution, not of the wait for its turn. None or 0: unlimited. */
  timeoutMs?: number;
  /** Interrupts the execution. */
  signal?: AbortSignal;
}
