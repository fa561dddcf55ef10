import { isUtf8 } from 'node:buffer';

const BYTE_ORDER_MARK = '\ufeff';

/** The text of a file, and what is kept of the file apart from it. */
export interface Decoded {
  /** Without byte order mark. */
  text: string;
  /** The byte order mark, or nothing. */
  mark: string;
}

/** Decodes a file; undefined when it is not valid UTF-8, so that no byte is ever lost. */
export function decode(bytes: Buffer): Decoded | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK)
    ? { text: text.slice(1), mark: BYTE_ORDER_MARK }
    : { text, mark: '' };
}

/** The line ending most lines of a text have; "\n" where there is none, or as many of both. */
export function lineEnding(text: string): '\n' | '\r\n' {
  let windows = 0;
  let unix = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') windows++;
    else unix++;
  }
  return windows > unix ? '\r\n' : '\n';
}

/** True where a text has half of a character, which UTF-8 cannot hold. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

/** True when an offset lies between the two halves of one character. */
export function splitsCharacter(text: string, offset: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));
}
