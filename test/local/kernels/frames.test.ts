import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, FrameReader } from '../../../src/local/kernels/frames.ts';

const NONCE = 'abc123';

function read(chunks: Buffer[]): (string | Frame)[] {
  const seen: (string | Frame)[] = [];
  const reader = new FrameReader(
    NONCE,
    (text) => {
      const last = seen.at(-1);
      if (typeof last === 'string') seen[seen.length - 1] = last + text;
      else seen.push(text);
    },
    (frame) => seen.push(frame),
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.flush();
  return seen;
}

const piece = (number: number, more: boolean, body: string): string =>
  `\x1e${NONCE}:${number}:${more ? '+' : '.'}${body}\n`;

describe('FrameReader', () => {
  it('puts pieces together, with output and other frames between them', () => {
    const frame = JSON.stringify({ t: 'stderr', text: 'whole' });
    const data = `a${piece(0, true, frame.slice(0, 9))}b${piece(1, false, '{"t":"done"}')}`;
    const torn = Buffer.from(
      data + piece(2, true, frame.slice(0, 9)) + piece(2, false, frame.slice(9)),
    );
    expect(read([torn])).toEqual(['ab', { t: 'done' }, { t: 'stderr', text: 'whole' }]);
  });

  it('forgets what an interrupt tore', () => {
    const data = piece(0, true, '{"t":') + piece(1, false, '{"t":"done"}');
    expect(read([Buffer.from(data)])).toEqual([{ t: 'done' }]);
  });

  it.each([
    '',
    'no JSON',
    'null',
    '[]',
    '{}',
    '{"t":"unknown"}',
    '{"t":"toString"}',
    '{"t":"stderr","text":1}',
    '{"t":"error","name":"n"}',
    '{"t":"result","data":null,"main":true}',
    '{"t":"result","data":[],"main":true}',
    '{"t":"result","data":{}}',
  ])('ignores what no driver says: %s', (body) => {
    const data = `a${piece(0, false, body)}b\x1e${NONCE}:\nc\x1e${NONCE}:1\nd`;
    expect(read([Buffer.from(data)])).toEqual(['abcd']);
  });

  it('reads the same however the bytes arrive', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\x1e', `\x1e${NONCE}`, '\x1eabc', '\n', `\x1e${NONCE.slice(0, 3)}:`),
    );
    const frame = fc.string().map((value): Frame => ({ t: 'stderr', text: value }));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, frame)),
        fc.integer({ min: 1, max: 9 }),
        (parts, size) => {
          const data = Buffer.from(
            parts
              .map(([before, one], at) => before + piece(at, false, JSON.stringify(one)))
              .join(''),
          );
          const chunks: Buffer[] = [];
          for (let at = 0; at < data.length; at += size) chunks.push(data.subarray(at, at + size));
          expect(read(chunks)).toEqual(read([data]));
          expect(read([data]).filter((one) => typeof one !== 'string')).toEqual(
            parts.map(([, one]) => one),
          );
        },
      ),
    );
  });
});
