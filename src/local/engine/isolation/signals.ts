/** Sends a signal to a host process or group; false when it is gone or not ours. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Stops a set of processes that may grow while it is being stopped: rounds until one finds nothing
 * new. A process that was stopped cannot start another.
 */
export function stopAll(list: () => readonly number[]): void {
  const stopped = new Set<number>();
  for (;;) {
    const fresh = list().filter((pid) => !stopped.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      send(pid, 'SIGSTOP');
      stopped.add(pid);
    }
  }
}

/** Lets a set of processes go on, children first. */
export function continueAll(list: () => readonly number[]): void {
  for (const pid of [...list()].reverse()) send(pid, 'SIGCONT');
}
