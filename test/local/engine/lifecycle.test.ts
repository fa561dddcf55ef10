import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../src/local/engine/clock.ts';
import { createEngine, type Engine } from '../../../src/local/engine/engine.ts';
import {
  codeOf,
  content,
  folder,
  IS_ROOT,
  modes,
  mountsIn,
  PATIENCE,
  removeFolders,
  running,
  sh,
  until,
  withEngine,
} from './support.ts';

const ENGINE = join(import.meta.dirname, '../../../src/local/engine/engine.ts');

describe.each(await modes())('lifecycle: $title', ({ mode, isMissing }) => {
  if (isMissing) return test.skip('all of it');
  let engine: Engine;

  beforeAll(async () => {
    engine = await createEngine({ isolation: mode, dir: folder(), clock: new ManualClock(5) });
  }, PATIENCE);

  afterAll(async () => {
    await engine.close();
    removeFolders();
  }, PATIENCE);

  test('an engine says how it isolates and what that cannot do', () => {
    expect(engine.isolation.mode).toBe(mode);
    expect(engine.isolation.reason).not.toBe('');
    expect(engine.isolation.limits.length).toBeGreaterThan(0);
  });

  test('sandboxes are created, found, listed and deleted', async () => {
    const sandbox = await engine.create({ id: 'a' });
    expect([sandbox.state, sandbox.createdAt]).toEqual(['running', 5]);
    expect(await codeOf(engine.create({ id: 'a' }))).toBe('exists');
    expect(engine.get('a')).toBe(sandbox);
    expect(engine.list().map(({ id }) => id)).toEqual(['a']);
    const sleeper = await sandbox.spawn({ argv: ['sleep', '600'] });
    await Promise.all([sandbox.delete(), sandbox.delete()]);
    await sandbox.delete();
    expect(await sleeper.exit).toEqual({ exitCode: 137, signal: 'SIGKILL' });
    expect([sandbox.state, engine.get('a'), engine.list()]).toEqual(['deleted', undefined, []]);
    expect(await codeOf(sandbox.spawn({ argv: ['true'] }))).toBe('not-running');
    expect(await codeOf(sandbox.start())).toBe('not-found');
  });

  test('pause stops everything, also children that left; resume goes on', async () => {
    const sandbox = await engine.create({ id: 'pause' });
    const count =
      'n=0; while :; do n=$((n+1)); echo $n > counter.new; mv counter.new counter; done';
    await sh(sandbox, `setsid sh -c '${count}' > /dev/null 2>&1 < /dev/null &`);
    const counter = async () => Number(await content(sandbox, 'counter'));
    await until(async () => (await sandbox.files.exists('counter')) && (await counter()) > 0);
    await sandbox.pause();
    expect(sandbox.state).toBe('paused');
    expect(await codeOf(sandbox.spawn({ argv: ['true'] }))).toBe('not-running');
    const paused = await counter();
    // Another sandbox gets a lot done meanwhile.
    const other = await engine.create({ id: 'busy' });
    for (let i = 0; i < 20; i++) await sh(other, 'true');
    expect(await counter()).toBe(paused);
    await sandbox.resume();
    await until(async () => (await counter()) > paused);
    await sandbox.pause();
    await sandbox.delete();
    await other.delete();
  });

  test('what is paused can be stopped, deleted and closed, with processes of any kind in it', async () => {
    const own = await createEngine({ dir: folder(), isolation: mode });
    const sandboxes = await Promise.all(['a', 'b', 'c', 'd'].map((id) => own.create({ id })));
    const sleepers = await Promise.all(
      sandboxes.map((one) => one.spawn({ argv: ['sh', '-c', 'sleep 600; true'], stdin: true })),
    );
    await Promise.all(sandboxes.map((one) => one.pause()));
    const [stopped, deleted] = sandboxes;
    await stopped?.stop();
    await deleted?.delete();
    await own.close();
    for (const { exit } of sleepers) expect((await exit).signal).toBe('SIGKILL');
  });

  test('stop ends processes and keeps the disk', async () => {
    const sandbox = await engine.create({ id: 'stop' });
    const sleeper = await sandbox.spawn({ argv: ['sleep', '600'] });
    await sh(sandbox, 'echo kept > file; echo kept > ../../tmp/file');
    await sandbox.stop();
    await sandbox.stop();
    expect((await sleeper.exit).signal).toBe('SIGKILL');
    expect(sandbox.state).toBe('stopped');
    expect(await codeOf(sandbox.files.stat('file'))).toBe('not-running');
    expect(await codeOf(sandbox.pause())).toBe('not-running');
    await sandbox.start();
    expect(await content(sandbox, 'file')).toBe('kept\n');
    expect(await content(sandbox, '/tmp/file')).toBe('kept\n');
    await sandbox.delete();
  });

  test('snapshots keep files, removals and replaced folders; rollback returns to them', async () => {
    const sandbox = await engine.create({ id: 'snap' });
    await sh(sandbox, 'mkdir d; echo 1 > d/one; echo 1 > changed; echo 1 > removed; ln -s d link');
    await engine.snapshot('snap', 'first');
    await sh(
      sandbox,
      'rm -r d; mkdir d; echo 2 > d/two; echo 2 > changed; rm removed; chmod 700 d',
    );
    await sandbox.stop();
    await engine.snapshot('snap', 'second');

    const copy = await engine.create({ id: 'copy', from: 'second' });
    const listing = 'find . -name "[a-z]*" | sort; cat changed; readlink link';
    expect(await sh(copy, listing)).toBe('./changed\n./d\n./d/two\n./link\n2\nd\n');
    expect((await copy.files.stat('d')).mode).toBe(0o700);
    const late = await sandbox.start().then(() => sandbox.spawn({ argv: ['sleep', '600'] }));
    await sandbox.rollback('first');
    expect((await late.exit).signal).toBe('SIGKILL');
    expect(await sh(sandbox, listing)).toBe('./changed\n./d\n./d/one\n./link\n./removed\n1\nd\n');
    // What is written later touches neither the snapshot nor its other users.
    await sh(sandbox, 'echo 3 > changed; rm -r d');
    await engine.snapshot('snap', 'third');
    await sandbox.rollback('first');
    expect(await sh(sandbox, listing)).toContain('./d/one');
    await sandbox.rollback('third');
    expect(await sh(sandbox, listing)).toBe('./changed\n./link\n./removed\n3\nd\n');

    await engine.deleteSnapshot('second');
    expect(await sh(copy, 'cat changed')).toBe('2\n');
    expect(await codeOf(engine.create({ id: 'none', from: 'second' }))).toBe('not-found');
    expect(await codeOf(engine.snapshot('copy', 'first'))).toBe('exists');
    expect(engine.snapshots().map(({ id }) => id)).toEqual(['first', 'third']);
    await sandbox.delete();
    await copy.delete();
  });

  test('usage tells of processes, memory, processor time and files', async () => {
    const sandbox = await engine.create({ id: 'usage' });
    const idle = await sandbox.usage();
    expect(idle).toMatchObject({ cpuMs: 0, memoryBytes: 0, processes: 0 });
    await sandbox.delete();

    const busy = await engine.create({ id: 'busy' });
    await sh(busy, 'head -c 3000000 /dev/zero > file');
    const loop = await busy.spawn({ argv: ['sh', '-c', 'while :; do :; done'] });
    await until(async () => (await busy.usage()).cpuMs > 0);
    const usage = await busy.usage();
    expect(usage.processes).toBeGreaterThan(0);
    expect(usage.memoryBytes).toBeGreaterThan(10_000);
    expect(usage.diskBytes).toBeGreaterThanOrEqual(3_000_000);
    await busy.stop();
    expect((await loop.exit).signal).toBe('SIGKILL');
    expect(await busy.usage()).toMatchObject({ cpuMs: 0, memoryBytes: 0, processes: 0 });
    await busy.delete();
  });

  test('many at once', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `many-${i}`);
    const sandboxes = await Promise.all(ids.map((id) => engine.create({ id })));
    const answers = await Promise.all(sandboxes.map((one, i) => sh(one, `echo ${i}`)));
    expect(answers).toEqual(ids.map((_, i) => `${i}\n`));
    await Promise.all(sandboxes.map((sandbox) => sandbox.delete()));
  });

  test('close leaves no process, mount or folder', async () => {
    const dir = folder();
    const own = await createEngine({ isolation: mode, dir });
    const sandbox = await own.create({ id: 'x' });
    await sh(sandbox, 'setsid sleep 98761 > /dev/null 2>&1 < /dev/null &');
    await sandbox.pause();
    await own.close();
    expect(readdirSync(dir)).toEqual([]);
    expect(mountsIn(dir)).toEqual([]);
    expect(running('sleep\0' + '98761')).toEqual([]);
    expect(await codeOf(own.create({ id: 'y' }))).toBe('closed');
  });

  test('a server that is killed takes its processes along, and is swept by the next one only', async () => {
    const dir = folder();
    const program = `
      import { createEngine } from ${JSON.stringify(ENGINE)};
      const engine = await createEngine({ isolation: '${mode}', dir: ${JSON.stringify(dir)} });
      const one = await engine.create({ id: 'one' });
      const paused = await engine.create({ id: 'paused' });
      for (const sandbox of [one, paused]) await sandbox.spawn({ argv: ['sleep', '98762'] });
      await one.spawn({ argv: ['sh', '-c', 'setsid sleep 98762 & wait'] });
      await paused.pause();
      console.log('ready');
      setInterval(() => {}, 1000);
    `;
    const args = ['--import', 'tsx', '--input-type=module', '-e', program];
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => server.stdout.once('data', resolve));
    const left = readdirSync(dir);
    expect(left).toHaveLength(1);

    const live = await createEngine({ isolation: mode, dir });
    expect(readdirSync(dir)).toEqual(expect.arrayContaining(left));
    await until(() => running('sleep\0' + '98762').length >= 3);
    server.kill('SIGKILL');
    await new Promise((resolve) => server.once('exit', resolve));
    await until(() => running('sleep\0' + '98762').length === 0);
    await until(() => running(`${left[0]}`).length === 0);

    const next = await createEngine({ isolation: mode, dir });
    expect(readdirSync(dir)).not.toEqual(expect.arrayContaining(left));
    const sandbox = await live.create({ id: 'still' });
    expect(await sh(sandbox, 'echo fine')).toBe('fine\n');
    await next.close();
    await live.close();
    expect(readdirSync(dir)).toEqual([]);
  });

  test.skipIf(!existsSync('/proc/self'))('a folder that cannot be made is refused', async () => {
    for (const dir of ['/proc/nope', '/proc/nope/deeper', join(ENGINE, 'below a file')]) {
      expect(await codeOf(createEngine({ isolation: mode, dir }))).toBe('denied');
    }
    const own = await createEngine({ isolation: mode, dir: join(folder(), 'a', 'b') });
    await own.close();
  });

  test.skipIf(!IS_ROOT || process.platform !== 'linux')(
    'a full disk is an error of its own (needs root to make one)',
    async () => {
      const dir = join(folder(), 'small');
      mkdirSync(dir);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', dir]);
      try {
        const own = await createEngine({ isolation: mode, dir });
        const sandbox = await own.create({ id: 'full' });
        async function* source() {
          for (let i = 0; i < 32; i++) yield Buffer.alloc(1_000_000);
        }
        expect(await codeOf(sandbox.files.write('/tmp/big', source()))).toBe('no-space');
        await sandbox.files.remove('/tmp/big');
        expect(await sh(sandbox, 'echo fine > /dev/null; echo ok')).toBe('ok\n');
        await own.close();
        expect(existsSync(join(dir, 'sandboxes'))).toBe(false);
      } finally {
        execFileSync('umount', [dir]);
      }
    },
  );

  test('sandboxes booted ahead are as those booted when asked for, and go with the engine', async () => {
    const dir = folder();
    const own = await createEngine({ isolation: mode, dir, spares: 2 });
    const plain = ['a', 'b', 'c', 'd'].map((id) => own.create({ id, user: 'root' }));
    const mounted = mkdtempSync(join(folder(), 'mounted-'));
    const others = [
      own.create({ id: 'mounts', mounts: [{ hostDir: mounted, path: '/data' }] }),
      own.create({ id: 'limits', limits: { pids: 400 } }),
    ];
    for (const sandbox of await Promise.all([...plain, ...others])) {
      await sh(sandbox, `echo ${sandbox.id} > mine`);
      expect(await sh(sandbox, 'ls; cat mine')).toBe(`mine\n${sandbox.id}\n`);
      await sandbox.stop();
      await sandbox.start();
      expect(await sh(sandbox, 'cat mine')).toBe(`${sandbox.id}\n`);
    }
    await own.close();
    expect(readdirSync(dir)).toEqual([]);
    expect(mountsIn(dir)).toEqual([]);
  });

  test('what a sandbox may not be called or given', async () => {
    await withEngine(mode, async (own) => {
      const sandbox = await own.create({ id: '../odd id' });
      expect(await codeOf(sandbox.spawn({ argv: [] }))).toBe('invalid');
      expect(await codeOf(sandbox.spawn({ argv: ['true'], env: { 'A=B': '' } }))).toBe('invalid');
      expect(await codeOf(sandbox.spawn({ argv: ['a\0b'] }))).toBe('invalid');
    });
  });
});
