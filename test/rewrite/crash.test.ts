import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPlan, recover, undo } from '../../src/rewrite/index.ts';
import { addFiles } from '../discover/temp.ts';
import { crashAt, failAt } from './faulty-fs.ts';
import { create, edit, editOf, fastDir, planOf, prepend, remove, snapshot } from './support.ts';

/** A folder in which a plan can be tried again and again. */
function arena() {
  const root = fastDir();
  const reset = () => {
    rmSync(root, { recursive: true });
    addFiles(root, { 'src/a.ts': 'a\n'.repeat(50), 'src/run.ts': 'run\r\n', 'old/gone.ts': 'bye' });
    chmodSync(join(root, 'src/run.ts'), 0o750);
  };
  reset();
  const before = snapshot(root);
  const plan = planOf(
    editOf(root, 'src/a.ts', edit(2, 4, 'b\n')),
    prepend(root, 'src/run.ts', '// first\n'),
    create('new/deep/c.ts', 'created\n'),
    remove(root, 'old/gone.ts'),
  );
  applyPlan(root, plan);
  const after = snapshot(root);
  reset();
  return { root, plan, before, after, reset };
}

/** Of a process that is gone, the lock is nobody's. */
function forgetLock(root: string): void {
  rmSync(join(root, '.cubeshift/lock'), { recursive: true, force: true });
}

type Arena = ReturnType<typeof arena>;

/** Fully before or fully after, whatever was left of temporary files and folders is gone. */
function expectWhole({ root, before, after }: Arena): void {
  expect(recover(root)).toBeUndefined();
  const now = snapshot(root);
  expect([before, after]).toContainEqual(now);
  if (now['src/a.ts'] === before['src/a.ts']) return;
  undo(root);
  expect(snapshot(root)).toEqual(before);
}

/** Runs something for the first call, the second … until there are no more. Says how many there were. */
function atEveryCall(run: (at: number) => { reached: boolean }): number {
  let at = 0;
  while (run(at).reached) at++;
  return at;
}

describe('a process that ends at any of its calls', () => {
  it('has applied all or nothing', () => {
    const place = arena();
    const seen = new Set<string | undefined>();
    const calls = atEveryCall((at) => {
      place.reset();
      const run = crashAt(at, () => applyPlan(place.root, place.plan));
      forgetLock(place.root);
      const recovery = recover(place.root);
      if (run.reached) seen.add(recovery?.outcome);
      expectWhole(place);
      return run;
    });
    expect(calls).toBeGreaterThan(40);
    expect(seen).toEqual(new Set([undefined, 'rolled-back', 'completed']));
  });

  it('has undone all or nothing', () => {
    const place = arena();
    const seen = new Set<string | undefined>();
    const calls = atEveryCall((at) => {
      place.reset();
      applyPlan(place.root, place.plan);
      const run = crashAt(at, () => undo(place.root));
      forgetLock(place.root);
      const recovery = recover(place.root);
      if (run.reached) seen.add(recovery?.outcome);
      expectWhole(place);
      return run;
    });
    expect(calls).toBeGreaterThan(30);
    expect(seen).toEqual(new Set([undefined, 'rolled-back', 'completed']));
  });

  it('may end again while it recovers', () => {
    const place = arena();
    atEveryCall((outer) => {
      let run = { reached: false };
      atEveryCall((inner) => {
        place.reset();
        // Not every pair, which are thousands: each call comes up with some of the other's.
        run = crashAt(outer * 5, () => applyPlan(place.root, place.plan));
        forgetLock(place.root);
        const again = crashAt(inner * 4 + (outer % 4), () => recover(place.root));
        forgetLock(place.root);
        recover(place.root);
        expect([place.before, place.after]).toContainEqual(snapshot(place.root));
        expect(recover(place.root)).toBeUndefined();
        return again;
      });
      return run;
    });
  });
});

