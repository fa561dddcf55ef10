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
