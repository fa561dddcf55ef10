import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edit } from '../../src/model/plan.ts';
import { applyPlan, renderEdits, selectEdits, undo } from '../../src/rewrite/index.ts';
import { addFiles } from '../discover/temp.ts';
import { edit, editOf, fastDir, planOf, snapshot, thrownBy } from './support.ts';

const render = (text: string, ...edits: Edit[]) =>
  renderEdits('a.ts', Buffer.from(text), edits).toString('utf8');

describe('renderEdits', () => {
  it('replaces, inserts and removes, in whatever order edits are given', () => {
    expect(render('abcdef', edit(4, 6, ''), edit(0, 1, 'A'), edit(2, 2, '-'))).toBe('Ab-cd');
    expect(render('', edit(0, 0, 'x'))).toBe('x');
    expect(render('abc')).toBe('abc');
  });

  it('puts insertions at one point in their order, before what is replaced there', () => {
    const edits = [edit(1, 2, 'B'), edit(1, 1, '1'), edit(1, 1, '2'), edit(2, 2, '3')];
    expect(render('abc', ...edits)).toBe('a12B3c');
  });

  it('takes the line ending of most lines', () => {
    const insert = edit(0, 0, 'x\ny\n');
    expect(render('a\r\nb\r\n', insert)).toBe('x\r\ny\r\na\r\nb\r\n');
    expect(render('a\nb\r\nc\n', insert)).toBe('x\ny\na\nb\r\nc\n');
    expect(render('a', insert)).toBe('x\ny\na');
    // Text that a rule has taken from the file brings its line ending with it.
    expect(render('a\r\n', edit(0, 0, 'x\r\n'))).toBe('x\r\na\r\n');
  });

  it('does not count the byte order mark, and keeps it', () => {
    expect(render('\ufeffab', edit(0, 1, 'A'))).toBe('\ufeffAb');
    expect(render('\ufeff', edit(0, 0, 'A'))).toBe('\ufeffA');
  });

  it('refuses what is not UTF-8', () => {
    for (const bytes of ['ff', 'fffe6100', 'c3']) {
      const said = thrownBy(() => renderEdits('a.ts', Buffer.from(bytes, 'hex'), []));
      expect(said).toMatchObject({ code: 'refused', files: ['a.ts'] });
    }
  });

  it('names the edit that does not fit', () => {
    const messages = [
      [edit(1, 4, '')],
      [edit(-1, 1, '')],
      [edit(2, 1, '')],
      [edit(Number.NaN, 1, '')],
      [edit(0, 2, ''), edit(1, 3, '', 'DT202')],
      [edit(0, 0, '\ud83d')],
    ].map((edits) => String(thrownBy(() => render('abc', ...edits))));
    expect(messages).toEqual([
      'RewriteError: a.ts: the edit of DT101 at 1-4 is out of range: the text has 3 characters. Make the plan anew.',
      'RewriteError: a.ts: the edit of DT101 at -1-1 is out of range: the text has 3 characters. Make the plan anew.',
      'RewriteError: a.ts: the edit of DT101 at 2-1 is out of range: the text has 3 characters. Make the plan anew.',
      'RewriteError: a.ts: the edit of DT101 at NaN-1 is out of range: the text has 3 characters. Make the plan anew.',
      'RewriteError: a.ts: the edit of DT202 at 1-3 overlaps another. Make the plan anew.',
      'RewriteError: a.ts: the edit of DT101 at 0-0 inserts half of a character. Make the plan anew.',
    ]);
    expect(String(thrownBy(() => render('😀', edit(1, 2, ''))))).toContain(
      'cuts a character in two',
    );
    expect(render('😀é', edit(0, 2, '🎉'))).toBe('🎉é');
  });
});

describe('selectEdits', () => {
  const select = (...edits: Edit[]) => selectEdits(edits.map((one) => [one]));

  it('takes the earlier of two that overlap and says what is in the way', () => {
    const first = edit(4, 8, 'x', 'DT401');
    for (const second of [edit(6, 9, 'y'), edit(0, 5, ''), edit(5, 6, ''), edit(5, 5, 'in')]) {
      expect(select(first, second)).toEqual({
        accepted: [first],
        rejected: [
          {
            edits: [second],
            edit: second,
            conflictsWith: first,
            reason: 'overlaps the edit of DT401 at 4-8, which was there first',
          },
        ],
      });
    }
  });

  it('takes what only touches, and all that is inserted at one point in its order', () => {
    const edits = [
      edit(4, 8, 'x'),
      edit(4, 4, 'b'),
      edit(0, 4, ''),
      edit(8, 8, ''),
      edit(4, 4, 'a'),
    ];
    const { accepted, rejected } = select(...edits);
    expect(rejected).toEqual([]);
    expect(accepted.map(({ text }) => text)).toEqual(['', 'b', 'a', 'x', '']);
  });

  it('makes an edit once that is asked for twice', () => {
    const one = edit(0, 0, 'import x;\n');
    expect(select(one, { ...one, rule: 'DT202' })).toEqual({ accepted: [one], rejected: [] });
  });

  it('takes edits that belong together all or none', () => {
    const shared = edit(0, 0, 'import x;\n');
    const taken = edit(10, 20, 'a');
    const inTheWay = [shared, edit(30, 31, 'b'), edit(15, 16, 'c')];
    const { accepted, rejected } = selectEdits([[taken], inTheWay, [shared, edit(30, 31, 'd')]]);
    expect(accepted).toEqual([shared, taken, edit(30, 31, 'd')]);
    expect(rejected).toMatchObject([{ edits: inTheWay, edit: inTheWay[2], conflictsWith: taken }]);
  });
});