describe('a call that the system refuses', () => {
  it.each(['apply', 'undo'] as const)('never leaves %s half-done for good', (what) => {
    const place = arena();
    const { root, plan, before, after } = place;
    const seen = new Set<string>();
    atEveryCall((at) => {
      place.reset();
      if (what === 'undo') applyPlan(root, plan);
      const start = snapshot(root);
      const run = failAt(at, 'ENOSPC', () =>
        what === 'apply' ? applyPlan(root, plan) : undo(root),
      );
      const { code, message } = (run.error ?? {}) as { code?: string; message?: string };
      seen.add(code ?? 'done');
      if (code === 'system') {
        expect(message).toMatch(
          /^Cannot (?:read|write) \S+: it was injected \(ENOSPC\)\. Nothing was changed\./,
        );
        expect(snapshot(root)).toEqual(start);
        expect(recover(root)).toBeUndefined();
      } else if (code === 'interrupted') {
        expect(message).toMatch(
          /^Stopped half-way at \S+: it was injected \(ENOSPC\)\. Put that right/,
        );
        recover(root);
      } else if (code !== undefined) throw run.error;
      expect([before, after].map(filesOf)).toContainEqual(filesOf(snapshot(root)));
      return run;
    });
    expect(seen).toEqual(new Set(['system', 'interrupted', 'done']));
  });
});

/** Without folders: one that the system does not let go stays. */
function filesOf(found: Record<string, string>): [string, string][] {
  return Object.entries(found).filter(([name]) => !name.endsWith('/'));
}

/** How far the plans are that are on record. */
function states(root: string): string[] {
  const records = join(root, '.cubeshift/journal');
  return readdirSync(records)
    .map((id) => join(records, id, 'entry.json'))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')).state);
}

describe('recovery', () => {
  /** The call at which one file is in place and another is not. */
  let half = 0;

  /** Leaves a plan half-way. */
  function halfDone({ root, plan, after, reset }: Arena): void {
    for (; ; half++) {
      reset();
      crashAt(half, () => applyPlan(root, plan));
      forgetLock(root);
      if (snapshot(root)['src/a.ts'] === after['src/a.ts']) return;
    }
  }

  it('never takes the work of somebody who went on meanwhile', () => {
    const place = arena();
    const { root } = place;
    halfDone(place);
    writeFileSync(join(root, 'src/run.ts'), 'my work');
    expect(recover(root)).toEqual({
      direction: 'apply',
      outcome: 'completed',
      files: ['src/a.ts', 'src/run.ts', 'new/deep/c.ts', 'old/gone.ts'],
      kept: ['src/run.ts'],
    });
    expect(snapshot(root)).toEqual({ ...place.after, 'src/run.ts': '750 my work' });
    // The rest can be undone all the same.
    undo(root);
    expect(snapshot(root)).toEqual({ ...place.before, 'src/run.ts': '750 my work' });
  });

  it('is all of an undo whose plan, or whose undo, was cut short', () => {
    const { root, plan, before } = arena();
    applyPlan(root, planOf(create('first.ts', '')));
    const first = { 'first.ts': snapshot(root)['first.ts'] };
    const crashIn = (state: string, action: () => unknown) => {
      for (let at = 0; !states(root).includes(state); at++) {
        crashAt(at, action);
        forgetLock(root);
      }
    };
    crashIn('preparing', () => applyPlan(root, plan));
    expect(undo(root)).toMatchObject({
      files: [],
      recovery: { direction: 'apply', outcome: 'rolled-back' },
    });
    expect(snapshot(root)).toEqual({ ...before, ...first });

    applyPlan(root, plan);
    crashIn('undo-committing', () => undo(root));
    expect(undo(root)).toMatchObject({
      files: ['src/a.ts', 'src/run.ts', 'new/deep/c.ts', 'old/gone.ts'],
      recovery: { direction: 'undo', outcome: 'completed' },
    });
    expect(snapshot(root)).toEqual({ ...before, ...first });
    undo(root);
    expect(snapshot(root)).toEqual(before);
  });

  it('comes before the next plan is applied or undone, which says so', () => {
    const place = arena();
    halfDone(place);
    const completed = { direction: 'apply', outcome: 'completed', kept: [] };
    const next = planOf(create('next.ts', 'next\n'));
    expect(applyPlan(place.root, next)).toMatchObject({ files: ['next.ts'], recovery: completed });
    expect(existsSync(join(place.root, 'new/deep/c.ts'))).toBe(true);
    undo(place.root);
    undo(place.root);
    expect(snapshot(place.root)).toEqual(place.before);
    halfDone(place);
    expect(undo(place.root)).toMatchObject({ recovery: completed });
    expect(snapshot(place.root)).toEqual(place.before);
  });
});
