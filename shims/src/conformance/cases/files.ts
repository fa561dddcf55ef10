import { strict as assert } from 'node:assert';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Case, rejects } from '../kit.ts';

const bytesOf = (size: number): Uint8Array => new Uint8Array(randomBytes(size));

/** Contents of files. */
export const FILES: readonly Case[] = [
  {
    name: 'files: a megabyte of any bytes',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/bytes`;
      const bytes = bytesOf(1024 * 1024);
      const started = performance.now();
      await sandbox.files.write(path, bytes);
      const written = performance.now();
      const read = await sandbox.files.read(path);
      const took = [written - started, performance.now() - written].map(Math.round);
      assert.ok(read instanceof Uint8Array);
      assert.ok(Buffer.from(bytes).equals(read), 'What was read is not what was written');
      const { stdout } = await sandbox.exec(`sha256sum < '${path}'`);
      const hash = createHash('sha256').update(bytes).digest('hex');
      assert.equal(stdout.split(' ')[0], hash, 'Commands see another content');
      kit.seen(`a megabyte was written in ${took[0]} ms and read in ${took[1]} ms`);
    },
  },
  {
    name: 'files: text',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/text`;
      for (const text of ['', 'plain', 'ü 😀\r\n\ttab\0nul\n\n', '\uFEFFmarked']) {
        await sandbox.files.write(path, text);
        const bytes = Buffer.from(await sandbox.files.read(path));
        assert.equal(bytes.toString('utf8'), text);
      }
      await sandbox.exec(`printf 'from inside: \\303\\274' > '${path}'`);
      assert.equal(await sandbox.files.read(path, { as: 'text' }), 'from inside: ü');
    },
  },
  {
    name: 'files: streams',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/stream`;
      const parts = [1, 70_000, 0, 300_000, 12].map(bytesOf);
      const data = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const part of parts) if (part.length > 0) controller.enqueue(part);
          controller.close();
        },
      });
      await sandbox.files.write(path, data);
      const whole = Buffer.concat(parts);
      assert.ok(
        whole.equals(await sandbox.files.read(path)),
        'The stream was not written as it is',
      );
      const stream = await sandbox.files.read(path, { as: 'stream' });
      assert.ok(stream instanceof ReadableStream);
      assert.ok(whole.equals(await buffer(stream)), 'The stream does not read what was written');
      await sandbox.files.write(path, '');
      assert.equal((await buffer(await sandbox.files.read(path, { as: 'stream' }))).length, 0);
    },
  },
  {
    name: 'files: several in one call',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      const entries = ['a', 'b/c', 'b/d/e'].map((name) => ({
        path: `${folder}/${name}`,
        data: `content of ${name}`,
      }));
      await sandbox.files.write(entries);
      await sandbox.files.write([]);
      for (const { path, data } of entries) {
        assert.equal(await sandbox.files.read(path, { as: 'text' }), data);
      }
    },
  },
  {
    name: 'files: written anew, nothing of the old is left',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/file`;
      await sandbox.files.write(path, 'a long first content');
      await sandbox.files.write(path, 'short');
      assert.equal(await sandbox.files.read(path, { as: 'text' }), 'short');
    },
  },
  {
    name: 'files: folders above are created',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/some/new folder/file`;
      await sandbox.files.write(path, 'deep');
      assert.equal(await sandbox.files.read(path, { as: 'text' }), 'deep');
    },
  },
  {
    name: 'files: relative paths start at home',
    async run(kit) {
      const sandbox = await kit.shared();
      const name = kit.unique('relative');
      await sandbox.files.write(`${name}/file`, 'at home');
      const { stdout } = await sandbox.exec(`cat "$HOME/${name}/file"`);
      assert.equal(stdout, 'at home');
      assert.equal(await sandbox.files.exists(name), true);
      await sandbox.files.remove(name, { recursive: true });
    },
  },
  {
    name: 'files: any name',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      const names = [
        'with space',
        `it's "quoted"`,
        '$HOME `id` $(id)',
        'back\\slash',
        'two\nlines',
        '-rf',
        'ünï çødé 😀',
        '*?[a]',
        '100%#&=+;',
      ];
      for (const name of names) {
        const path = `${folder}/${name}`;
        await sandbox.files.write(path, name);
        assert.equal(await sandbox.files.read(path, { as: 'text' }), name);
        assert.equal((await sandbox.files.stat(path)).name, name);
      }
      const listed = (await sandbox.files.list(folder)).map(({ name }) => name);
      assert.deepEqual(listed.sort(), [...names].sort());
      const { stdout } = await sandbox.exec('find . -type f -exec cat {} +', { cwd: folder });
      assert.equal(stdout.length, names.join('').length, 'Commands do not find all of them');
      for (const name of names) await sandbox.files.remove(`${folder}/${name}`);
      assert.deepEqual(await sandbox.files.list(folder), []);
    },
  },
  {
    name: 'files: what does not exist',
    async run(kit) {
      const { files } = await kit.shared();
      const path = `${await kit.folder(await kit.shared())}/missing`;
      await rejects(files.read(path), 'not_found');
      await rejects(files.read(path, { as: 'text' }), 'not_found');
      await rejects(files.read(path, { as: 'stream' }), 'not_found');
      await rejects(files.stat(path), 'not_found');
      await rejects(files.list(path), 'not_found');
      await rejects(files.move(path, `${path}-2`), 'not_found');
      assert.equal(await files.exists(path), false);
      assert.equal(await files.exists(`${path}/below`), false);
    },
  },
  {
    name: 'files: a folder is not read as a file',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      await rejects(sandbox.files.read(folder), 'invalid_argument');
      await rejects(sandbox.files.read(folder, { as: 'stream' }), 'invalid_argument');
      await rejects(sandbox.files.write(folder, 'text'), 'invalid_argument', 'conflict');
    },
  },
  {
    name: 'files: aborted before it began',
    async run(kit) {
      const sandbox = await kit.shared();
      const path = `${await kit.folder(sandbox)}/file`;
      const reason = new Error('never mind');
      const signal = AbortSignal.abort(reason);
      const write = sandbox.files.write(path, 'text', { signal });
      assert.equal(await write.catch((error) => error), reason);
      const read = sandbox.files.read(path, { signal });
      assert.equal(await read.catch((error) => error), reason);
      assert.equal(await sandbox.files.exists(path), false, 'It was written');
    },
  },
];
