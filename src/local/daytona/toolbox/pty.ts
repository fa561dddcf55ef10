import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxProcess } from '../../engine/process.ts';
import { sendMessage, type WebSocket } from '../../http/websocket.ts';
import { iso } from '../dto.ts';
import { DaytonaFailure } from '../errors.ts';
import type { Box } from './box.ts';

export interface PtyOptions {
  id: string;
  cols: number;
  rows: number;
  cwd: string | undefined;
  envs: Readonly<Record<string, string>>;
  /** Started by the first client that connects. */
  lazyStart: boolean;
}

/** How long the last output of a terminal is waited for once its shell has ended. */
const LAST_OUTPUT_MS = 500;

/** Closing codes of a terminal that ended well, or not. */
const CLEAN = 1000;
const FAILED = 1011;

/** One terminal. Any number of clients share it; what was said before one came is not repeated. */
export class Pty {
  readonly id: string;
  readonly #box: Box;
  readonly #options: PtyOptions;
  readonly #forget: () => void;
  readonly #createdAt: number;
  readonly #clients = new Set<WebSocket>();
  /** Clients that want to be told of the exit in a message, too. */
  readonly #wantControl = new Set<WebSocket>();
  #cols: number;
  #rows: number;
  #process: SandboxProcess | undefined;
  #starting: Promise<void> | undefined;
  #isActive = false;
  #wasKilled = false;

  constructor(box: Box, options: PtyOptions, forget: () => void) {
    this.id = options.id;
    this.#box = box;
    this.#options = options;
    this.#forget = forget;
    this.#cols = options.cols;
    this.#rows = options.rows;
    this.#createdAt = box.world.now();
  }

  /** toolbox.json `PtySessionInfo`. */
  info(): Record<string, unknown> {
    return {
      id: this.id,
      cwd: this.#options.cwd ?? this.#box.workDir,
      envs: { TERM: 'xterm-256color', ...this.#options.envs },
      cols: this.#cols,
      rows: this.#rows,
      createdAt: iso(this.#createdAt),
      active: this.#isActive,
      lazyStart: this.#options.lazyStart,
    };
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { cwd, envs } = this.#options;
    try {
      this.#process = await this.#box.spawn({
        argv: [await this.#box.shell(), '-i', '-l'],
        ...(cwd === undefined ? {} : { cwd }),
        env: { TERM: 'xterm-256color', ...envs },
        pty: { cols: this.#cols, rows: this.#rows },
      });
    } catch (error) {
      this.#forget();
      throw error;
    }
    const process = this.#process;
    this.#isActive = true;
    process.stderr.resume();
    const drained = this.#pump(process).catch(() => undefined);
    void process.exit.then(async ({ exitCode }) => {
      this.#isActive = false;
      await Promise.race([drained, sleep(LAST_OUTPUT_MS, undefined, { ref: false })]);
      this.#tellExit(this.#wasKilled ? 137 : exitCode);
      this.#forget();
    });
  }

  /** Gives a client what is said from now on, and takes its input. */
  attach(client: WebSocket, wantsControl: boolean): void {
    this.#clients.add(client);
    if (wantsControl) this.#wantControl.add(client);
    client.on('message', (data) => {
      this.#process?.write(bytesOf(data)).catch(() => undefined);
    });
    client.once('close', () => {
      this.#clients.delete(client);
      this.#wantControl.delete(client);
    });
  }

  async resize(cols: number, rows: number): Promise<void> {
    if (!this.#isActive || this.#process === undefined) {
      throw new DaytonaFailure(410, 'cannot resize inactive PTY session', 'SESSION_ENDED');
    }
    await this.#process.resize({ cols, rows });
    this.#cols = cols;
    this.#rows = rows;
  }

  async kill(): Promise<void> {
    this.#wasKilled = true;
    this.#forget();
    const process = this.#process;
    if (process === undefined || !(await process.signal('SIGKILL', { group: true }))) {
      this.#tellExit(137);
    }
  }

  async #pump({ stdout }: SandboxProcess): Promise<void> {
    stdout.on('data', (chunk: Buffer) => {
      const sent = [...this.#clients].map((client) => sendMessage(client, chunk));
      if (sent.length === 0) return;
      // All clients see all output, so the slowest one sets the pace.
      stdout.pause();
      void Promise.all(sent).then(() => stdout.resume());
    });
    await finished(stdout, { writable: false });
  }

  #tellExit(exitCode: number): void {
    const exitReason = reasonOf(exitCode);
    const end = { exitCode, ...(exitReason === undefined ? {} : { exitReason }) };
    for (const client of this.#clients) {
      if (this.#wantControl.has(client)) {
        void sendMessage(client, JSON.stringify({ type: 'control', status: 'exited', ...end }));
      }
      client.close(exitCode === 0 ? CLEAN : FAILED, JSON.stringify(end));
    }
    this.#clients.clear();
  }
}

function reasonOf(exitCode: number): string | undefined {
  if (exitCode === 0) return undefined;
  if (exitCode === 130) return 'Ctrl+C';
  if (exitCode === 137) return 'SIGKILL';
  if (exitCode === 143) return 'SIGTERM';
  return exitCode > 128 ? `signal ${exitCode - 128}` : 'non-zero exit';
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}
