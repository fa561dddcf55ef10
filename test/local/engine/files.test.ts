import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../../src/local/engine/engine.ts';
import type { Sandbox } from '../../../src/local/engine/sandbox.ts';
import {
  codeOf,
  content,
  folder,
  IS_ROOT,
  modes,
  PATIENCE,
  removeFolders,
  run,
  sh,
} from './support.ts';

describe.each(await modes())('files: $title', ({ mode, isMissing }) => {
  if (isMissing) return test.skip('all of it');
  let engine: Engine;
  let sandbox: Sandbox;
  let outside: string;

  beforeAll(async () => {
    engine = await createEngine({ isolation: mode, dir: folder() });
    sandbox = await engine.create({ id: 'one' });
    outside = folder();
    writeFileSync(join(outside, 'secret'), 'of the host');
  }, PATIENCE);

  afterAll(async () => {
    await engine.close();
    removeFolders();
  }, PATIENCE);

  test('what is written through the engine is there inside, and the other way round', async () => {
    const entry = await sandbox.files.write('deep/er/a.txt', 'hello', { mode: 0o600 });
    expect(entry).toMatchObject({
      name: 'a.txt',
      path: '/home/user/deep/er/a.txt',
      type: 'file',
      size: 5,
      mode: 0o600,
    });
    if (mode === 'namespaces') expect(entry).toMatchObject({ owner: 'user', group: 'user' });
    expect(await sh(sandbox, 'cat deep/er/a.txt')).toBe('hello');
    await sh(sandbox, 'printf inside > b.txt');
    expect(await content(sandbox, '~/b.txt')).toBe('inside');
    expect(await content(sandbox, '/home/user/./deep/../b.txt')).toBe('inside');
  });

  test('a part of a file can be read', async () => {
    await sandbox.files.write('/tmp/digits', '0123456789');
    const { length, entry, stream } = await sandbox.files.read('/tmp/digits', { start: 2, end: 5 });
    expect([length, entry.size, await text(stream)]).toEqual([3, 10, '234']);
    const beyond = await sandbox.files.read('/tmp/digits', { start: 50 });
    expect([beyond.length, await text(beyond.stream)]).toEqual([0, '']);
  });

  test('200 MB are written and read without staying in memory', async () => {
    const chunk = Buffer.alloc(1_000_000, 'x');
    async function* source() {
      for (let i = 0; i < 200; i++) yield chunk;
    }
    const before = process.memoryUsage().rss;
    expect((await sandbox.files.write('/tmp/big', source())).size).toBe(200_000_000);
    let bytes = 0;
    for await (const part of (await sandbox.files.read('/tmp/big')).stream) bytes += part.length;
    expect(bytes).toBe(200_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    await sandbox.files.remove('/tmp/big');
  });

  test('folders are made, listed to a depth, moved and removed', async () => {
    const { files } = sandbox;
    expect(await files.mkdir('/tmp/tree/x')).toBe(true);
    expect(await files.mkdir('/tmp/tree/x')).toBe(false);
    await files.write('/tmp/tree/x/one', '1');
    await files.write('/tmp/tree/two', '2');
    const paths = async (depth: number) =>
      (await files.list('/tmp/tree', { depth })).map(({ path }) => path);
    expect(await paths(1)).toEqual(['/tmp/tree/two', '/tmp/tree/x']);
    expect(await paths(2)).toEqual(['/tmp/tree/two', '/tmp/tree/x', '/tmp/tree/x/one']);
    expect(await codeOf(files.move('/tmp/tree/x', '/tmp/none/y'))).toBe('not-found');
    expect(await codeOf(files.move('/tmp/tree/x', '/tmp/tree/two', { overwrite: false }))).toBe(
      'exists',
    );
    await files.move('/tmp/tree/x', '/tmp/tree/y');
    expect(await content(sandbox, '/tmp/tree/y/one')).toBe('1');
    expect(await codeOf(files.remove('/tmp/tree'))).toBe('not-empty');
    await files.remove('/tmp/tree', { recursive: true });
    expect(await files.exists('/tmp/tree')).toBe(false);
    expect(await codeOf(files.remove('/tmp/tree'))).toBe('not-found');
  });

  test('names with spaces, line ends and other scripts', async () => {
    const name = 'a b\n"\'$x→.txt';
    await sandbox.files.write(`/tmp/odd/${name}`, 'odd');
    expect((await sandbox.files.list('/tmp/odd')).map((entry) => entry.name)).toEqual([name]);
  });

  test('errors say what is wrong, without the host’s paths', async () => {
    const { files } = sandbox;
    await files.mkdir('/tmp/folder');
    await files.write('/tmp/file', '');
    expect(await codeOf(files.stat('/tmp/none'))).toBe('not-found');
    expect(await codeOf(files.read('/tmp/folder'))).toBe('is-directory');
    expect(await codeOf(files.write('/tmp/folder', ''))).toBe('is-directory');
    expect(await codeOf(files.list('/tmp/file'))).toBe('not-directory');
    expect(await codeOf(files.write('/tmp/file/below', ''))).toBe('not-directory');
    expect(await codeOf(files.read('/tmp/a\0b'))).toBe('invalid');
    await sh(sandbox, 'mkfifo pipe');
    expect(await codeOf(files.read('pipe'))).toBe('not-a-file');
    expect(await codeOf(files.write('pipe', ''))).toBe('not-a-file');
    await expect(files.stat('/tmp/none')).rejects.toThrow("'/tmp/none' does not exist");
  });

  test('mode and owner are changed', async () => {
    await sandbox.files.write('/tmp/mode', '');
    await sandbox.files.chmod('/tmp/mode', 0o741);
    expect((await sandbox.files.stat('/tmp/mode')).mode).toBe(0o741);
    if (mode === 'directory') return;
    await sandbox.files.chown('/tmp/mode', { user: 'daytona', group: 0 });
    // Without root all files belong to one user, whatever they are asked to.
    const [owner, group] = IS_ROOT ? ['daytona', 'root'] : ['user', 'user'];
    expect(await sandbox.files.stat('/tmp/mode')).toMatchObject({ owner, group });
    const nobody = sandbox.files.chown('/tmp/mode', { group: 'nemo' });
    expect(await codeOf(nobody)).toBe('unknown-user');
  });

  test('links are described, followed inside, and never lead out', async () => {
    const { files } = sandbox;
    await files.write('/tmp/target', 'target');
    const up = '../'.repeat(30);
    for (const [name, to] of [
      ['inner', '/tmp/target'],
      ['file-out', join(outside, 'secret')],
      ['dir-out', outside],
      ['up', `${up}${outside}`],
      ['loop', 'loop'],
    ]) {
      await run(sandbox, { argv: ['ln', '-s', `${to}`, `${name}`] });
    }
    expect(await files.stat('inner')).toMatchObject({
      type: 'symlink',
      symlinkTarget: '/tmp/target',
    });
    expect(await files.stat('inner', { follow: true })).toMatchObject({ type: 'file', size: 6 });
    expect(await content(sandbox, 'inner')).toBe('target');
    for (const path of ['file-out', 'dir-out/secret', 'up/secret', `${up}${outside}/secret`]) {
      expect(await codeOf(files.read(path)), path).toBe('not-found');
    }
    expect(await codeOf(files.read('loop'))).toBe('link-loop');
    await files.write('dir-out/written', 'x');
    expect(() => readFileSync(join(outside, 'written'))).toThrow('ENOENT');
    await files.mkdir('/tmp/holder');
    await run(sandbox, { argv: ['ln', '-s', outside, '/tmp/holder/link'] });
    await files.remove('/tmp/holder', { recursive: true });
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('of the host');
  });

  test('sandboxes do not see each other’s files, nor the host’s temporary ones', async () => {
    const other = await engine.create({ id: 'other' });
    await sandbox.files.write('/tmp/mine', '');
    expect(await other.files.exists('/tmp/mine')).toBe(false);
    expect(await other.files.list('/tmp')).toEqual([]);
    expect(await other.files.exists(join(outside, 'secret'))).toBe(false);
    await other.delete();
  });

  test('mounts are shared, and not part of the sandbox', async () => {
    const shared = join(outside, 'shared');
    const fixed = join(outside, 'fixed');
    for (const dir of [shared, fixed]) mkdirSync(dir, { recursive: true, mode: 0o777 });
    writeFileSync(join(fixed, 'given'), 'given');
    const mounts = [
      { hostDir: shared, path: '/data/shared' },
      { hostDir: fixed, path: '/data/fixed', readOnly: true },
    ];
    const one = await engine.create({ id: 'mounts', user: 'root', mounts });
    await one.files.write('/data/shared/x', 'from inside');
    expect(readFileSync(join(shared, 'x'), 'utf8')).toBe('from inside');
    expect(await content(one, '/data/fixed/given')).toBe('given');
    if (mode === 'namespaces') {
      expect(await codeOf(one.files.write('/data/fixed/y', ''))).toBe('denied');
      expect(await sh(one, 'cat /data/fixed/given')).toBe('given');
    }
    await one.delete();
    expect(readFileSync(join(shared, 'x'), 'utf8')).toBe('from inside');
    const bad = { id: 'bad', mounts: [{ hostDir: join(outside, 'none'), path: '/x' }] };
    expect(await codeOf(engine.create(bad))).toBe('not-found');
  });

  test('changes are told, also in new folders', async () => {
    await sandbox.files.mkdir('watched');
    const stop = new AbortController();
    const events = await sandbox.files.watch('watched', { recursive: true, signal: stop.signal });
    const steps: readonly (readonly [string, ...string[]])[] = [
      [': > a', 'create a'],
      ['echo x >> a', 'write a'],
      ['chmod 701 a', 'chmod a'],
      ['mv a b', 'rename a', 'create b'],
      ['rm b', 'remove b'],
      ['mkdir new; echo > new/in', 'create new', 'create new/in'],
      ['rm -r new', 'remove new/in', 'remove new'],
    ];
    for (const [script, ...wanted] of steps) {
      await sh(sandbox, script, { cwd: '/home/user/watched' });
      const missing = new Set(wanted);
      while (missing.size > 0) {
        const { value } = await events.next();
        missing.delete(`${value?.type} ${value?.name}`);
      }
    }
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });
});
