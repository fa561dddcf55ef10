import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPlan, recover, undo } from '../../src/rewrite/index.ts';
import { git, tempDir, tempRepo } from '../discover/temp.ts';
import { create, edit, editOf, planOf, prepend, remove, snapshot, thrownBy } from './support.ts';

const FILES = {
  'src/a.ts': 'one\ntwo\n',
  'src/b.ts': '\ufeffeins\r\nzwei',
  'old/gone.ts': 'bye\n',
  'other.ts': 'not in the plan',
};

function example() {
  const root = tempDir(FILES);
  chmodSync(join(root, 'src/b.ts'), 0o755);
  chmodSync(join(root, 'old/gone.ts'), 0o640);
  const plan = planOf(
    editOf(root, 'src/a.ts', edit(4, 7, 'TWO')),
    editOf(root, 'src/b.ts', edit(0, 0, 'null\n')),
    create('new/deep/c.ts', 'created\n'),
    create('src/d.ts', ''),
    remove(root, 'old/gone.ts'),
  );
  return { root, plan };
}

/** What new files and folders get here. */
const FILE = (0o666 & ~process.umask()).toString(8);
const FOLDER = (0o777 & ~process.umask()).toString(8);

describe('applyPlan', () => {
  it('edits, creates and deletes files, and leaves everything else', () => {
    const { root, plan } = example();
    expect(applyPlan(root, plan)).toEqual({
      files: ['src/a.ts', 'src/b.ts', 'new/deep/c.ts', 'src/d.ts', 'old/gone.ts'],
      kept: [],
    });
    expect(snapshot(root)).toEqual({
      'new/': FOLDER,
      'new/deep/': FOLDER,
      'new/deep/c.ts': `${FILE} created\n`,
      'old/': FOLDER,
      'other.ts': `${FILE} not in the plan`,
      'src/': FOLDER,
      'src/a.ts': `${FILE} one\nTWO\n`,
      'src/b.ts': `755 ${Buffer.from('\ufeffnull\r\neins\r\nzwei').toString('latin1')}`,
      'src/d.ts': `${FILE} `,
    });
  });

  it('writes nothing when the plan changes nothing', () => {
    const root = tempDir(FILES);
    const same = planOf(editOf(root, 'src/a.ts', edit(0, 3, 'one')));
    expect(applyPlan(root, same)).toEqual({ files: [], kept: [] });
    expect(applyPlan(root, planOf())).toEqual({ files: [], kept: [] });
    expect(existsSync(join(root, '.cubeshift'))).toBe(false);
  });

  it('keeps its records out of version control', () => {
    const root = tempRepo({ 'a.ts': 'x\n' });
    applyPlan(root, planOf(prepend(root, 'a.ts', '// ')));
    expect(git(root, 'status', '--porcelain')).toBe(' M a.ts\n');
    expect(statSync(join(root, '.cubeshift')).mode & 0o077).toBe(0);
  });

  it('names every file that is not as it was planned on, and changes none', () => {
    const { root, plan } = example();
    writeFileSync(join(root, 'src/a.ts'), 'changed');
    rmSync(join(root, 'old/gone.ts'));
    writeFileSync(join(root, 'src/d.ts'), 'there');
    const before = snapshot(root);
    const error = thrownBy(() => applyPlan(root, plan));
    expect(error).toMatchObject({
      name: 'RewriteError',
      code: 'stale',
      files: ['src/a.ts', 'src/d.ts', 'old/gone.ts'],
      message:
        'Not as it was when the plan was made: src/a.ts (it was changed), src/d.ts (it is there already), old/gone.ts (it is gone). Nothing was changed. Make the plan anew.',
    });
    expect(snapshot(root)).toEqual(before);
    expect(existsSync(join(root, '.cubeshift'))).toBe(false);
  });

  it('refuses what is not text, not a file or not distinct', () => {
    const root = tempDir({ 'a.ts': 'a', 'bytes.ts': Buffer.from([0x61, 0xff]) });
    mkdirSync(join(root, 'folder'));
    symlinkSync('a.ts', join(root, 'link.ts'));
    linkSync(join(root, 'a.ts'), join(root, 'hard.ts'));
    const before = snapshot(root);
    const [a, link, hard] = ['a.ts', 'link.ts', 'hard.ts'].map((file) => prepend(root, file, '//'));
    if (a === undefined || link === undefined || hard === undefined) throw new Error();
    const said = [
      [prepend(root, 'bytes.ts', '//')],
      [remove(root, 'bytes.ts')],
      [{ ...remove(root, 'a.ts'), file: 'folder' }],
      [remove(root, 'link.ts')],
      [a, link],
      [a, hard],
      [create('x', ''), create('x/y', '')],
      [create('a.ts/y', '')],
    ].map((changes) => String(thrownBy(() => applyPlan(root, planOf(...changes)))));
    expect(said).toEqual([
      'RewriteError: bytes.ts is not valid UTF-8. Convert it to UTF-8, or leave it out of the migration.',
      'RewriteError: bytes.ts is not valid UTF-8. Convert it to UTF-8, or leave it out of the migration.',
      'RewriteError: folder is not a regular file. Leave it out of the plan.',
      'RewriteError: link.ts is a symbolic link. Leave it out of the plan.',
      'RewriteError: a.ts and link.ts lead to one file. Leave one of them out of the plan.',
      'RewriteError: a.ts and hard.ts lead to one file. Leave one of them out of the plan.',
      'RewriteError: x and x/y cannot both be files. Leave one of them out of the plan.',
      'RewriteError: Cannot read a.ts/y: not a directory (ENOTDIR). Nothing was changed. Put that right and run again.',
    ]);
    expect(snapshot(root)).toEqual(before);
  });

  it('changes the file behind a link and leaves the link', () => {
    const root = tempDir({ 'real/a.ts': 'a\n', 'real/b.ts': 'b\n' });
    symlinkSync('real/a.ts', join(root, 'link.ts'));
    symlinkSync('real', join(root, 'folder'));
    const before = snapshot(root);
    const link = prepend(root, 'link.ts', '// ');
    const inFolder = prepend(root, 'folder/b.ts', '// ');
    applyPlan(root, planOf(link, inFolder, create('folder/c.ts', 'c\n')));
    expect(snapshot(root)).toMatchObject({
      'link.ts': '-> real/a.ts',
      folder: '-> real',
      'real/a.ts': `${FILE} // a\n`,
      'real/b.ts': `${FILE} // b\n`,
      'real/c.ts': `${FILE} c\n`,
    });
    undo(root);
    expect(snapshot(root)).toEqual(before);
  });

  it('never leaves the root, not by links either', () => {
    const outside = tempDir({ 'a.ts': 'a\n' });
    const root = tempRepo({ 'a.ts': 'a\n' });
    symlinkSync(join(outside, 'a.ts'), join(root, 'link.ts'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync('.git', join(root, 'harmless'));
    const { file: _, ...asA } = prepend(root, 'a.ts', '//') as { file: string };
    for (const file of ['link.ts', 'folder/a.ts', '../a.ts', '/etc/hosts', 'x/../../a.ts']) {
      const change = { ...asA, file } as ReturnType<typeof prepend>;
      const said = thrownBy(() => applyPlan(root, planOf(change)));
      expect(said).toMatchObject({ code: 'refused', files: [file] });
    }
    for (const file of ['folder/new.ts', '.git/hooks/pre-commit', 'harmless/hooks/x', '.GIT/x']) {
      const said = thrownBy(() => applyPlan(root, planOf(create(file, 'x'))));
      expect(said).toMatchObject({ code: 'refused', files: [file] });
    }
    expect(snapshot(outside)).toEqual({ 'a.ts': `${FILE} a\n` });
  });

  it('does not follow a link in place of its own folder', () => {
    const elsewhere = tempDir();
    const root = tempDir({ 'a.ts': 'a\n' });
    symlinkSync(elsewhere, join(root, '.cubeshift'));
    const said = thrownBy(() => applyPlan(root, planOf(prepend(root, 'a.ts', '//'))));
    expect(said).toMatchObject({ code: 'refused' });
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('undo', () => {
  it('brings everything back byte for byte', () => {
    const { root, plan } = example();
    const before = snapshot(root);
    applyPlan(root, plan);
    expect(undo(root)).toEqual({
      files: ['src/a.ts', 'src/b.ts', 'new/deep/c.ts', 'src/d.ts', 'old/gone.ts'],
      kept: [],
    });
    expect(snapshot(root)).toEqual(before);
    expect(thrownBy(() => undo(root))).toMatchObject({ code: 'nothing-to-undo' });
  });

  it('says so when there is nothing to undo, and makes nothing', () => {
    const root = tempDir(FILES);
    expect(thrownBy(() => undo(root))).toMatchObject({ code: 'nothing-to-undo' });
    expect(recover(root)).toBeUndefined();
    expect(existsSync(join(root, '.cubeshift'))).toBe(false);
  });

  it('goes back one plan at a time', () => {
    const root = tempDir({ 'a.ts': 'a\n' });
    const states = [snapshot(root)];
    for (const text of ['1', '2', '3']) {
      applyPlan(root, planOf(prepend(root, 'a.ts', text), create(`${text}.ts`, text)));
      states.push(snapshot(root));
    }
    undo(root);
    expect(snapshot(root)).toEqual(states[2]);
    applyPlan(root, planOf(prepend(root, 'a.ts', 'other')));
    for (const state of [states[2], states[1], states[0]]) {
      undo(root);
      expect(snapshot(root)).toEqual(state);
    }
    expect(thrownBy(() => undo(root))).toMatchObject({ code: 'nothing-to-undo' });
  });

  it('refuses when a file was changed since, and undoes nothing', () => {
    const { root, plan } = example();
    applyPlan(root, plan);
    writeFileSync(join(root, 'src/a.ts'), 'my work');
    rmSync(join(root, 'src/d.ts'));
    writeFileSync(join(root, 'old/gone.ts'), 'a new one');
    const before = snapshot(root);
    expect(thrownBy(() => undo(root))).toMatchObject({
      code: 'changed',
      files: ['src/a.ts', 'src/d.ts', 'old/gone.ts'],
      message: expect.stringContaining('src/a.ts, src/d.ts, old/gone.ts'),
    });
    expect(snapshot(root)).toEqual(before);
  });

  it('keeps folders that hold something else by now, and makes those that are gone', () => {
    const { root, plan } = example();
    applyPlan(root, plan);
    writeFileSync(join(root, 'new/mine.ts'), 'mine');
    rmSync(join(root, 'old'), { recursive: true });
    undo(root);
    expect(snapshot(root)).toMatchObject({
      'new/mine.ts': `${FILE} mine`,
      'old/gone.ts': '640 bye\n',
    });
    expect(existsSync(join(root, 'new/deep'))).toBe(false);
  });

  it('keeps a mode that was changed since', () => {
    const { root, plan } = example();
    applyPlan(root, plan);
    chmodSync(join(root, 'src/a.ts'), 0o600);
    undo(root);
    expect(snapshot(root)).toMatchObject({ 'src/a.ts': '600 one\ntwo\n' });
  });

  it('remembers the last ten plans', () => {
    const root = tempDir({ 'a.ts': '' });
    for (let i = 0; i < 12; i++) applyPlan(root, planOf(prepend(root, 'a.ts', `${i % 10}`)));
    for (let i = 0; i < 10; i++) undo(root);
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('10');
    expect(thrownBy(() => undo(root))).toMatchObject({ code: 'nothing-to-undo' });
  });

  it('names a record that it cannot use, and what to do', () => {
    const { root, plan } = example();
    applyPlan(root, plan);
    const journal = join(root, '.cubeshift/journal');
    const [id = ''] = readdirSync(journal);
    const entry = join(journal, id, 'entry.json');
    const text = readFileSync(entry, 'utf8');
    const before = snapshot(root);
    for (const broken of [
      '',
      '{',
      text.replace('"src/a.ts"', '"../a.ts"').replace('real":"src/a', 'real":"../a'),
    ]) {
      writeFileSync(entry, broken);
      expect(thrownBy(() => undo(root))).toMatchObject({
        code: 'journal',
        message: expect.stringContaining(`.cubeshift/journal/${id}`),
      });
    }
    writeFileSync(entry, text);
    writeFileSync(join(journal, id, '0'), 'damaged');
    expect(thrownBy(() => undo(root))).toMatchObject({ code: 'journal' });
    expect(snapshot(root)).toEqual(before);
  });
});
