/**
 * Breaks text at spaces to fit `width`, each line after `indent`. A word longer than the width
 * stands on a line of its own, uncut: paths and URLs must stay copyable.
 */
export function wrap(text: string, width: number, indent = ''): string[] {
  const room = Math.max(20, width - indent.length);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (word === '') continue;
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  if (line !== '') lines.push(indent + line);
  return lines;
}

/** Cuts text to `width` with an ellipsis. */
export function truncate(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Control characters, and marks that change the direction of text around them. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes text from scanned code safe to print: it could otherwise move the cursor, recolour the
 * terminal or show something else than it holds.
 */
export function printable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(UNPRINTABLE, (char) => {
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Rows as columns two spaces apart; numbers (by `right`) flush right. */
export function columns(rows: readonly (readonly string[])[], right: readonly number[] = []) {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => {
        const width = widths[i] ?? 0;
        return right.includes(i) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
