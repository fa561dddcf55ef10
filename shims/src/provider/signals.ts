import { setTimeout as delay } from 'node:timers/promises';

/**
 * The promise, or the reason of the signal as soon as that is aborted. What then still comes of it is
 * given to `late`.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  late: (value: T) => void = () => undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason);
      promise.then(late, () => undefined);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** One signal for all that are given; none where none is, so that nobody has anything to watch. */
export function anySignal(
  ...signals: readonly (AbortSignal | undefined)[]
): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** Waits so long, in milliseconds. @throws the reason of the signal as soon as that is aborted */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return delay(ms);
  await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Is set after a time, in milliseconds; none for no limit. */
export function timeLimit(ms: number | undefined): AbortSignal | undefined {
  return ms === undefined ? undefined : AbortSignal.timeout(ms);
}
