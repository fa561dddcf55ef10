import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonc } from '../../src/discover/jsonc.ts';
import { jsonStrings } from '../../src/jsonc.ts';

describe('parseJsonc', () => {
  it.each([
    ['{"a": 1,}', { a: 1 }],
    ['[1, 2, // x\n]', [1, 2]],
    ['/* a */ {"url": "http://x/*not*/", "b": "a,]"}', { url: 'http://x/*not*/', b: 'a,]' }],
    ['\ufeff{}', {}],
    ['{"q": "\\"// no\\""}', { q: '"// no"' }],
    ['{', undefined],
    ['', undefined],
  ])('%s', (text, expected) => {
    expect(parseJsonc(text)).toEqual(expected);
  });
});

describe('jsonStrings', () => {
  it('tells keys from values and knows their paths and offsets', () => {
    const text = '{ "a": ["x", { "b": "y" }], // "no"\n "c": 1, "d": "z" }';
    const found = [...jsonStrings(text)];
    expect(found.map((s) => [s.path.join('.'), s.text, s.isKey])).toEqual([
      ['', 'a', true],
      ['a.0', 'x', false],
      ['a.1', 'b', true],
      ['a.1.b', 'y', false],
      ['', 'c', true],
      ['', 'd', true],
      ['d', 'z', false],
    ]);
    for (const string of found) expect(text.slice(string.start, string.end)).toBe(string.text);
  });

  it('finds in valid JSON every string that is there, in order', () => {
    const strings = (value: unknown): string[] => {
      if (typeof value === 'string') return [value];
      if (Array.isArray(value)) return value.flatMap(strings);
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([key, inner]) => [key, ...strings(inner)]);
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const raw = [...jsonStrings(text)].map((s) => JSON.parse(`"${s.text}"`) as string);
        expect(raw).toEqual(strings(JSON.parse(text)));
      }),
    );
  });

  it('never throws', () => {
    const unit = fc.constantFrom(...'{}[],:"\\/* \na');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        for (const s of jsonStrings(text)) expect(text.slice(s.start, s.end)).toBe(s.text);
      }),
    );
  });
});
