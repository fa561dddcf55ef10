import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importSpecifiers } from '../../src/discover/imports.ts';

describe('importSpecifiers', () => {
  it.each([
    [`import a from 'x'`, ['x']],
    [`import'side'`, ['side']],
    [`import type { A } from "./a.js"`, ['./a.js']],
    [`import {\n  a,\n  b,\n} from\n  './multi'`, ['./multi']],
    [`export * from './e'; export { a } from"./f"`, ['./e', './f']],
    [`const m = await import('./dyn')`, ['./dyn']],
    ['await import(`./tpl`)', ['./tpl']],
    [`import(/* webpackChunkName: "c" */ './chunk')`, ['./chunk']],
    [`import( // why\n './line')`, ['./line']],
    [`import x = require('./eq')`, ['./eq']],
    [`let s: import("@daytonaio/sdk").Sandbox`, ['@daytonaio/sdk']],
    [`const { a } = require ( './c' )`, ['./c']],
    [`import a from 'x'; import b from 'x'`, ['x']],
    [`import data from './d.json' with { type: 'json' }`, ['./d.json']],
  ])('%s', (text, expected) => {
    expect(importSpecifiers(text)).toEqual(expected);
  });

  it.each([
    `Array.from('abc')`,
    ['import(`./$', '{name}`)'].join(''),
    `obj.import('x')`,
    `const from = 'x'`,
    `myrequire('x')`,
    `select('from', 'x')`,
    `require(name)`,
  ])('nothing in %s', (text) => {
    expect(importSpecifiers(text)).toEqual([]);
  });

  it('never throws and only returns what the text contains', () => {
    const piece = fc.constantFrom(
      ...['import', 'from', 'require', '(', ')', "'", '"', '`', '/*', '*/', '//', '\n', ' ', 'a/b'],
    );
    const text = fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }).map((p) => p.join(''));
    fc.assert(
      fc.property(text, (source) => {
        for (const specifier of importSpecifiers(source)) {
          expect(specifier).not.toBe('');
          expect(source).toContain(specifier);
        }
      }),
    );
  });
});
