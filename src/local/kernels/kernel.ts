import { DriverProcess, type DriverSpec, type Ending } from './driver-process.ts';
import { KernelInputError } from './errors.ts';
import { EventQueue } from './event-queue.ts';
import { LANGUAGES } from './languages.ts';
import type { EndReason, ExecuteOptions, KernelEvent } from './types.ts';

export interface KernelSpec extends DriverSpec {
  /** How long code may go on after an interrupt before its process is killed. */
  graceMs: number;
}

/** Why a driver is ended from outside, in the words of the error its execution gets. */
export interface Cause {
  name: string;
  value: string;
}

/**
 * One interpreter with its state. Executions take turns in the order of the calls. The process is
 * started when it is first needed, and anew, empty, after it died.
 */
export class Kernel {
  readonly #spec: KernelSpec;
  #driver: DriverProcess | undefined;
  #starting: Promise<DriverProcess> | undefined;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #count = 0;
  #running: Execution | undefined;
  #closed: Cause | undefined;

  constructor(spec: KernelSpec) {
    this.#spec = spec;
  }

  /** Whether an execution runs or waits. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Starts the process, if it does not run, so that what is wrong with it is known. */
  async start(): Promise<void> {
    await this.#live();
  }

  /**
   * Executes code; must be read to its end or left by `return()` (a `break` does), which interrupts.
   * Throws only what keeps code from running at all; errors of the code are events.
   */
  execute(code: string, options: ExecuteOptions = {}): AsyncIterableIterator<KernelEvent> {
    checkEnv(options.env);
    const execution = new Execution(code, options, this.#spec.graceMs);
    this.#waiting += 1;
    this.#turn = this.#turn
      .then(() => this.#run(execution))
      .catch((error: unknown) => execution.events.close(error))
      .finally(() => {
        this.#waiting -= 1;
      });
    return execution.read();
  }

  /** Interrupts the execution that runs, if one does. */
  interrupt(): void {
    this.#running?.stop('interrupted');
  }

  /** Loses the state. An execution that runs ends with an error; those that wait go on, empty. */
  async restart(): Promise<void> {
    await this.#end({ name: 'ContextRestarted', value: 'The context was restarted' });
  }

  /** Ends the kernel for good, with all that runs and waits. */
  async close(): Promise<void> {
    const cause = { name: 'ContextRemoved', value: 'The context was removed' };
    this.#closed = cause;
    await this.#end(cause);
    await this.#turn;
  }

  async #end(cause: Cause): Promise<void> {
    if (this.#running !== undefined) this.#running.cause = cause;
    const driver = this.#driver ?? (await this.#starting?.catch(() => undefined));
    this.#forget();
    await driver?.kill();
  }

  #forget(): void {
    this.#driver = undefined;
    this.#count = 0;
  }

  async #live(): Promise<DriverProcess> {
    if (this.#driver !== undefined) return this.#driver;
    this.#starting ??= DriverProcess.start(this.#spec).finally(() => {
      this.#starting = undefined;
    });
    const driver = await this.#starting;
    if (this.#driver === undefined && this.#closed === undefined) {
      this.#driver = driver;
      // It may die between executions, too.
      void driver.gone.then(() => {
        if (this.#driver === driver) this.#forget();
      });
    }
    return driver;
  }

  async #run(execution: Execution): Promise<void> {
    if (this.#closed !== undefined) {
      execution.fail(this.#closed);
      execution.end('interrupted', true);
    }
    if (execution.isStopped) return;
    this.#running = execution;
    try {
      const driver = await this.#live();
      await this.#runIn(driver, execution);
    } finally {
      execution.settle();
      this.#running = undefined;
    }
  }

  async #runIn(driver: DriverProcess, execution: Execution): Promise<void> {
    if (execution.isStopped) return;
    this.#count += 1;
    const count = this.#count;
    execution.events.push({ type: 'executionCount', count });
    const code = await this.#prepared(execution);
    if (execution.isStopped) return;
    if (code === undefined) {
      execution.end('completed', false);
      return;
    }
    execution.begin(driver);
    const request = { code, count, env: execution.options.env ?? {} };
    const ending = await driver.run(request, (event) => execution.events.push(event));
    if (ending === 'done') {
      execution.end(execution.reason ?? 'completed', false);
      return;
    }
    if (this.#driver === driver) this.#forget();
    this.#tellDeath(execution, ending);
  }

