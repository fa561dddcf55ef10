/** Stand before every line of a command's log, and say which stream it came from. */
const STDOUT_MARK = Buffer.from([1, 1, 1]);
const STDERR_MARK = Buffer.from([2, 2, 2]);

/** A log taken apart, as newer clients want it; `output` keeps the marks, as the daemon's does. */
export interface SplitLog {
  output: string;
  stdout: string;
  stderr: string;
}

/** What stands before the first mark belongs to no stream and is left out. */
export function split(log: Buffer): SplitLog {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let at = nextMark(log, 0);
  while (at < log.length) {
    const stream = log[at] === STDOUT_MARK[0] ? 'stdout' : 'stderr';
    const from = at + STDOUT_MARK.length;
    at = nextMark(log, from);
    parts[stream].push(log.subarray(from, at));
  }
  return {
    output: log.toString('utf8'),
    stdout: Buffer.concat(parts.stdout).toString('utf8'),
    stderr: Buffer.concat(parts.stderr).toString('utf8'),
  };
}

/** A log without its marks, for clients that know nothing of streams. */
export function unmarked(log: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < log.length) {
    const end = nextMark(log, at);
    parts.push(log.subarray(at, end));
    at = end + STDOUT_MARK.length;
  }
  return Buffer.concat(parts);
}

/** The same for a log that comes in pieces, which may part a mark. */
export function unmarker(): (piece: Buffer) => Buffer {
  let held = Buffer.alloc(0);
  return (piece) => {
    const all = Buffer.concat([held, piece]);
    const last = all.at(-1);
    let run = 0;
    if (last === STDOUT_MARK[0] || last === STDERR_MARK[0]) {
      while (all.at(-1 - run) === last) run++;
    }
    const end = all.length - (run % STDOUT_MARK.length);
    held = all.subarray(end);
    return unmarked(all.subarray(0, end));
  };
}

function nextMark(log: Buffer, from: number): number {
  const marks = [log.indexOf(STDOUT_MARK, from), log.indexOf(STDERR_MARK, from)];
  const found = marks.filter((at) => at >= 0);
  return found.length === 0 ? log.length : Math.min(...found);
}
