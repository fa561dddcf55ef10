import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { KernelStartError } from './errors.ts';
import { type Frame, FrameReader } from './frames.ts';
import { LANGUAGES, type RunRequest } from './languages.ts';
import { findInterpreter, type SpawnBase, start } from './probe.ts';
import type { KernelEvent, KernelExit, KernelLanguage, SpawnInSandbox } from './types.ts';

/** How a request ended: the driver said so, or it is gone. */
export type Ending = 'done' | KernelExit;

export interface DriverSpec {
  language: KernelLanguage;
  spawn: SpawnInSandbox;
  base: SpawnBase;
  cwd: string | undefined;
}

interface Request {
  onEvent(event: KernelEvent): void;
  resolve(ending: Ending): void;
  /** The driver ends a request on both pipes, so that all output before it has been read. */
  ends: number;
  isRunning: boolean;
  /** An interrupt was asked for before there was anything to interrupt. */
  isUnwanted: boolean;
}

const LONGEST_COMPLAINT = 4096;
/** What an ended process left in its pipes is read for so long at most: a stray child may hold them. */
const LAST_OUTPUT_MS = 1000;

/** One running driver. It takes one request at a time and serves until it dies. */
export class DriverProcess {
  readonly #process: Awaited<ReturnType<SpawnInSandbox>>;
  readonly #language: KernelLanguage;
  readonly gone: Promise<KernelExit>;
  #request: Request | undefined;
  #exit: KernelExit | undefined;
  #count = 0;
  #refusal = '';
  /** What the process said before it could speak the protocol: the reason if it never does. */
  #complaint = '';

  static async start({ language, spawn, base, cwd }: DriverSpec): Promise<DriverProcess> {
    const interpreter = await findInterpreter(spawn, language, base);
    const nonce = randomBytes(12).toString('hex');
    const spec = LANGUAGES[language];
    const process = await start(spawn, { ...base, argv: spec.argv(interpreter) });
    const driver = new DriverProcess(process, language, nonce);
    const ending = await driver.#send(spec.start({ nonce, cwd }), (event) => {
      if (event.type !== 'stdout' && event.type !== 'stderr') return;
      driver.#complaint = (driver.#complaint + event.text).slice(-LONGEST_COMPLAINT);
    });
    if (ending === 'done') return driver;
    const reason = driver.#refusal || driver.#complaint.trim() || `exit code ${ending.exitCode}`;
    throw new KernelStartError(`The ${language} kernel could not be started: ${reason}`);
  }

  private constructor(
    process: Awaited<ReturnType<SpawnInSandbox>>,
    language: KernelLanguage,
    nonce: string,
  ) {
    this.#process = process;
    this.#language = language;
    const ends = [process.stdout, process.stderr].map((stream, index) =>
      this.#read(stream, nonce, index === 0 ? 'stdout' : 'stderr'),
    );
    this.gone = this.#watch(ends);
  }

  run(request: RunRequest, onEvent: (event: KernelEvent) => void): Promise<Ending> {
    this.#count = request.count;
    return this.#send(LANGUAGES[this.#language].run(request), onEvent);
  }

  get missesSignals(): boolean {
    return LANGUAGES[this.#language].missesSignals === true;
  }

  /** Like Ctrl-C, for the code and for the processes it waits for. */
  interrupt(): void {
    const request = this.#request;
    if (request === undefined) return;
    request.isUnwanted = true;
    if (!request.isRunning) return;
    const message = LANGUAGES[this.#language].interrupt?.(this.#count);
    if (message !== undefined) this.#write(message);
    this.#signal('SIGINT');
  }

  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.gone;
  }

  pause(): void {
    if (this.#exit !== undefined) return;
    this.#process.stdout.pause();
    this.#process.stderr.pause();
  }

  resume(): void {
    this.#process.stdout.resume();
    this.#process.stderr.resume();
  }

  #send(line: string, onEvent: (event: KernelEvent) => void): Promise<Ending> {
    if (this.#exit !== undefined) return Promise.resolve(this.#exit);
    return new Promise((resolve) => {
      this.#request = { onEvent, resolve, ends: 0, isRunning: false, isUnwanted: false };
      this.#write(line);
    });
  }

  /** A driver that cannot be written to is gone, which is noticed by itself. */
  #write(line: string): void {
    quietly(() => this.#process.write(line));
  }

  #signal(name: 'SIGINT' | 'SIGKILL'): void {
    quietly(() => this.#process.signal(name));
  }

  #read(stream: Readable, nonce: string, type: 'stdout' | 'stderr'): Promise<void> {
    const reader = new FrameReader(
      nonce,
      // Nobody asked for what stray threads and children say between executions.
      (text) => this.#request?.onEvent({ type, text }),
      (frame) => this.#take(frame),
    );
    stream.on('data', (chunk: Buffer) => reader.push(chunk));
    return new Promise((resolve) => {
      stream.on('error', () => {});
      for (const last of ['end', 'close']) {
        stream.once(last, () => {
          reader.flush();
          resolve();
        });
      }
    });
  }

  #take(frame: Frame): void {
    const request = this.#request;
    if (frame.t === 'refused') this.#refusal = frame.reason;
    if (request === undefined) return;
    if (frame.t === 'done') {
      request.ends += 1;
      if (request.ends === 2) this.#end('done');
      return;
    }
    if (frame.t === 'running') {
      request.isRunning = true;
      if (request.isUnwanted) this.interrupt();
      return;
    }
    const event = asEvent(frame);
    if (event !== undefined) request.onEvent(event);
  }

  #end(ending: Ending): void {
    const request = this.#request;
    this.#request = undefined;
    request?.resolve(ending);
  }

  async #watch(streams: Promise<void>[]): Promise<KernelExit> {
    const exit = await this.#process.exit;
    this.#exit = exit;
    // Its children would keep the pipes open, and belong to it.
    this.#signal('SIGKILL');
    this.resume();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_OUTPUT_MS);
    });
    await Promise.race([Promise.all(streams), late]);
    clearTimeout(timer);
    this.#end(exit);
    this.#process.stdout.destroy();
    this.#process.stderr.destroy();
    return exit;
  }
}

/** For what cannot be done to a process that is gone, however that is told. */
export function quietly(action: () => void | Promise<void>): void {
  void (async () => action())().catch(() => {});
}

function asEvent(frame: Frame): KernelEvent | undefined {
  switch (frame.t) {
    case 'stderr':
      return { type: 'stderr', text: frame.text };
    case 'result':
      return { type: 'result', data: frame.data, isMain: frame.main };
    case 'error':
      return {
        type: 'error',
        name: frame.name,
        value: frame.value,
        traceback: frame.traceback,
      };
    default:
      return undefined;
  }
}
