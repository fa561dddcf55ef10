/** One step of a long run, as the scan reports it. */
interface ProgressEvent {
  phase: string;
  done: number;
  total: number;
}

export interface Progress {
  update(event: ProgressEvent): void;
  /** Removes the line; call before anything else is printed. */
  clear(): void;
}

/** Runs shorter than this show nothing: a line that flashes by only irritates. */
const QUIET_FOR_MS = 1_000;
const INTERVAL_MS = 100;

const SILENT: Progress = { update: () => {}, clear: () => {} };

/** A one-line progress display on stderr; does nothing unless a person watches. */
export function createProgress(quiet: boolean, stream = process.stderr): Progress {
  if (quiet || stream.isTTY !== true) return SILENT;
  const started = performance.now();
  let drawn = started + QUIET_FOR_MS - INTERVAL_MS;
  let visible = false;
  return {
    update({ phase, done, total }) {
      const now = performance.now();
      if (now - drawn < INTERVAL_MS) return;
      drawn = now;
      visible = true;
      stream.write(`\r\x1b[K${phase} ${done}/${total}`);
    },
    clear() {
      if (visible) stream.write('\r\x1b[K');
      visible = false;
    },
  };
}
