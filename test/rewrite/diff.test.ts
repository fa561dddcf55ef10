import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { applyPlan, diffPlan, formatDiff } from '../../src/rewrite/index.ts';
import { git, tempDir, tempRepo } from '../discover/temp.ts';
import { create, edit, editOf, planOf, prepend, remove, snapshot, thrownBy } from './support.ts';

const diff = (root: string, plan: Plan) => formatDiff(diffPlan(root, plan));

const numbers = Array.from({ length: 9 }, (_, i) => `line ${i + 1}\n`).join('');

describe('diffPlan', () => {
  it('shows changed lines with three around them', () => {
    const root = tempDir({ 'src/a.ts': numbers });
    const at = numbers.indexOf('line 5');
    expect(diff(root, planOf(editOf(root, 'src/a.ts', edit(at, at + 6, 'five\nand a half'))))).toBe(
      `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -2,7 +2,8 @@
 line 2
 line 3
 line 4
-line 5
+five
+and a half
 line 6
 line 7
 line 8
`,
    );
  });

  it('shows created and deleted files, and a last line without an end', () => {
    const root = tempDir({ 'gone.sh': 'bye', 'a.ts': 'a\nb' });
    chmodSync(join(root, 'gone.sh'), 0o755);
    const plan = planOf(
      editOf(root, 'a.ts', edit(2, 3, 'c')),
      create('new.ts', 'x\n'),
      remove(root, 'gone.sh'),
    );
    expect(diff(root, plan)).toBe(`diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1,2 +1,2 @@
 a
-b
\\ No newline at end of file
+c
\\ No newline at end of file
diff --git a/new.ts b/new.ts
new file mode 100644
--- /dev/null
+++ b/new.ts
@@ -0,0 +1,1 @@
+x
diff --git a/gone.sh b/gone.sh
deleted file mode 100755
--- a/gone.sh
+++ /dev/null
@@ -1,1 +0,0 @@
-bye
\\ No newline at end of file
`);
  });

  it('says of every line what it is, and counts', () => {
    const root = tempDir({ 'a.ts': '-- old\n@@ kept\n' });
    expect(diffPlan(root, planOf(editOf(root, 'a.ts', edit(0, 6, '++ new'))))).toEqual([
      {
        file: 'a.ts',
        kind: 'edit',
        added: 1,
        removed: 1,
        lines: [
          { kind: 'header', text: 'diff --git a/a.ts b/a.ts' },
          { kind: 'header', text: '--- a/a.ts' },
          { kind: 'header', text: '+++ b/a.ts' },
          { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
          { kind: 'removed', text: '--- old' },
          { kind: 'added', text: '+++ new' },
          { kind: 'context', text: ' @@ kept' },
        ],
      },
    ]);
  });

  it('does not show the lines of a Windows file that stay', () => {
    const root = tempDir({ 'a.ts': `\ufeff${numbers.replaceAll('\n', '\r\n')}` });
    const [shown] = diffPlan(root, planOf(prepend(root, 'a.ts', 'first\n')));
    expect(shown).toMatchObject({ added: 2, removed: 1 });
    const [second] = diffPlan(root, planOf(editOf(root, 'a.ts', edit(8, 8, 'next\n'))));
    expect(second).toMatchObject({ added: 1, removed: 0 });
  });

  it('leaves out files that stay as they are', () => {
    const root = tempDir({ 'a.ts': 'a\n' });
    expect(diffPlan(root, planOf(editOf(root, 'a.ts', edit(0, 1, 'a'))))).toEqual([]);
    expect(diff(root, planOf())).toBe('');
  });

  it('refuses a plan that does not fit any more', () => {
    const root = tempDir({ 'a.ts': 'a\n' });
    const plan = planOf(prepend(root, 'a.ts', '// '));
    writeFileSync(join(root, 'a.ts'), 'b\n');
    expect(thrownBy(() => diff(root, plan))).toMatchObject({ code: 'stale', files: ['a.ts'] });
  });

  it('is understood by git, which then does the same as applying', () => {
    const files = {
      'crlf.ts': 'one\r\ntwo\r\nthree',
      'mixed.ts': '\ufeffone\r\ntwo\nthree\r\n',
      'no end.ts': 'no end',
      'ü "quoted"\\.ts': 'name\n',
      'tab\there.ts': 'name\n',
      'old/run.sh': '#!/bin/sh\n',
      'empty.ts': '',
      'emptied.ts': 'x\n',
    };
    const root = tempRepo(files);
    const plan = planOf(
      editOf(root, 'crlf.ts', edit(5, 8, 'deux\nzwei'), edit(15, 15, '\n')),
      editOf(root, 'mixed.ts', edit(0, 3, '1')),
      editOf(root, 'no end.ts', edit(6, 6, ' now\n')),
      prepend(root, 'ü "quoted"\\.ts', '😀\n'),
      prepend(root, 'tab\there.ts', '// '),
      remove(root, 'old/run.sh'),
      prepend(root, 'empty.ts', 'not any more'),
      editOf(root, 'emptied.ts', edit(0, 2, '')),
      create('new/a b.ts', 'created\r\nwithout end'),
      create('new/empty.ts', ''),
    );
    const patch = join(tempDir(), 'patch');
    writeFileSync(patch, diff(root, plan));
    applyPlan(root, plan);
    const applied = snapshot(root);
    git(root, 'stash', '-q', '-u');
    git(root, 'apply', '--whitespace=nowarn', patch);
    const { 'old/': _, ...expected } = applied;
    const { 'old/': _folder, ...patched } = snapshot(root);
    expect(patched).toEqual(expected);
  });

  it('copes with long files', () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('');
    const root = tempDir({ 'gone.ts': long, 'a.ts': long });
    const plan = planOf(
      remove(root, 'gone.ts'),
      create('new.ts', long),
      editOf(root, 'a.ts', edit(0, 0, 'x\n'), edit(long.length, long.length, 'y\n')),
    );
    const counts = diffPlan(root, plan).map(({ added, removed }) => [added, removed]);
    expect(counts).toEqual([
      [0, 20_000],
      [20_000, 0],
      [2, 0],
    ]);
  });
});
