import { strict as assert } from 'node:assert';
import { createHash, randomBytes } from 'node:crypto';
import { beat, heart, isBeating, startsBeating } from '../beat.ts';
import { type Case, collect, type Kit, rejects } from '../kit.ts';

/** Ends and pauses, each by what survives it. */
export const LIFECYCLE: readonly Case[] = [
  {
    name: 'start: one that runs stays as it is',
    async run(kit) {
      const sandbox = await kit.shared();
      const file = `${await kit.folder(sandbox)}/beat`;
      const handle = await sandbox.spawn(heart(file));
      await startsBeating(kit, sandbox, file);
      await sandbox.start();
      assert.equal((await sandbox.info()).state, 'running');
      assert.ok(await isBeating(sandbox, file), 'Its processes ended');
      await handle.kill();
    },
  },
  {
    name: 'stop: the disk stays, processes end',
    async run(kit) {
      const sandbox = await kit.create();
      if (!(await kit.supports('stop', () => sandbox.stop()))) return;
      const folder = await kit.folder(sandbox);
      const file = `${folder}/beat`;
      await sandbox.files.write(`${folder}/kept`, 'on disk');
      await sandbox.spawn(heart(file));
      await startsBeating(kit, sandbox, file);
      await sandbox.stop();
      // Some backends do not tell one that was stopped from one that was paused.
      const { state } = await sandbox.info();
      assert.match(state, /^(?:stopped|paused)$/, 'Looking woke it, or it did not stop');
      kit.seen(`its state is ${state}`);
      assert.equal((await kit.provider.get(sandbox.id)).lastInfo.state, state);
      const stopped = await collect(kit.provider.list({ states: [state] }));
      assert.ok(stopped.some(({ id }) => id === sandbox.id));
      await sandbox.stop();
      await sandbox.start();
      assert.equal((await sandbox.info()).state, 'running');
      assert.equal(await sandbox.files.read(`${folder}/kept`, { as: 'text' }), 'on disk');
      assert.equal(await isBeating(sandbox, file), false, 'Its processes survived');
      assert.equal((await sandbox.exec('echo again')).stdout, 'again\n');
    },
  },
  {
    // Some backends lose files from the second time on, so once is not enough.
    name: 'pause: disk and memory stay, three times',
    async run(kit) {
      const sandbox = await kit.create();
      if (!(await kit.supports('pause', () => sandbox.pause()))) return;
      const earlier = await kit.provider.get(sandbox.id);
      const folder = await kit.folder(sandbox);
      const file = `${folder}/beat`;
      await sandbox.spawn(heart(file));
      await startsBeating(kit, sandbox, file);
      const hashes: string[] = [];
      for (const cycle of [1, 2, 3]) {
        const bytes = randomBytes(256 * 1024);
        hashes.push(createHash('sha256').update(bytes).digest('hex'));
        await sandbox.files.write(`${folder}/${cycle}`, bytes);
        const count = await beat(sandbox, file);
        await sandbox.pause();
        assert.equal(
          (await sandbox.info()).state,
          'paused',
          'Looking woke it, or it did not pause',
        );
        if (cycle === 2) await sandbox.pause();
        const started = performance.now();
        await sandbox.start();
        kit.seen(`started in ${Math.round(performance.now() - started)} ms`);
        const { stdout } = await sandbox.exec(
          hashes.map((_, index) => `sha256sum < '${folder}/${index + 1}'`).join('; '),
        );
        const read = stdout
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[0]);
        assert.deepEqual(read, hashes, `Files changed in pause ${cycle}`);
        assert.ok(await isBeating(sandbox, file), `Its processes did not survive pause ${cycle}`);
        assert.ok((await beat(sandbox, file)) > count, 'Its processes began anew');
      }
      assert.equal((await earlier.exec('echo works')).stdout, 'works\n', 'A handle from before');
      assert.equal(await earlier.files.exists(`${folder}/3`), true);
    },
  },
  {
    name: 'pause: a sleeping one is found, listed and deleted as it is',
    async run(kit) {
      const sandbox = await kit.create();
      if (!(await kit.supports('pause', () => sandbox.pause()))) return;
      await sandbox.pause();
      const found = await kit.provider.get(sandbox.id);
      assert.equal(found.lastInfo.state, 'paused');
      const paused = await collect(kit.provider.list({ states: ['paused'] }));
      assert.ok(paused.some(({ id }) => id === sandbox.id));
      assert.equal((await found.info()).state, 'paused', 'It was woken');
      await found.delete();
      assert.equal(await kit.provider.find(sandbox.id), undefined);
    },
  },
  {
    name: 'stop: who has it is refused, and goes on after start',
    run: (kit) => refusesAsleep(kit, 'stop'),
  },
  {
    name: 'pause: who has it is refused, and goes on after start',
    run: (kit) => refusesAsleep(kit, 'pause'),
  },
  {
    // Its idle policy says what happens by itself, not what a call does.
    name: 'stop: one that is deleted when it is idle',
    async run(kit) {
      const { stop, idlePolicy } = kit.capabilities;
      if (stop.support === 'unsupported' || !idlePolicy.actions.includes('delete')) {
        return kit.seen('it has none');
      }
      const sandbox = await kit.create({ onIdle: 'delete' });
      await sandbox.files.write('kept', 'on disk');
      const isRefused = await sandbox.stop().then(
        () => false,
        () => true,
      );
      if (isRefused) await kit.refused('stop', () => sandbox.stop());
      else await sandbox.start();
      assert.equal(await sandbox.files.read('kept', { as: 'text' }), 'on disk');
    },
  },
  {
    name: 'start: one that was found asleep is what it was created as',
    async run(kit) {
      const { stop, users, labels } = kit.capabilities;
      const verb = stop.support === 'unsupported' ? 'pause' : 'stop';
      const attempt = async () => (await kit.shared())[verb]();
      if (!(await kit.supports(verb, attempt))) return;
      const mark = kit.unique('mark');
      const sandbox = await kit.create({
        ...(users.support === 'unsupported' ? {} : { user: 'root' }),
        ...(labels.support === 'unsupported' ? {} : { labels: { mark } }),
      });
      const before = await sandbox.info();
      const { stdout: account } = await sandbox.exec('id -un');
      await sandbox[verb]();
      const found = await kit.provider.get(sandbox.id);
      await found.start();
      assert.equal((await found.exec('id -un')).stdout, account);
      const { state, labels: told, onIdle, idleTimeoutMs } = await found.info();
      assert.deepEqual(
        [state, told, onIdle, idleTimeoutMs],
        ['running', before.labels, before.onIdle, before.idleTimeoutMs],
      );
    },
  },
  {
    name: 'archive: the disk stays',
    async run(kit) {
      const sandbox = await kit.create();
      if (!(await kit.supports('archive', () => sandbox.archive()))) return;
      await sandbox.files.write('kept', 'on disk');
      await sandbox.archive();
      const { state } = await sandbox.info();
      assert.notEqual(state, 'running');
      kit.seen(`its state is ${state}`);
      await sandbox.start();
      assert.equal(await sandbox.files.read('kept', { as: 'text' }), 'on disk');
    },
  },
];

