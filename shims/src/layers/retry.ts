import type { CreateOptions } from '../provider/create.ts';
import { randomId } from '../provider/crypto.ts';
import { isSandboxError, type SandboxError } from '../provider/errors.ts';
import type { SandboxProvider } from '../provider/provider.ts';
import { wait } from '../provider/signals.ts';
import { type Call, signalOf, withLayer } from './layer.ts';

export interface RetryOptions {
  /** How often a call is made at most. Defaults to 4. */
  attempts?: number;
  /** The wait before the second time; it doubles from then on, and is any part of that. Defaults to 250. */
  firstDelayMs?: number;
  /** The longest wait, also where the backend asks for more. Defaults to 20 seconds. */
  longestDelayMs?: number;
  /** Hears of each time before it is made. */
  onRetry?: (retry: { call: Call; error: SandboxError; attempt: number; delayMs: number }) => void;
}

/**
 * Makes calls again that failed, when that is harmless: nothing had happened, or the same call does
 * the same. A command is not run a second time unless it was not run.
 */
export function withRetry<P extends SandboxProvider>(provider: P, options: RetryOptions = {}): P {
  const { attempts = 4, firstDelayMs = 250, longestDelayMs = 20_000, onRetry } = options;
  return withLayer(provider, async (call, next) => {
    const args = repeatable(call);
    const signal = signalOf(call);
    for (let attempt = 1; ; attempt++) {
      try {
        return await next(args);
      } catch (error) {
        if (attempt >= attempts || !isSandboxError(error) || !mayRepeat(call, error)) throw error;
        const longest = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
        const asked = Math.min(longestDelayMs, error.retryAfterMs ?? 0);
        const delayMs = Math.max(asked, Math.random() * longest);
        onRetry?.({ call, error, attempt: attempt + 1, delayMs });
        await wait(delayMs, signal);
      }
    }
  });
}

/** Its arguments, with a token where one makes it harmless. */
function repeatable(call: Call): unknown[] {
  const args = [...call.args];
  if (call.repeat !== 'token') return args;
  const at = call.operation === 'snapshots.restore' ? 1 : 0;
  args[at] = { token: randomId(), ...(args[at] as CreateOptions | undefined) };
  return args;
}

function mayRepeat(call: Call, { retryable }: SandboxError): boolean {
  if (retryable === false || holdsStream(call)) return false;
  return retryable === true || call.repeat !== 'once';
}

/** A stream is read once. */
function holdsStream({ operation, args }: Call): boolean {
  if (operation !== 'files.write') return false;
  const [target, data] = args;
  const all = Array.isArray(target) ? target.map((entry: { data: unknown }) => entry.data) : [data];
  return all.some((one) => one instanceof ReadableStream);
}
