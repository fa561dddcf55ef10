import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPlan, undo } from '../../src/rewrite/index.ts';
import { Child, useBundle } from './child.ts';
import { fastDir, planOf, prepend } from './support.ts';

const isRoot = process.getuid?.() === 0;

/** A namespace of its own for mounts, so that they end with the process. */
function inMounts(script: string): string[] {
  return ['unshare', '--mount', 'sh', '-e', '-c', `${script}\nexec "$@"`, 'sh'];
}

const canMount = ((): boolean => {
  try {
    const [command = '', ...args] = inMounts('mount -t tmpfs none /mnt');
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const NO_MOUNT = 'mounting needs root on Linux';

const bundle = useBundle();

/** Helpers of the programs below, which look at a root from inside of its mounts or as another user. */
const PRELUDE = `
import fs from 'node:fs';
const [root] = args;
const list = () => fs.readdirSync(root, { recursive: true }).filter((name) => !name.startsWith('.cubeshift')).sort();
const at = (name) => root + '/' + name;
const changeOf = (file, text) => ({
  kind: 'edit',
  file,
  sha256: rewrite.sha256(fs.readFileSync(at(file))),
  edits: [{ start: 0, end: 0, text, rule: 'DT101' }],
});
const planOf = (...changes) => ({ schemaVersion: 1, tool: { name: 'cubeshift', version: '0' }, changes });
const attempt = (action) => {
  const before = list().map((name) => [name, fs.statSync(at(name)).isFile() && rewrite.sha256(fs.readFileSync(at(name)))]);
  try {
    action();
    return 'done';
  } catch (error) {
    const after = list().map((name) => [name, fs.statSync(at(name)).isFile() && rewrite.sha256(fs.readFileSync(at(name)))]);
    const journal = at('.cubeshift/journal');
    const entries = fs.existsSync(journal) ? fs.readdirSync(journal).length : 0;
    return { code: error.code, message: error.message, files: error.files, entries, same: JSON.stringify(before) === JSON.stringify(after) };
  }
};
`;

async function answerOf(program: string, root: string, wrapper: string[] = []): Promise<unknown> {
  const child = new Child(bundle(), PRELUDE + program, [root], wrapper);
  const { output, code } = await child.ended;
  if (code !== 0) throw new Error(output);
  return JSON.parse(output);
}

const again = 'Nothing was changed. Put that right and run again.';

describe('a disk that is full', () => {
  it('changes nothing, leaves nothing, and says which file it was', async (context) => {
    if (!canMount) context.skip(NO_MOUNT);
    const root = fastDir();
    const program = `
fs.writeFileSync(at('a.ts'), 'a'.repeat(1000));
fs.writeFileSync(at('b.ts'), 'b'.repeat(1000));
fs.writeFileSync(at('large.ts'), 'l'.repeat(300000));
const longer = (file) => changeOf(file, 'x'.repeat(400000));
console.log(JSON.stringify([
  // The new content of the second file does not fit.
  attempt(() => rewrite.applyPlan(root, planOf(changeOf('a.ts', 'x'), longer('b.ts')))),
  // What the file held does not fit a second time.
  attempt(() => rewrite.applyPlan(root, planOf(changeOf('a.ts', 'x'), changeOf('large.ts', 'x')))),
  // It fits, but not once more for undoing it.
  attempt(() => rewrite.applyPlan(root, planOf(changeOf('a.ts', 'x'.repeat(100000))))),
  attempt(() => {
    fs.writeFileSync(at('filler'), Buffer.alloc(60000));
    try { fs.appendFileSync(at('filler'), Buffer.alloc(500000)); } catch {}
    rewrite.undo(root);
  }),
  attempt(() => { fs.rmSync(at('filler')); rewrite.undo(root); }),
  fs.readFileSync(at('a.ts'), 'utf8') === 'a'.repeat(1000),
]));`;
    const mounts = inMounts(`mount -t tmpfs -o size=520k none '${root}'`);
    const full = (file: string) => ({
      code: 'system',
      message: `Cannot write ${file}: no space left on device (ENOSPC). ${again}`,
      files: [file],
      same: true,
    });
    expect(await answerOf(program, root, mounts)).toMatchObject([
      { ...full('b.ts'), entries: 0 },
      { ...full('.cubeshift/journal'), entries: 0 },
      'done',
      { code: 'system', message: expect.stringContaining('(ENOSPC)'), entries: 1 },
      'done',
      true,
    ]);
  });
});

describe('what cannot be written', () => {
  it('is named before anything is changed: read-only file systems', async (context) => {
    if (!canMount) context.skip(NO_MOUNT);
    const root = fastDir({ 'a.ts': 'a', 'file.ts': 'a', 'folder/b.ts': 'b' });
    const mounts = inMounts(
      ['file.ts', 'folder']
        .map(
          (name) => `mount --bind '${root}/${name}' '${root}/${name}'
mount -o remount,bind,ro '${root}/${name}'`,
        )
        .join('\n'),
    );
    const program = `
const remove = { kind: 'delete', file: 'folder/b.ts', sha256: changeOf('folder/b.ts', '').sha256, rule: 'DT101' };
const create = { kind: 'create', file: 'folder/new/c.ts', text: '', rule: 'DT101' };
console.log(JSON.stringify([changeOf('file.ts', 'x'), changeOf('folder/b.ts', 'x'), remove, create]
  .map((change) => attempt(() => rewrite.applyPlan(root, planOf(changeOf('a.ts', 'x'), change))))));`;
    const files = ['file.ts', 'folder/b.ts', 'folder/b.ts', 'folder/new/c.ts'];
    expect(await answerOf(program, root, mounts)).toEqual(
      files.map((file) => ({
        code: 'system',
        message: `Cannot write ${file}: read-only file system (EROFS). ${again}`,
        files: [file],
        entries: 0,
        same: true,
      })),
    );
  });

  it('is named before anything is changed: files and folders of somebody else', async (context) => {
    if (process.platform === 'win32') context.skip('modes of Windows are others');
    const root = fastDir({ 'a.ts': 'a', 'file.ts': 'a', 'folder/b.ts': 'b' });
    chmodSync(join(root, 'file.ts'), 0o444);
    chmodSync(join(root, 'folder'), 0o555);
    for (const name of isRoot ? ['', 'a.ts', 'file.ts', 'folder', 'folder/b.ts'] : []) {
      chownSync(join(root, name), NOBODY, NOBODY);
    }
    const program = `
if (${isRoot}) { process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY}); }
console.log(JSON.stringify(['file.ts', 'folder/b.ts', 'a.ts']
  .map((file) => attempt(() => rewrite.applyPlan(root, planOf(changeOf(file, 'x')))))));`;
    const denied = (file: string) => ({
      code: 'system',
      message: `Cannot write ${file}: permission denied (EACCES). ${again}`,
      files: [file],
      entries: 0,
      same: true,
    });
    const expected = [denied('file.ts'), denied('folder/b.ts'), 'done'];
    expect(await answerOf(program, root)).toEqual(expected);
    chmodSync(join(root, 'folder'), 0o755);
  });
});

const NOBODY = 65_534;

it('files keep their owner when root changes them', (context) => {
  if (!isRoot) context.skip('only root gives files away');
  const root = fastDir({ 'a.ts': 'a' });
  const path = join(root, 'a.ts');
  chownSync(path, NOBODY, NOBODY);
  chmodSync(path, 0o4755);
  const owner = () => {
    const { uid, gid, mode } = statSync(path);
    return [uid, gid, mode & 0o7777];
  };
  applyPlan(root, planOf(prepend(root, 'a.ts', 'x')));
  expect(owner()).toEqual([NOBODY, NOBODY, 0o4755]);
  undo(root);
  expect(owner()).toEqual([NOBODY, NOBODY, 0o4755]);
});
