import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { checkCommitted } from '../../src/rewrite/index.ts';
import { addFiles, git, tempDir, tempRepo } from '../discover/temp.ts';

describe('checkCommitted', () => {
  it('names planned files with changes that are in no commit, and how they are', async () => {
    const root = tempRepo({
      'clean.ts': '',
      'modified.ts': '',
      'staged.ts': '',
      'both.ts': '',
      'other.ts': '',
      'deleted.ts': '',
      '.gitignore': 'ignored/\n',
      'a b/ü "x".ts': '',
    });
    addFiles(root, {
      'modified.ts': 'x',
      'staged.ts': 'x',
      'both.ts': 'x',
      'added.ts': '',
      'other.ts': 'x',
      'a b/ü "x".ts': 'x',
    });
    git(root, 'add', 'staged.ts', 'both.ts', 'added.ts');
    addFiles(root, { 'both.ts': 'xx', 'new/untracked.ts': '', 'ignored/deep/x.ts': '' });
    rmSync(join(root, 'deleted.ts'));
    const files = [
      'clean.ts',
      'modified.ts',
      'staged.ts',
      'both.ts',
      'deleted.ts',
      'added.ts',
      'a b/ü "x".ts',
      'new/untracked.ts',
      'ignored/deep/x.ts',
      'not/there.ts',
    ];
    expect(await checkCommitted(root, files)).toEqual({
      dirty: [
        { file: 'modified.ts', state: 'modified' },
        { file: 'staged.ts', state: 'staged' },
        { file: 'both.ts', state: 'modified' },
        { file: 'deleted.ts', state: 'modified' },
        { file: 'added.ts', state: 'staged' },
        { file: 'a b/ü "x".ts', state: 'modified' },
        { file: 'new/untracked.ts', state: 'untracked' },
        { file: 'ignored/deep/x.ts', state: 'ignored' },
      ],
      unknown: [],
    });
  });

  it('tells a clean repository from none, and from one that git does not look into', async () => {
    expect(await checkCommitted(tempRepo({ 'a.ts': '' }), ['a.ts'])).toEqual({
      dirty: [],
      unknown: [],
    });
    expect(await checkCommitted(tempDir({ 'a.ts': '' }), ['a.ts'])).toEqual({
      dirty: [],
      unknown: [{ file: 'a.ts', reason: 'no-repository' }],
    });
    const noAnswer = { dirty: [], unknown: [{ file: 'a.ts', reason: 'no-answer' }] };
    const broken = tempRepo({ 'a.ts': '' });
    writeFileSync(join(broken, '.git/HEAD'), 'nonsense');
    expect(await checkCommitted(broken, ['a.ts'])).toEqual(noAnswer);
    const root = tempRepo({ 'a.ts': '' });
    vi.stubEnv('PATH', '/nowhere');
    try {
      expect(await checkCommitted(root, ['a.ts'])).toEqual(noAnswer);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('asks the repository a file is in, behind links too', async () => {
    const root = tempRepo({ 'a.ts': '', 'folder/b.ts': '' });
    const nested = join(root, 'nested');
    mkdirSync(nested);
    addFiles(nested, { 'c.ts': '', 'd.ts': '' });
    git(nested, 'init', '-q');
    git(nested, 'add', 'c.ts');
    git(nested, 'commit', '-q', '-m', 'start');
    symlinkSync('folder/b.ts', join(root, 'link.ts'));
    addFiles(root, { 'folder/b.ts': 'x' });
    expect(await checkCommitted(root, ['a.ts', 'link.ts', 'nested/c.ts', 'nested/d.ts'])).toEqual({
      dirty: [
        { file: 'link.ts', state: 'modified' },
        { file: 'nested/d.ts', state: 'untracked' },
      ],
      unknown: [],
    });
    const subfolder = join(root, 'folder');
    expect((await checkCommitted(subfolder, ['b.ts'])).dirty).toEqual([
      { file: 'b.ts', state: 'modified' },
    ]);
  });

  it('takes names for names, and as many as there are', async () => {
    const names = Array.from({ length: 600 }, (_, i) => `${'long'.repeat(20)}/${i}.ts`);
    const root = tempRepo(
      Object.fromEntries([...names, '-x.ts', '*.ts'].map((name) => [name, ''])),
    );
    addFiles(root, { [names[0] ?? '']: 'x', [names.at(-1) ?? '']: 'x', '-x.ts': 'x' });
    const { dirty } = await checkCommitted(root, [...names, '-x.ts', '*.ts']);
    expect(dirty.map(({ file }) => file)).toEqual([names[0], names.at(-1), '-x.ts']);
    expect((await checkCommitted(root, ['*.ts'])).dirty).toEqual([]);
  });

  it('ignores what a hook sets, and runs no program that the repository names', async () => {
    const other = tempRepo();
    const root = tempRepo({ 'a.ts': '' });
    const hook = join(root, '.git/watch.sh');
    const mark = join(root, 'ran');
    writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(hook, 0o755);
    git(root, 'config', 'core.fsmonitor', hook);
    writeFileSync(join(root, 'a.ts'), 'x');
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    try {
      expect(await checkCommitted(root, ['a.ts', 'ran'])).toEqual({
        dirty: [{ file: 'a.ts', state: 'modified' }],
        unknown: [],
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
