import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { SkipReason } from '../model/report.ts';

/** Files above this size are searched for the needle but not loaded. */
export const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** `latin1` stands for "not valid UTF-8": one character per byte, so nothing is lost on the way back. */
export type Encoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1';

export interface TextFile {
  kind: 'text';
  /** Without byte order mark. */
  text: string;
  encoding: Encoding;
  /** True when the bytes were not valid in their encoding; such a file is never rewritten. */
  lossy: boolean;
  /** Whether the file names Daytona. */
  needle: boolean;
}

export interface SkippedSource {
  kind: 'skip';
  reason: SkipReason;
  /** True when the skip may hide a coupling. */
  incomplete: boolean;
  detail?: string;
}

/** `none`: the file does not name Daytona and its text was not asked for. */
export type ReadResult = TextFile | { kind: 'none' } | SkippedSource;

export interface ReadOptions {
  /** The text is needed without the needle too, e.g. for its imports. */
  wantText?: boolean;
}

/** `daytona`, `Daytona` and `DAYTONA` all contain one of these. */
const WORDS = ['aytona', 'AYTONA'] as const;

type ByteOrder = 'utf8' | 'utf16le' | 'utf16be';

const NEEDLES: Readonly<Record<ByteOrder, readonly Buffer[]>> = {
  utf8: WORDS.map((word) => Buffer.from(word)),
  utf16le: WORDS.map((word) => Buffer.from(word, 'utf16le')),
  utf16be: WORDS.map((word) => Buffer.from(word, 'utf16le').swap16()),
};

/** Kept from one chunk to the next, so that a needle on the border is found. */
const OVERLAP = WORDS[0].length * 2;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Where a NUL byte is looked for, as git does. */
const BINARY_PREFIX = 8192;

const CODE_FILE = /\.(?:[cm]?[jt]sx?|pyi?|ipynb|vue|svelte|astro)$/i;

// Never through a link, and never waiting for the other end of a pipe. Both are 0 on Windows.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Grown once to the largest file seen and reused: an allocation per file costs more than the read. */
let buffer = Buffer.allocUnsafeSlow(256 * 1024);

const NONE: ReadResult = { kind: 'none' };

/**
 * Reads one source file, cheaply saying `none` when its bytes do not name Daytona.
 * Synchronous on purpose: for many small files it is several times faster than promises.
 */
export function readSource(
  path: string,
  maxBytes: number = DEFAULT_MAX_BYTES,
  options: ReadOptions = {},
): ReadResult {
  let fd: number;
  try {
    fd = openSync(path, OPEN_FLAGS);
  } catch (error) {
    return failure(error);
  }
  try {
    const length = fill(fd, maxBytes);
    if (length > maxBytes) return searchLargeFile(path, fd, length);
    return interpret(path, buffer.subarray(0, length), options.wantText === true);
  } catch (error) {
    return failure(error);
  } finally {
    closeSync(fd);
  }
}

/** Reads the whole file, or one byte more than `maxBytes` of it, into the shared buffer. */
function fill(fd: number, maxBytes: number): number {
  let length = 0;
  for (;;) {
    const room = Math.min(buffer.length, maxBytes + 1) - length;
    const count = readSync(fd, buffer, length, room, null);
    length += count;
    // A regular file answers with less than asked only at its end, so most files take one read.
    if (count < room || length > maxBytes) return length;
    const size = Math.max(fstatSync(fd).size + 1, buffer.length * 2);
    const larger = Buffer.allocUnsafeSlow(Math.min(size, maxBytes + 1));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

function interpret(path: string, bytes: Buffer, wantText: boolean): ReadResult {
  const order = byteOrder(bytes);
  const needle = hasNeedle(bytes, order);
  if (!needle && !wantText) return NONE;
  if (order !== 'utf8') {
    const text = decodeUtf16(bytes.subarray(2), order);
    return { kind: 'text', text, encoding: order, lossy: LONE_SURROGATE.test(text), needle };
  }
  // A NUL in source code is legal and names Daytona none the less; elsewhere it means binary.
  const isText = CODE_FILE.test(path) && isUtf8(bytes);
  if (!isText && isBinary(bytes)) return needle ? skip('binary', false) : NONE;
  if (!isUtf8(bytes)) {
    return {
      kind: 'text',
      text: bytes.toString('latin1'),
      encoding: 'latin1',
      lossy: true,
      needle,
    };
  }
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString('utf8', marked ? 3 : 0);
  return { kind: 'text', text, encoding: marked ? 'utf8-bom' : 'utf8', lossy: false, needle };
}

/** Searches a file that is too large to load, starting with what the shared buffer holds of it. */
function searchLargeFile(path: string, fd: number, loaded: number): ReadResult {
  const head = buffer.subarray(0, loaded);
  const order = byteOrder(head);
  const binary = order === 'utf8' && isBinary(head);
  let found = hasNeedle(head, order);
  let length = loaded;
  while (!found) {
    const kept = Math.min(OVERLAP, length);
    buffer.copyWithin(0, length - kept, length);
    const count = readSync(fd, buffer, kept, buffer.length - kept, null);
    if (count === 0) return NONE;
    length = kept + count;
    found = hasNeedle(buffer.subarray(0, length), order);
  }
  if (binary) return skip('binary', false);
  const mebibytes = (fstatSync(fd).size / 1024 / 1024).toFixed(1);
  return skip('too-large', CODE_FILE.test(path), `names Daytona, ${mebibytes} MiB`);
}

function byteOrder(bytes: Buffer): ByteOrder {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    // FF FE 00 00 is UTF-32, which is treated as what it looks like: binary.
    return bytes[2] === 0 && bytes[3] === 0 ? 'utf8' : 'utf16le';
  }
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf16be' : 'utf8';
}

function hasNeedle(bytes: Buffer, order: ByteOrder): boolean {
  return NEEDLES[order].some((needle) => bytes.includes(needle));
}

function isBinary(bytes: Buffer): boolean {
  const nul = bytes.indexOf(0);
  return nul >= 0 && nul < BINARY_PREFIX;
}

function decodeUtf16(bytes: Buffer, order: 'utf16le' | 'utf16be'): string {
  const whole = bytes.subarray(0, bytes.length & ~1);
  return (order === 'utf16le' ? whole : whole.swap16()).toString('utf16le');
}

function skip(reason: SkipReason, incomplete: boolean, detail?: string): SkippedSource {
  return detail === undefined
    ? { kind: 'skip', reason, incomplete }
    : { kind: 'skip', reason, incomplete, detail };
}

function failure(error: unknown): SkippedSource {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return skip('vanished', false);
  // Linux and macOS answer ELOOP to O_NOFOLLOW on a link, FreeBSD EMLINK.
  if (code === 'ELOOP' || code === 'EMLINK') return skip('symlink', false);
  return skip('unreadable', true, code);
}
