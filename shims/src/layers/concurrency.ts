import type { SandboxProvider } from '../provider/provider.ts';
import { signalOf, withLayer } from './layer.ts';

/**
 * Makes at most so many calls at a time; others wait for their turn, in order. A command counts as
 * long as it is waited for.
 */
export function withConcurrency<P extends SandboxProvider>(provider: P, limit: number): P {
  const waiting: (() => void)[] = [];
  let running = 0;
  const turn = (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(signal?.reason);
      };
      const go = (): void => {
        signal?.removeEventListener('abort', abort);
        running += 1;
        resolve();
      };
      if (running < limit) return go();
      signal?.addEventListener('abort', abort, { once: true });
      waiting.push(go);
    });
  };
  return withLayer(provider, async (call, next) => {
    await turn(signalOf(call));
    try {
      return await next();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  });
}