/** Pieces of text where something could go wrong. */
const piece = fc.oneof(
  fc.constantFrom('\n', '\r\n', '\r', '\ufeff', '😀', 'é', 'const a = 1;', '\0', '\u2028', ' '),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const anyText = fc
  .tuple(fc.boolean(), fc.array(piece, { maxLength: 30 }))
  .map(([marked, pieces]) => (marked ? '\ufeff' : '') + pieces.join(''));

/** A text and edits of it, which may overlap, as several rules would ask for them. */
const anyCase = fc
  .tuple(anyText, fc.array(fc.tuple(fc.nat(), fc.nat(8), anyText), { maxLength: 12 }))
  .map(([source, picks]) => {
    const text = source.startsWith('\ufeff') ? source.slice(1) : source;
    const boundary = (at: number) => (/^[\udc00-\udfff]/.test(text.slice(at)) ? at - 1 : at);
    const edits = picks.map(([at, length, insert], index) => {
      const start = boundary(at % (text.length + 1));
      const end = Math.max(start, boundary(Math.min(text.length, start + length)));
      return edit(start, end, insert, `DT${100 + index}`);
    });
    return { source, text, edits };
  });

describe('any edits of any text', () => {
  it('leave everything outside of their spans byte for byte', () => {
    fc.assert(
      fc.property(anyCase, ({ source, text, edits }) => {
        const { accepted } = selectEdits(edits.map((one) => [one]));
        const result = render(source, ...accepted);
        // What is left of the result when each inserted text is taken off again, piece by piece.
        let rest = result;
        const take = (expected: string) => {
          expect(rest.startsWith(expected)).toBe(true);
          rest = rest.slice(expected.length);
        };
        take(source.slice(0, source.length - text.length));
        let at = 0;
        for (const { start, end, text: inserted } of accepted) {
          take(text.slice(at, start));
          const lines = inserted.split(/\r?\n/);
          const endings = ['\n', '\r\n'].filter((end) => rest.startsWith(lines.join(end)));
          expect(endings).not.toEqual([]);
          take(lines.join(endings.at(-1)));
          at = end;
        }
        take(text.slice(at));
        expect(rest).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('are accepted or rejected, each for a reason that holds', () => {
    fc.assert(
      fc.property(anyCase, ({ edits }) => {
        const { accepted, rejected } = selectEdits(edits.map((one) => [one]));
        for (const [index, one] of accepted.entries()) {
          const next = accepted[index + 1];
          if (next !== undefined) expect(next.start).toBeGreaterThanOrEqual(one.end);
        }
        for (const { edit: one, conflictsWith: other } of rejected) {
          expect(accepted).toContain(other);
          expect(edits.indexOf(other)).toBeLessThan(edits.indexOf(one));
          expect(one.start < other.end && other.start < one.end).toBe(true);
        }
        const known = [...accepted, ...rejected.flatMap((one) => one.edits)];
        const spans = ({ start, end, text }: Edit) => `${start} ${end} ${text}`;
        expect(new Set(known.map(spans))).toEqual(new Set(edits.map(spans)));
      }),
      { numRuns: 500 },
    );
  });

  it('are taken back byte for byte', () => {
    const root = fastDir();
    fc.assert(
      fc.property(fc.array(anyCase, { minLength: 1, maxLength: 3 }), (cases) => {
        const files = cases.map(({ source, edits }, index) => {
          return {
            file: `${index}.ts`,
            source,
            edits: selectEdits(edits.map((one) => [one])).accepted,
          };
        });
        addFiles(root, Object.fromEntries(files.map(({ file, source }) => [file, source])));
        const before = snapshot(root);
        const plan = planOf(...files.map(({ file, edits }) => editOf(root, file, ...edits)));
        const { files: changed } = applyPlan(root, plan);
        for (const { file, source, edits } of files) {
          expect(snapshot(root)[file]?.split(' ').slice(1).join(' ')).toBe(
            Buffer.from(render(source, ...edits)).toString('latin1'),
          );
        }
        if (changed.length > 0) undo(root);
        expect(snapshot(root)).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });
});
