import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { formatPlan, parsePlan, sha256 } from '../../src/rewrite/index.ts';
import { create, edit, planOf, thrownBy } from './support.ts';

const HASH = sha256(Buffer.from(''));

const PLAN: Plan = {
  ...planOf(
    { kind: 'edit', file: 'src/a b.ts', sha256: HASH, edits: [edit(0, 0, 'x\n'), edit(3, 5, '')] },
    create('ü/new.ts', '😀'),
    { kind: 'delete', file: 'old.ts', sha256: HASH, rule: 'DT201' },
  ),
  strategy: 'shim',
  baseCommit: '0123abc',
};

/** The plan with one value replaced; the path is like `changes.0.file`. */
function withValue(path: string, value: unknown): string {
  const data: unknown = JSON.parse(formatPlan(PLAN));
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const holder = keys.reduce((at, key) => (at as Record<string, unknown>)[key], data);
  (holder as Record<string, unknown>)[last] = value;
  return JSON.stringify(data);
}

describe('a plan file', () => {
  it('reads as it was written', () => {
    expect(parsePlan(formatPlan(PLAN), 'plan.json')).toEqual(PLAN);
    expect(parsePlan(`\ufeff${formatPlan(planOf())}`, 'plan.json')).toEqual(planOf());
  });

  it('is refused with the place and the reason', () => {
    const said = (text: string) => {
      const error = thrownBy(() => parsePlan(text, 'plan.json'));
      expect(error).toMatchObject({ name: 'RewriteError', code: 'invalid-plan' });
      const { message } = error as Error;
      expect(message).toMatch(/^Plan plan\.json .*[.?] Make the plan anew\.$/);
      return message.slice('Plan plan.json '.length, -' Make the plan anew.'.length);
    };
    const lone = JSON.stringify('\ud83d');
    expect([
      said('{'),
      said('[]'),
      said(withValue('schemaVersion', 2)),
      said(withValue('tool.name', 'other')),
      said(withValue('startegy', 'shim')),
      said(withValue('strategy', 7)),
      said(withValue('changes', {})),
      said(withValue('changes.0.kind', 'edits')),
      said(withValue('changes.0.sha256', 'abc')),
      said(withValue('changes.0.text', 'x')),
      said(withValue('changes.0.edits.1.start', 1.5)),
      said(withValue('changes.0.edits.1.end', 2)),
      said(withValue('changes.0.edits.0.end', 4)),
      said(withValue('changes.1.text', 'LONE').replace('"LONE"', lone)),
      said(withValue('changes.1.file', 'old.ts')),
    ]).toEqual([
      'is not valid JSON.',
      'cannot be used: expected an object, found [].',
      'cannot be used: schemaVersion: expected 1, which this cubeshift knows, found 2.',
      'cannot be used: tool.name: expected one of cubeshift, found "other".',
      'cannot be used: startegy: unknown key. Did you mean "strategy"?',
      'cannot be used: strategy: expected a non-empty string, found 7.',
      'cannot be used: changes: expected an array, found {}.',
      'cannot be used: changes[0].kind: expected one of edit, create, delete, found "edits". Did you mean "edit"?',
      'cannot be used: changes[0].sha256 (src/a b.ts): expected a SHA-256 of 64 hex digits, found "abc".',
      'cannot be used: changes[0].text (src/a b.ts): unknown key.',
      'cannot be used: changes[0].edits[1].start (src/a b.ts): expected a whole number from 0 on, found 1.5.',
      'cannot be used: changes[0].edits[1] (src/a b.ts): it ends before it starts.',
      'cannot be used: changes[0].edits[1] (src/a b.ts): it overlaps another edit.',
      'cannot be used: changes[1].text (ü/new.ts): it has half of a character.',
      'cannot be used: changes: old.ts has two entries.',
    ]);
  });

  it.each([
    ['/etc/hosts', 'is absolute, not relative to the root'],
    ['../a.ts', 'leaves the root'],
    ['src/../../a.ts', 'leaves the root'],
    ['./a.ts', 'is not a plain relative path'],
    ['src//a.ts', 'is not a plain relative path'],
    ['src/', 'is not a plain relative path'],
    ['', 'is not a plain relative path'],
    ['a\0.ts', 'is not a plain relative path'],
    ['.git/config', 'is in .git, which is never written to'],
    ['sub/.Git/config', 'is in .Git, which is never written to'],
    ['.cubeshift/journal/x', 'is in .cubeshift, which is never written to'],
  ])('has no path like %j', (file, problem) => {
    const error = thrownBy(() => parsePlan(withValue('changes.0.file', file), 'plan.json'));
    expect(error).toMatchObject({
      code: 'invalid-plan',
      message: expect.stringContaining(`: ${JSON.stringify(file)} ${problem}.`),
    });
  });
});
