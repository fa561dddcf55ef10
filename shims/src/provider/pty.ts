import type { CallOptions } from './create.ts';

export interface PtySize {
  cols: number;
  rows: number;
}

/** What a new terminal is like. Its shell is an interactive login shell of the user. */
export interface PtyOptions extends Partial<PtySize>, CallOptions {
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  user?: string | undefined;
  /** Gets what the terminal shows. */
  onData: (data: Uint8Array) => void;
}

export interface PtyConnectOptions extends CallOptions {
  onData: (data: Uint8Array) => void;
}

/** A terminal that somebody listens to. */
export interface PtyHandle {
  /** For `connect`, in this program or another. */
  readonly id: string;
  /** `undefined` while its shell runs. */
  readonly exitCode: number | undefined;
  /** Waits for the end of its shell. */
  wait(options?: CallOptions): Promise<{ exitCode: number }>;
  sendInput(data: string | Uint8Array): Promise<void>;
  resize(size: PtySize): Promise<void>;
  /** Ends its shell and what runs in it; `false` when it had ended. */
  kill(): Promise<boolean>;
  /** Stops listening; the shell goes on. */
  disconnect(): Promise<void>;
}

/** Terminals of a sandbox. */
export interface SandboxPty {
  create(options: PtyOptions): Promise<PtyHandle>;
  /** Listens to one that runs; what it showed before is not repeated. */
  connect(id: string, options: PtyConnectOptions): Promise<PtyHandle>;
}
