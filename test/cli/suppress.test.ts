import { describe, expect, test } from 'vitest';
import { applySuppressions } from '../../src/scan/suppress.ts';
import { finding } from '../report/sample-report.ts';

/** Applies the comments of a text to a DT401 finding on each line that says CALL. */
function apply(text: string) {
  const lines = text.split('\n');
  const findings = lines.flatMap((line, index) =>
    line.includes('CALL')
      ? [finding({ id: String(index).padStart(16, '0'), file: 'a', line: index + 1 })]
      : [],
  );
  const { kept, summary } = applySuppressions(findings, () => text, ['a']);
  const unused = summary.unused.map(({ line, rule }) => `${line} ${rule}`);
  return { kept: kept.map(({ line }) => line), used: summary.used, unused };
}

describe('comments that hide findings', () => {
  test.each([
    ['CALL // cubeshift-ignore DT401 reason'],
    ['CALL # cubeshift-ignore DT401'],
    ['CALL /* cubeshift-ignore DT401 */'],
    ['/* cubeshift-ignore DT401 */ CALL'],
    ['CALL <!-- cubeshift-ignore DT401 -->'],
    ['// cubeshift-ignore exec-command reason\nCALL'],
    ['  {/* cubeshift-ignore DT401 reason */}\n<CALL/>'],
    ['# cubeshift-ignore DT401, DT401\nCALL'],
    ['// cubeshift-ignore DT401\n// cubeshift-ignore DT401\nCALL'],
    ['// cubeshift-ignore *\nCALL'],
    ['// cubeshift-ignore\nCALL'],
    ['// cubeshift-ignore DT401\r\nCALL'],
    ['CALL\n\n\n# cubeshift-ignore-file DT401 generated'],
    ['/**\n * cubeshift-ignore-file DT401\n */\nCALL\nCALL'],
  ])('%j', (text) => {
    expect(apply(text)).toMatchObject({ kept: [], unused: [] });
  });

  test.each([
    ['CALL // cubeshift-ignore DT402', 1, ['1 DT402']],
    ['CALL // cubeshift-ignore DT4O1 typo', 1, ['1 DT4O1']],
    ['CALL // cubeshift-ignore because I say so', 1, ['1 because']],
    ['// cubeshift-ignore DT401\n\nCALL', 3, ['1 DT401']],
    ['x(); // cubeshift-ignore DT401\nCALL', 2, ['1 DT401']],
    ['/* cubeshift-ignore DT401 */ x();\nCALL', 2, ['1 DT401']],
    ['const text = "cubeshift-ignore DT401"; CALL', 1, []],
  ])('%j hides nothing', (text, line, unused) => {
    expect(apply(text)).toEqual({ kept: [line], used: 0, unused });
  });

  test('each rule of a comment is judged by itself', () => {
    expect(apply('CALL // cubeshift-ignore DT401, DT402 both')).toEqual({
      kept: [],
      used: 1,
      unused: ['1 DT402'],
    });
  });

  test('a comment in a file without findings is unused', () => {
    expect(apply('// cubeshift-ignore DT401').unused).toEqual(['1 DT401']);
  });
});
