import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ScanInputError } from '../../src/discover/errors.ts';
import { listFiles } from '../../src/discover/files.ts';
import { addFiles, git, tempDir, tempRepo } from './temp.ts';

const list = (cwd: string, paths: string[] = ['.'], ignore: string[] = []) =>
  listFiles(cwd, paths, { ignore });

describe('listFiles with git', () => {
  it('lists tracked and untracked files, sorted, without ignored ones', async () => {
    const repo = tempRepo({ 'b.ts': '', 'a/z.ts': '', '.gitignore': 'out/\n*.log\n' });
    addFiles(repo, { 'new.ts': '', 'out/x.ts': '', 'a/x.log': '' });
    expect(await list(repo)).toEqual({
      root: repo,
      files: ['.gitignore', 'a/z.ts', 'b.ts', 'new.ts'],
      skipped: [],
      git: true,
      above: [],
    });
  });

  it('keeps the work tree as root when a sub-folder is scanned', async () => {
    const repo = tempRepo({ 'package.json': '', 'packages/a/x.ts': '', 'packages/b/y.ts': '' });
    const found = await list(join(repo, 'packages'), ['a']);
    expect(found.root).toBe(repo);
    expect(found.files).toEqual(['packages/a/x.ts']);
  });

  it('takes a single file, and one that is ignored when it is named', async () => {
    const repo = tempRepo({ 'a.ts': '', 'b.ts': '', '.gitignore': 'gen.ts\ngen/\n' });
    addFiles(repo, { 'gen.ts': '', 'gen/a.ts': '' });
    expect((await list(repo, ['a.ts'])).files).toEqual(['a.ts']);
    expect((await list(repo, ['gen.ts'])).files).toEqual(['gen.ts']);
    expect((await list(repo, ['gen'])).files).toEqual(['gen/a.ts']);
  });

  it('does not list deleted files, nor conflicted ones twice', async () => {
    const repo = tempRepo({ 'a.ts': '1', 'gone.ts': '' });
    git(repo, 'checkout', '-q', '-b', 'other');
    writeFileSync(join(repo, 'a.ts'), '2');
    git(repo, 'commit', '-qam', 'two');
    git(repo, 'checkout', '-q', '-');
    writeFileSync(join(repo, 'a.ts'), '3');
    git(repo, 'commit', '-qam', 'three');
    expect(() => git(repo, 'merge', '-q', 'other')).toThrow();
    rmSync(join(repo, 'gone.ts'));
    expect((await list(repo)).files).toEqual(['a.ts']);
  });

  it('descends into submodules and untracked nested repositories', async () => {
    const library = tempRepo({ 'lib.ts': '' });
    const repo = tempRepo({ 'a.ts': '' });
    git(repo, 'submodule', '--quiet', 'add', library, 'sub');
    git(repo, 'clone', '-q', library, 'nested');
    addFiles(repo, { 'nested/deep/own.ts': '' });
    const found = await list(repo);
    expect(found.files).toEqual([
      '.gitmodules',
      'a.ts',
      'nested/deep/own.ts',
      'nested/lib.ts',
      'sub/lib.ts',
    ]);
    expect(found.git).toBe(true);
  });

  it('passes over a submodule that is not checked out', async () => {
    const library = tempRepo({ 'lib.ts': '' });
    const repo = tempRepo({ 'a.ts': '' });
    git(repo, 'submodule', '--quiet', 'add', library, 'sub');
    rmSync(join(repo, 'sub'), { recursive: true });
    mkdirSync(join(repo, 'sub'));
    expect((await list(repo)).files).toEqual(['.gitmodules', 'a.ts']);
  });

  it('drops committed node_modules and records committed symbolic links', async () => {
    const repo = tempRepo({ 'a.ts': '', 'x/node_modules/p/i.js': '', 'node_modules/q.js': '' });
    symlinkSync('a.ts', join(repo, 'link.ts'));
    symlinkSync('.', join(repo, 'loop'));
    git(repo, 'add', '-A');
    const found = await list(repo);
    expect(found.files).toEqual(['a.ts']);
    expect(found.skipped).toEqual([
      { file: 'link.ts', reason: 'symlink', incomplete: false },
      { file: 'loop', reason: 'symlink', incomplete: false },
    ]);
  });

  it('handles names git would quote', async () => {
    const names = ['a b.ts', 'ü.ts', 'q"uote.ts', 'line\nbreak.ts', '-dash.ts', ':(glob).ts'];
    const repo = tempRepo(Object.fromEntries(names.map((name) => [name, ''])));
    expect((await list(repo)).files).toEqual([...names].sort());
    expect((await list(repo, ['a b.ts'])).files).toEqual(['a b.ts']);
  });

  it('applies extra ignore patterns relative to the root', async () => {
    const repo = tempRepo({ 'src/a.ts': '', 'gen/a.ts': '', 'src/gen/b.ts': '' });
    expect((await list(repo, ['.'], ['/gen/', '*.md'])).files).toEqual([
      'src/a.ts',
      'src/gen/b.ts',
    ]);
  });

  it('ignores what a git hook sets in the environment', async () => {
    const other = tempRepo({ 'other.ts': '' });
    const repo = tempRepo({ 'a.ts': '' });
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_INDEX_FILE', join(other, '.git/index'));
    try {
      expect((await list(repo)).files).toEqual(['a.ts']);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('never runs a program the repository configures', async () => {
    const repo = tempRepo({ 'a.ts': '' });
    const mark = join(repo, 'ran');
    addFiles(repo, { 'hook.sh': `#!/bin/sh\ntouch ${mark}\n` });
    chmodSync(join(repo, 'hook.sh'), 0o755);
    git(repo, 'config', 'core.fsmonitor', join(repo, 'hook.sh'));
    expect((await list(repo)).files).toEqual(['a.ts', 'hook.sh']);
  });
});

describe('listFiles without git', () => {
  it('walks, honours nested ignore files and skips what tools write', async () => {
    const dir = tempDir({
      'a.ts': '',
      '.gitignore': '*.log\n/dist\n',
      'dist/x.js': '',
      'pkg/dist/kept.js': '',
      'pkg/.gitignore': '!keep.log\nlocal/\n',
      'pkg/keep.log': '',
      'pkg/other.log': '',
      'pkg/local/x.ts': '',
      'node_modules/p/i.js': '',
      '.next/server.js': '',
      'coverage/lcov.info': '',
      'coverage/a.html': '',
      'src/coverage/real.ts': '',
    });
    const found = await list(dir);
    expect(found.git).toBe(false);
    expect(found.root).toBe(dir);
    expect(found.files).toEqual([
      '.gitignore',
      'a.ts',
      'pkg/.gitignore',
      'pkg/dist/kept.js',
      'pkg/keep.log',
      'src/coverage/real.ts',
    ]);
  });

  it('never follows symbolic links, so loops cannot catch it', async () => {
    const dir = tempDir({ 'a/x.ts': '' });
    symlinkSync('..', join(dir, 'a/up'));
    symlinkSync('b', join(dir, 'c'));
    symlinkSync('c', join(dir, 'b'));
    const found = await list(dir);
    expect(found.files).toEqual(['a/x.ts']);
    expect(found.skipped.map((skip) => skip.file)).toEqual(['a/up', 'b', 'c']);
    expect(found.skipped.every((skip) => !skip.incomplete)).toBe(true);
  });

  it('falls back to walking when git is missing', async () => {
    const repo = tempRepo({ 'a.ts': '', '.gitignore': 'b.ts\n', 'sub/c.ts': '' });
    addFiles(repo, { 'b.ts': '', 'sub/b.ts': '' });
    vi.stubEnv('PATH', '/nowhere');
    try {
      const found = await list(repo);
      expect(found).toMatchObject({ root: repo, git: false });
      expect(found.files).toEqual(['.gitignore', 'a.ts', 'sub/c.ts']);
      // Ignore files above the scanned folder count as well.
      expect((await list(repo, ['sub'])).files).toEqual(['sub/c.ts']);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('falls back to walking when the repository is broken', async () => {
    const repo = tempRepo({ 'a.ts': '' });
    writeFileSync(join(repo, '.git/HEAD'), 'nonsense');
    writeFileSync(join(repo, '.git/index'), 'nonsense');
    renameSync(join(repo, '.git/objects'), join(repo, '.git/gone'));
    const found = await list(repo);
    expect(found.git).toBe(false);
    expect(found.files).toEqual(['a.ts']);
  });
});

describe('listFiles arguments', () => {
  it('names a path that does not exist', async () => {
    const dir = tempDir();
    await expect(list(dir, ['nope/x'])).rejects.toThrow(ScanInputError);
    await expect(list(dir, ['nope/x'])).rejects.toThrow('nope/x');
  });

  it('takes several paths, also overlapping ones and from different places', async () => {
    const repo = tempRepo({ 'a/x.ts': '', 'b/y.ts': '', 'c/z.ts': '' });
    expect((await list(repo, ['a', 'b', 'a/x.ts'])).files).toEqual(['a/x.ts', 'b/y.ts']);
    const one = tempRepo({ 'x.ts': '' });
    const two = tempDir({ 'sub/y.ts': '' });
    const found = await list(one, [one, join(two, 'sub')]);
    expect(found.root).toBe(dirname(one));
    const names = [join(one, 'x.ts'), join(two, 'sub/y.ts')];
    expect(found.files.map((file) => join(found.root, file)).sort()).toEqual(names.sort());
  });

  it('resolves a path given through a symbolic link', async () => {
    const repo = tempRepo({ 'a.ts': '' });
    const elsewhere = tempDir();
    symlinkSync(repo, join(elsewhere, 'link'));
    const found = await list(elsewhere, ['link']);
    expect(found).toMatchObject({ root: repo, files: ['a.ts'], git: true });
  });
});
