import { setTimeout as delay } from 'node:timers/promises';
import {
  type ProcessHandle,
  type PtyHandle,
  type PtyOptions,
  quote,
  type Sandbox,
  SandboxError,
  type SandboxPty,
  type SpawnOptions,
} from '@cubeshift/sandbox';

type OnData = (data: Uint8Array) => void;

/** A terminal that runs, whoever listens. */
interface Terminal {
  readonly process: ProcessHandle;
  readonly device: string;
  onData: OnData | undefined;
}

/** Terminals by the program `script`, which makes one around a shell. */
export class ScriptPty implements SandboxPty {
  readonly #sandbox: Sandbox;
  readonly #start: (command: string, options: SpawnOptions) => Promise<ProcessHandle>;
  readonly #terminals = new Map<string, Terminal>();

  constructor(
    sandbox: Sandbox,
    start: (command: string, options: SpawnOptions) => Promise<ProcessHandle>,
  ) {
    this.#sandbox = sandbox;
    this.#start = start;
  }

  async create({ cols = 80, rows = 24, onData }: PtyOptions): Promise<PtyHandle> {
    const name = `.tty-${this.#terminals.size}`;
    const shell = `tty > ${name}.new; mv ${name}.new ${name}; stty rows ${rows} cols ${cols}; exec sh -i`;
    const terminal: { onData: OnData | undefined } = { onData };
    const process = await this.#start(`exec script -qefc ${quote(shell)} /dev/null`, {
      stdin: true,
      onStdout: (text) => terminal.onData?.(new TextEncoder().encode(text)),
    });
    while (!(await this.#sandbox.files.exists(name))) await delay(20);
    const device = (await this.#sandbox.files.read(name, { as: 'text' })).trim();
    const made = Object.assign(terminal, { process, device });
    this.#terminals.set(process.id, made);
    return this.#handle(made);
  }

  async connect(id: string, { onData }: { onData: OnData }): Promise<PtyHandle> {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) throw new SandboxError('not_found', `No terminal ${id}`);
    terminal.onData = onData;
    return this.#handle(terminal);
  }

  #handle(terminal: Terminal): PtyHandle {
    const { process, device } = terminal;
    return {
      id: process.id,
      get exitCode() {
        return process.exitCode;
      },
      wait: async (options) => ({ exitCode: (await process.wait(options)).exitCode }),
      sendInput: (data) => process.sendInput(data),
      resize: async ({ cols, rows }) => {
        await this.#sandbox.exec(`stty -F ${device} rows ${rows} cols ${cols}`);
      },
      kill: () => process.kill(),
      disconnect: async () => {
        terminal.onData = undefined;
      },
    };
  }
}
