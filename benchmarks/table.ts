/** Lines under a title. */
export function section(title: string, lines: readonly string[]): string {
  return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** Lays out rows under a head: words to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const whole = rows.filter((row) => row.length === head.length);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...whole.map((row) => row[column]?.length ?? 0)),
  );
  const numeric = head.map((_, column) => whole.every((row) => /^[<\d-]/.test(row[column] ?? '')));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return numeric[column] ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)];
}
