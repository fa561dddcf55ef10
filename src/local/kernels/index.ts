/**
 * Code kernels: interpreters that keep their state between executions, and code that runs once. Both
 * run inside a sandbox as plain processes; nothing here knows a service's protocol.
 *
 *   driver        `python/`, `javascript/`, `bash/`: the program inside, as text, one per language
 *   frames.ts     what a driver says, between what user code prints
 *   driver-process.ts   one running driver; `kernel.ts` turns, timeouts and restarts around it
 *   pool.ts       the contexts of one sandbox
 *   run-once.ts   a fresh process, with charts
 */
export {
  InterpreterMissingError,
  KernelInputError,
  KernelStartError,
  UnknownContextError,
  UnsupportedLanguageError,
} from './errors.ts';
export { Kernel, type KernelSpec } from './kernel.ts';
export { kernelLanguage } from './languages.ts';
export {
  type ExecutionTarget,
  type KernelContext,
  KernelPool,
  type KernelPoolOptions,
} from './pool.ts';
export { type RunOnceOptions, type RunOnceResult, runOnce } from './run-once.ts';
export type {
  EndReason,
  ExecuteOptions,
  KernelEvent,
  KernelExit,
  KernelLanguage,
  KernelProcess,
  KernelSignal,
  MimeBundle,
  SpawnInSandbox,
  SpawnSpec,
} from './types.ts';
