import { StringDecoder } from 'node:string_decoder';
import type { MimeBundle } from './types.ts';

/** What drivers say. The wire format is described in `python/wire.ts`. */
export type Frame =
  | { t: 'done' }
  /** From here on an interrupt stops the cell; before, it would be missed. */
  | { t: 'running' }
  | { t: 'refused'; reason: string }
  | { t: 'stderr'; text: string }
  | { t: 'result'; data: MimeBundle; main: boolean }
  | { t: 'error'; name: string; value: string; traceback: string };

const LINE_END = 0x0a;
const FRAME_START = 0x1e;

/**
 * Takes apart one output pipe of a driver: the driver's frames, and around them what user code and
 * its child processes wrote. A frame is one or more pieces `<RS><nonce>:<number>:<+|.><JSON>\n`. The
 * nonce is random and not on the command line, so no other program's output looks like a frame.
 */
export class FrameReader {
  readonly #marker: Buffer;
  readonly #onText: (text: string) => void;
  readonly #onFrame: (frame: Frame) => void;
  readonly #decoder = new StringDecoder('utf8');
  /** Pieces of frames that are not complete, by number: frames of several threads may alternate. */
  readonly #pieces = new Map<string, Buffer[]>();
  #rest: Buffer = Buffer.alloc(0);

  constructor(nonce: string, onText: (text: string) => void, onFrame: (frame: Frame) => void) {
    this.#marker = Buffer.from(`\x1e${nonce}:`);
    this.#onText = onText;
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const start = data.indexOf(this.#marker, at);
      if (start < 0) break;
      this.#text(data.subarray(at, start));
      const end = data.indexOf(LINE_END, start);
      if (end < 0) {
        this.#rest = data.subarray(start);
        return;
      }
      this.#piece(data.subarray(start + this.#marker.length, end));
      at = end + 1;
    }
    const kept = this.#startOfMarker(data, at);
    this.#text(data.subarray(at, kept));
    this.#rest = data.subarray(kept);
  }

  /** Gives out what is left, half characters included. */
  flush(): void {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (!rest.subarray(0, this.#marker.length).equals(this.#marker)) this.#text(rest);
    const last = this.#decoder.end();
    if (last !== '') this.#onText(last);
  }

  /** Where the end of the data may be the beginning of a marker; its length if it is not. */
  #startOfMarker(data: Buffer, from: number): number {
    const start = data.lastIndexOf(FRAME_START);
    if (start < from || data.length - start >= this.#marker.length) return data.length;
    const tail = data.subarray(start);
    return tail.equals(this.#marker.subarray(0, tail.length)) ? start : data.length;
  }

  #text(data: Buffer): void {
    if (data.length === 0) return;
    const text = this.#decoder.write(data);
    if (text !== '') this.#onText(text);
  }

  #piece(piece: Buffer): void {
    const colon = piece.indexOf(':');
    const number = piece.toString('latin1', 0, colon);
    const body = piece.subarray(colon + 2);
    const before = this.#pieces.get(number);
    if (piece[colon + 1] === MORE) {
      if (before === undefined) this.#pieces.set(number, [body]);
      else before.push(body);
      return;
    }
    this.#pieces.delete(number);
    const whole = before === undefined ? body : Buffer.concat([...before, body]);
    const frame = parsed(whole.toString('utf8'));
    if (frame === undefined) return;
    if (frame.t === 'done') {
      // A frame that an interrupt tore will never be completed.
      this.#pieces.clear();
      const half = this.#decoder.end();
      if (half !== '') this.#onText(half);
    }
    this.#onFrame(frame);
  }
}

const MORE = '+'.charCodeAt(0);

/**
 * A frame that is well formed, or undefined: user code shares the driver's process and could write
 * one with its nonce. It may deceive its own user so, but must not break what is outside.
 */
function parsed(text: string): Frame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(frame) || typeof frame.t !== 'string') return undefined;
  const texts = TEXTS[frame.t];
  if (texts === undefined || !texts.every((name) => typeof frame[name] === 'string')) {
    return undefined;
  }
  if (frame.t === 'result' && !(isRecord(frame.data) && typeof frame.main === 'boolean')) {
    return undefined;
  }
  return frame as unknown as Frame;
}

/** What must be text in each kind of frame. */
const TEXTS: Readonly<Record<string, readonly string[] | undefined>> = Object.assign(
  Object.create(null) as object,
  {
    done: [],
    running: [],
    refused: ['reason'],
    stderr: ['text'],
    result: [],
    error: ['name', 'value', 'traceback'],
  },
);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