  async #prepared(execution: Execution): Promise<string | undefined> {
    const { prepare } = LANGUAGES[this.#spec.language];
    try {
      return prepare === undefined ? execution.code : await prepare(execution.code);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const { name, message } = error;
      execution.events.push({
        type: 'error',
        name,
        value: message,
        traceback: `${name}: ${message}`,
      });
      return undefined;
    }
  }

  #tellDeath(execution: Execution, ending: Exclude<Ending, 'done'>): void {
    const { reason, cause } = execution;
    if (cause !== undefined) {
      execution.fail(cause);
    } else if (reason !== undefined) {
      const value = 'The code did not stop when interrupted, so its kernel was ended';
      execution.fail({ name: 'KernelKilled', value });
    } else {
      const what = `The ${this.#spec.language} kernel ended with exit code ${ending.exitCode}`;
      const value = `${what}. The next execution starts with an empty one`;
      execution.fail({ name: 'KernelDied', value });
    }
    execution.end(reason ?? (cause === undefined ? 'crashed' : 'interrupted'), true);
  }
}

/** One call of `execute`: its events, and what may end it early. */
class Execution {
  readonly code: string;
  readonly options: ExecuteOptions;
  readonly #graceMs: number;
  readonly #timers: NodeJS.Timeout[] = [];
  #driver: DriverProcess | undefined;
  /** Why it is being stopped. */
  reason: EndReason | undefined;
  cause: Cause | undefined;

  readonly events = new EventQueue({
    pause: () => this.#driver?.pause(),
    resume: () => this.#driver?.resume(),
  });
  readonly #abort = (): void => this.stop('interrupted');

  constructor(code: string, options: ExecuteOptions, graceMs: number) {
    this.code = code;
    this.options = options;
    this.#graceMs = graceMs;
    if (options.signal?.aborted) this.stop('interrupted');
    else options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  get isStopped(): boolean {
    return this.reason !== undefined;
  }

  /** From here on there is a process to interrupt, and the time runs. */
  begin(driver: DriverProcess): void {
    this.#driver = driver;
    const { timeoutMs = 0 } = this.options;
    if (timeoutMs > 0) this.#after(timeoutMs, () => this.stop('timeout'));
  }

  /** Asks the code to stop, and ends its process if it does not. What has not begun just ends. */
  stop(reason: EndReason): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.events.drop();
    const driver = this.#driver;
    if (driver === undefined) {
      this.end(reason, false);
      return;
    }
    driver.interrupt();
    this.#after(this.#graceMs, () => void driver.kill());
    if (driver.missesSignals) this.#again(driver);
  }

  fail({ name, value }: Cause): void {
    this.events.push({ type: 'error', name, value, traceback: '' });
  }

  end(reason: EndReason, stateLost: boolean): void {
    this.reason ??= reason;
    this.settle();
    this.events.push({ type: 'end', reason, stateLost });
    this.events.close();
  }

  /** Nothing can stop it any more. */
  settle(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.options.signal?.removeEventListener('abort', this.#abort);
    // Whoever reads on must not hold back the next execution's output.
    this.#driver?.resume();
    this.#driver = undefined;
  }

  /** Not a generator: leaving one before its first event would not be noticed. */
  read(): AsyncIterableIterator<KernelEvent> {
    const done = { done: true, value: undefined } as const;
    return {
      next: async () => {
        const value = await this.events.next();
        return value === undefined ? done : { done: false, value };
      },
      return: async () => {
        this.stop('interrupted');
        return done;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #again(driver: DriverProcess): void {
    this.#after(SIGNAL_AGAIN_MS, () => {
      driver.interrupt();
      this.#again(driver);
    });
  }

  #after(ms: number, action: () => void): void {
    this.#timers.push(setTimeout(action, Math.min(ms, LONGEST_TIMER_MS)));
  }
}

/** Longer than a shell needs to stop at a signal that it did not miss. */
const SIGNAL_AGAIN_MS = 500;
/** Above it Node's timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Refuses variables that no process can have, before half of them are set. */
export function checkEnv(env: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new KernelInputError(`"${name}" cannot be the name of an environment variable`);
    }
    if (value.includes('\0')) {
      throw new KernelInputError(`The value of the environment variable ${name} contains a NUL`);
    }
  }
}
