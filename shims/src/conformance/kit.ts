import { strict as assert } from 'node:assert';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Capabilities, CapabilityName } from '../provider/capabilities.ts';
import type { CreateOptions } from '../provider/create.ts';
import { isSandboxError, type SandboxError, type SandboxErrorCode } from '../provider/errors.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import type { Sandbox } from '../provider/sandbox.ts';
import type { ConformanceOptions } from './options.ts';
import type { Stage } from './stage.ts';

/** One case: its name, and what has to hold. */
export interface Case {
  readonly name: string;
  run(kit: Kit): Promise<void>;
}

/** What a case works with. */
export class Kit {
  readonly provider: SandboxProvider;
  readonly capabilities: Capabilities;
  readonly template: string | undefined;
  readonly settleTimeoutMs: number;
  /** How long something takes that has to be seen while it runs. */
  readonly paceMs: number;
  /** For requests to ports. */
  readonly fetch: typeof fetch;
  readonly #stage: Stage;
  readonly #port: number | undefined;
  readonly #own: Sandbox[] = [];
  readonly #seen: (text: string) => void;
  #isOver = false;

  constructor(stage: Stage, options: ConformanceOptions, seen: (text: string) => void) {
    this.provider = stage.provider;
    this.capabilities = stage.capabilities;
    this.template = options.template;
    this.settleTimeoutMs = options.settleTimeoutMs ?? 15_000;
    this.paceMs = options.paceMs ?? 3_000;
    this.fetch = options.fetch ?? fetch;
    this.#stage = stage;
    this.#port = options.port;
    this.#seen = seen;
  }

  /** A name that nothing else has. */
  unique(what: string): string {
    return `${what}-${this.#stage.run}-${randomUUID().slice(0, 8)}`;
  }

  get port(): number {
    return this.#port ?? randomInt(20_000, 32_000);
  }

  /** Options of `create` for a sandbox of the kit. */
  options(wanted?: CreateOptions): CreateOptions {
    return this.#stage.options(wanted);
  }

  /** {@link paceMs} for the command `sleep`. */
  get sleep(): string {
    return `sleep ${this.paceMs / 1_000}`;
  }

  /** A sandbox that other cases use too: nothing may be done to it as a whole. */
  shared(): Promise<Sandbox> {
    return this.#stage.shared();
  }

  /** A sandbox of this case, deleted at its end. */
  create(wanted?: CreateOptions): Promise<Sandbox> {
    return this.adopt(() => this.provider.create(this.options(wanted)));
  }

  /** The same for one that is made by other means. */
  async adopt(make: () => Promise<Sandbox>): Promise<Sandbox> {
    if (this.#isOver) throw new Error('The time of this case is over');
    const sandbox = await this.#stage.add(make);
    if (this.#isOver) await this.#stage.remove(sandbox);
    this.#own.push(sandbox);
    return sandbox;
  }

  /** Makes room for so many that the case makes itself, and hands to {@link adopt}. */
  async makeRoom(): Promise<void> {
    await this.#stage.dropShared();
  }

  async remove(sandbox: Sandbox): Promise<void> {
    await this.#stage.remove(sandbox);
  }

  /** A new folder in a sandbox, as an absolute path. */
  async folder(sandbox: Sandbox): Promise<string> {
    const { stdout } = await sandbox.exec('pwd');
    const path = `${stdout.trim().replace(/\/$/, '')}/${this.unique('case')}`;
    await sandbox.files.makeDir(path);
    return path;
  }

  /** Evidence. */
  seen(text: string): void {
    this.#seen(text);
  }

  /**
   * Whether the backend can do something. If not, `attempt` has to be refused in the right way, and the
   * case is over.
   */
  async supports(name: CapabilityName, attempt: () => Promise<unknown>): Promise<boolean> {
    const { support } = this.capabilities[name];
    if (support !== 'unsupported') {
      this.seen(`${name}: ${support}`);
      return true;
    }
    await this.refused(name, attempt);
    return false;
  }

  /** An `unsupported` error has to say what else can be done: there is more than one sentence to it. */
  async refused(what: string, attempt: () => Promise<unknown>): Promise<void> {
    const error = await rejects(attempt(), 'unsupported');
    assert.match(error.message, /[.:;] \S/, `"${error.message}" does not say what to do instead`);
    this.seen(`${what}: refused: ${error.message}`);
  }

  /** Waits for what takes effect by and by. */
  async until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
    const end = Date.now() + this.settleTimeoutMs;
    for (let pause = 20; !(await holds()); pause = Math.min(pause * 2, 500)) {
      if (Date.now() > end) assert.fail(`After ${this.settleTimeoutMs} ms, still not: ${what}`);
      await delay(pause);
    }
  }

  /** Deletes the sandboxes of this case. */
  async end(): Promise<void> {
    this.#isOver = true;
    const deeds = this.#own.map((sandbox) => this.#stage.remove(sandbox));
    const results = await Promise.allSettled(deeds);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

/** Checks that a call is refused with one of some codes. */
export async function rejects(
  call: Promise<unknown>,
  ...codes: readonly SandboxErrorCode[]
): Promise<SandboxError> {
  const wanted = codes.join(' or ');
  const error: unknown = await call.then(
    (value) => assert.fail(`It should fail with ${wanted}, but gave ${shown(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof assert.AssertionError) throw error;
  if (!isSandboxError(error)) {
    throw new assert.AssertionError({
      message: `It should fail with a SandboxError, but failed with ${shown(error)}`,
      actual: error,
    });
  }
  assert.ok(
    codes.includes(error.code),
    `It should fail with ${wanted}, but failed with ${error.code}: ${error.message}`,
  );
  return error;
}

function shown(value: unknown): string {
  return value instanceof Error ? `${value.name}: ${value.message}` : typeof value;
}

/** All of what comes one after the other. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
