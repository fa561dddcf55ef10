import type { WriteStream } from 'node:tty';

/** Columns assumed where nobody looks at a terminal, so that the same input gives the same bytes. */
export const DEFAULT_WIDTH = 80;

/** Wider lines are harder to read, so a wide terminal is not filled. */
const WIDEST = 110;
const NARROWEST = 40;

type Stream = Pick<WriteStream, 'isTTY' | 'columns'>;

/**
 * Whether to print colour to a stream. In order: `--no-color`, `NO_COLOR`, `FORCE_COLOR`, and
 * then only on a terminal that can.
 */
export function useColour(stream: Stream, flag: boolean, env = process.env): boolean {
  if (!flag || isSet(env.NO_COLOR)) return false;
  const force = env.FORCE_COLOR;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Columns to lay text out for. */
export function textWidth(stream: Stream): number {
  if (stream.isTTY !== true || !stream.columns) return DEFAULT_WIDTH;
  return Math.max(NARROWEST, Math.min(WIDEST, stream.columns));
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
