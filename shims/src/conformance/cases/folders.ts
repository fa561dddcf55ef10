import { strict as assert } from 'node:assert';
import type { FileEvent } from '../../provider/files.ts';
import { type Case, rejects } from '../kit.ts';

/** Folders, and what is known of files. */
export const FOLDERS: readonly Case[] = [
  {
    name: 'files: list, by depth and sorted',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      const paths = ['b', 'a/two', 'a/one', 'a/deep/er', 'C'].map((name) => `${folder}/${name}`);
      await sandbox.files.write(paths.map((path) => ({ path, data: 'x' })));
      const names = async (depth?: number): Promise<string[]> => {
        const listed = await sandbox.files.list(folder, { depth });
        return listed.map(({ path }) => path.replace(`${folder}/`, ''));
      };
      assert.deepEqual(await names(), ['C', 'a', 'b']);
      assert.deepEqual(await names(1), ['C', 'a', 'b']);
      assert.deepEqual(await names(2), ['C', 'a', 'a/deep', 'a/one', 'a/two', 'b']);
      assert.deepEqual(await names(9), ['C', 'a', 'a/deep', 'a/deep/er', 'a/one', 'a/two', 'b']);
      const types = (await sandbox.files.list(folder)).map(({ type }) => type);
      assert.deepEqual(types, ['file', 'dir', 'file']);
    },
  },
  {
    name: 'files: what is known of one',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      const path = `${folder}/file.txt`;
      await sandbox.files.write(path, 'zwölf');
      await sandbox.exec(`chmod 640 '${path}'`);
      const file = await sandbox.files.stat(path);
      const { stdout: clock } = await sandbox.exec('date +%s');
      const { name, type, size, mode } = file;
      assert.deepEqual(
        { name, path: file.path, type, size, mode },
        { name: 'file.txt', path, type: 'file', size: 6, mode: 0o640 },
      );
      const age = Number(clock) * 1000 - file.modifiedAt.getTime();
      assert.ok(Math.abs(age) < 60_000, `It was modified ${age} ms ago`);
      const dir = await sandbox.files.stat(folder);
      assert.deepEqual([dir.type, dir.path], ['dir', folder]);
      const [listed] = await sandbox.files.list(folder);
      assert.deepEqual(listed, file, 'list and stat tell different things');
      kit.seen(file.owner === undefined ? 'without its owner' : `owned by ${file.owner}`);
    },
  },
  {
    name: 'files: a file is not listed as a folder',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/file`;
      await sandbox.files.write(path, 'x');
      const { code } = await rejects(
        sandbox.files.list(path),
        'invalid_argument',
        'not_found',
        'conflict',
      );
      kit.seen(`refused with ${code}`);
    },
  },
  {
    name: 'files: make a folder, also twice',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/one/two`;
      await sandbox.files.makeDir(path);
      await sandbox.files.write(`${path}/file`, 'kept');
      await sandbox.files.makeDir(path);
      assert.equal(await sandbox.files.read(`${path}/file`, { as: 'text' }), 'kept');
      await sandbox.files.makeDir(`${path}/closed`, { mode: 0o700 });
      assert.equal((await sandbox.files.stat(`${path}/closed`)).mode, 0o700);
      await sandbox.files.makeDir(`${path}/closed`, { mode: 0o755 });
      assert.equal((await sandbox.files.stat(`${path}/closed`)).mode, 0o755);
      const { code } = await rejects(
        sandbox.files.makeDir(`${path}/file`),
        'conflict',
        'invalid_argument',
      );
      kit.seen(`where there is a file: ${code}`);
    },
  },
  {
    name: 'files: move',
    async run(kit) {
      const { files } = await kit.shared();
      const folder = await kit.folder(await kit.shared());
      const [from, to, other] = [`${folder}/from`, `${folder}/to`, `${folder}/other`];
      await files.write(from, 'first');
      await files.move(from, to);
      assert.equal(await files.exists(from), false);
      await files.write(from, 'second');
      await rejects(files.move(from, to), 'conflict');
      assert.equal(await files.read(to, { as: 'text' }), 'first', 'It was replaced all the same');
      assert.equal(await files.read(from, { as: 'text' }), 'second');
      await files.move(from, to, { overwrite: true });
      assert.equal(await files.read(to, { as: 'text' }), 'second');
      assert.equal(await files.exists(from), false);
      await files.write(`${other}/below/file`, 'x');
      await rejects(files.move(to, other), 'conflict');
      await files.move(other, `${folder}/renamed`);
      assert.equal(await files.exists(`${folder}/renamed/below/file`), true);
    },
  },
  {
    name: 'files: remove',
    async run(kit) {
      const { files } = await kit.shared();
      const folder = await kit.folder(await kit.shared());
      await files.write(`${folder}/sub/file`, 'x');
      await rejects(files.remove(`${folder}/sub`), 'invalid_argument');
      assert.equal(await files.exists(`${folder}/sub/file`), true, 'It was removed all the same');
      await files.remove(`${folder}/sub/file`);
      await files.remove(`${folder}/sub/file`);
      await files.write(`${folder}/sub/file`, 'x');
      await files.remove(`${folder}/sub`, { recursive: true });
      await files.remove(`${folder}/sub`, { recursive: true });
      assert.deepEqual(await files.list(folder), []);
    },
  },
  {
    name: 'files: watch',
    async run(kit) {
      const { files } = await kit.shared();
      const folder = await kit.folder(await kit.shared());
      const events: FileEvent[] = [];
      const start = () => files.watch(folder, (event) => events.push(event));
      if (!(await kit.supports('watch', start))) return;
      const watcher = await start();
      const path = `${folder}/file`;
      await files.write(path, 'x');
      const saw = (type: FileEvent['type'], at: string) => (): boolean =>
        events.some((event) => event.type === type && event.path === at);
      await kit.until('a new file is told', saw('create', path));
      await kit.until('its content is told', saw('write', path));
      await files.remove(path);
      await kit.until('its end is told', saw('remove', path));
      await watcher.stop();
      const count = events.length;
      await files.write(`${folder}/later`, 'x');
      assert.equal(events.length, count, 'Events come after the end');
    },
  },
];
