import { SandboxError } from '../provider/errors.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import { anySignal } from '../provider/signals.ts';
import { signalOf, withLayer, withOptions } from './layer.ts';
import type { OperationName } from './operations.ts';

export interface DeadlineOptions {
  /** How long a call may take. */
  timeoutMs: number;
  /** Other times for some; `null` is as long as it takes. */
  operations?: Partial<Record<OperationName, number | null>>;
}

/** Those that take as long as what they run. */
const UNLIMITED: readonly OperationName[] = [
  'sandbox.exec',
  'sandbox.runCode',
  'templates.build',
  'files.read',
  'files.write',
];

/**
 * Ends calls that take too long, with the error `timeout`. Commands, builds and the contents of files
 * are as long as they are, unless `operations` says otherwise.
 */
export function withDeadline<P extends SandboxProvider>(
  provider: P,
  { timeoutMs, operations = {} }: DeadlineOptions,
): P {
  return withLayer(provider, async (call, next) => {
    const { operation, sandboxId } = call;
    const own = operations[operation];
    const limit = own ?? (own === null || UNLIMITED.includes(operation) ? undefined : timeoutMs);
    if (limit === undefined) return next();
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const told = `${operation} took longer than ${limit} ms`;
      controller.abort(new SandboxError('timeout', told, { provider: call.provider, sandboxId }));
    }, limit);
    const signal = anySignal(signalOf(call), controller.signal);
    try {
      return await next(withOptions(call, { signal }));
    } finally {
      clearTimeout(timer);
    }
  });
}
