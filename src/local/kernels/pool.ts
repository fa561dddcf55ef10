import { randomUUID } from 'node:crypto';
import { UnknownContextError } from './errors.ts';
import { Kernel, type KernelSpec } from './kernel.ts';
import { kernelLanguage } from './languages.ts';
import type { ExecuteOptions, KernelEvent, KernelLanguage, SpawnInSandbox } from './types.ts';

export interface KernelPoolOptions {
  spawn: SpawnInSandbox;
  /** Where default contexts, and contexts without a folder of their own, start. */
  cwd?: string;
  /** In addition to what every process in the sandbox has; seen by all kernels. */
  env?: Record<string, string>;
  user?: string;
  /** How long code may go on after an interrupt before its kernel is killed. 2 seconds. */
  graceMs?: number;
}

export interface KernelContext {
  id: string;
  language: KernelLanguage;
  cwd: string | undefined;
  createdAt: Date;
  /** The one that code without a context runs in. */
  isDefault: boolean;
  isBusy: boolean;
}

/** What to execute in: a context by its id, or the default context of a language. */
export type ExecutionTarget = { contextId: string } | { language?: string };

const GRACE_MS = 2000;

interface Entry {
  context: Omit<KernelContext, 'isBusy'>;
  kernel: Kernel;
}

/** The kernels of one sandbox. */
export class KernelPool {
  readonly #options: KernelPoolOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #defaults = new Map<KernelLanguage, Entry>();

  constructor(options: KernelPoolOptions) {
    this.#options = options;
  }

  /** A context of its own, running. Nothing is left of one that cannot be started. */
  async createContext(options: { language?: string; cwd?: string } = {}): Promise<KernelContext> {
    const language = kernelLanguage(options.language);
    const entry = this.#add(language, options.cwd ?? this.#options.cwd, false);
    try {
      await entry.kernel.start();
    } catch (error) {
      this.#entries.delete(entry.context.id);
      throw error;
    }
    return shown(entry);
  }

  /** The context of a language that code without a context runs in; not started by being named. */
  defaultContext(language?: string): KernelContext {
    return shown(this.#default(kernelLanguage(language)));
  }

  /** All contexts, oldest first, the default ones that have been used or named among them. */
  list(): KernelContext[] {
    return [...this.#entries.values()].map(shown);
  }

  get(contextId: string): KernelContext {
    return shown(this.#entry(contextId));
  }

  async remove(contextId: string): Promise<void> {
    const entry = this.#entry(contextId);
    this.#entries.delete(contextId);
    if (entry.context.isDefault) this.#defaults.delete(entry.context.language);
    await entry.kernel.close();
  }

  async restart(contextId: string): Promise<void> {
    await this.#entry(contextId).kernel.restart();
  }

  /** Interrupts what runs in a context. */
  interrupt(contextId: string): void {
    this.#entry(contextId).kernel.interrupt();
  }

  /** Queues code at once, in the order of the calls. See `Kernel.execute`. */
  execute(
    target: ExecutionTarget,
    code: string,
    options?: ExecuteOptions,
  ): AsyncIterableIterator<KernelEvent> {
    const entry =
      'contextId' in target
        ? this.#entry(target.contextId)
        : this.#default(kernelLanguage(target.language));
    return entry.kernel.execute(code, options);
  }

  /** Ends all kernels. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#defaults.clear();
    await Promise.all(entries.map(({ kernel }) => kernel.close()));
  }

  #entry(contextId: string): Entry {
    const entry = this.#entries.get(contextId);
    if (entry === undefined) throw new UnknownContextError(contextId);
    return entry;
  }

  #default(language: KernelLanguage): Entry {
    const known = this.#defaults.get(language);
    if (known !== undefined) return known;
    const entry = this.#add(language, this.#options.cwd, true);
    this.#defaults.set(language, entry);
    return entry;
  }

  #add(language: KernelLanguage, cwd: string | undefined, isDefault: boolean): Entry {
    const { spawn, env, user, graceMs = GRACE_MS } = this.#options;
    const base = {
      ...(env === undefined ? {} : { env }),
      ...(user === undefined ? {} : { user }),
    };
    const spec: KernelSpec = { language, spawn, base, cwd, graceMs };
    const context = { id: randomUUID(), language, cwd, createdAt: new Date(), isDefault };
    const entry = { context, kernel: new Kernel(spec) };
    this.#entries.set(context.id, entry);
    return entry;
  }
}

function shown({ context, kernel }: Entry): KernelContext {
  return { ...context, isBusy: kernel.isBusy };
}
