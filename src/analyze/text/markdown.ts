import type { Span } from '../../model/finding.ts';

const FENCE = /^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/;

/** The contents of a document's fenced code blocks, in order; an open one ends with the text. */
export function fencedBlocks(text: string): Span[] {
  const blocks: Span[] = [];
  let open: { fence: string; start: number } | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    const fence = FENCE.exec(text.slice(start, next))?.[1];
    if (fence !== undefined) {
      if (open === undefined) open = { fence, start: next };
      else if (fence.startsWith(open.fence)) {
        blocks.push({ start: open.start, end: start });
        open = undefined;
      }
    }
    start = next;
  }
  if (open !== undefined) blocks.push({ start: open.start, end: text.length });
  return blocks;
}