/** Whoever uses a sandbox that sleeps is told so, however it came by it, and does not wake it. */
async function refusesAsleep(kit: Kit, verb: 'stop' | 'pause'): Promise<void> {
  const sandbox = await kit.create();
  if (!(await kit.supports(verb, () => sandbox[verb]()))) return;
  const earlier = await kit.provider.get(sandbox.id);
  await sandbox.files.write('kept', 'on disk');
  await sandbox[verb]();
  const { state } = await sandbox.info();
  const handles = [sandbox, earlier, await kit.provider.get(sandbox.id)];
  for (const handle of handles) {
    const calls = [
      () => handle.exec('true'),
      () => handle.spawn('true'),
      () => handle.files.read('kept'),
      () => handle.files.write('more', 'x'),
    ];
    for (const call of calls) {
      const { retryable } = await rejects(call(), 'conflict');
      assert.equal(retryable, false, 'Whoever tries again will find it asleep again');
    }
  }
  assert.equal((await sandbox.info()).state, state, 'It was woken');
  await earlier.start();
  for (const handle of handles) {
    assert.equal(await handle.files.read('kept', { as: 'text' }), 'on disk');
    assert.equal((await handle.exec('echo again')).stdout, 'again\n');
    assert.equal(await handle.files.exists('more'), false, 'It was written while it slept');
  }
}
