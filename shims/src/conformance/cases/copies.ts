import { strict as assert } from 'node:assert';
import type { Sandbox } from '../../provider/sandbox.ts';
import { type Case, rejects } from '../kit.ts';

const read = (sandbox: Sandbox): Promise<string> => sandbox.files.read('state', { as: 'text' });

/** Saved states and copies. */
export const COPIES: readonly Case[] = [
  {
    name: 'snapshots: restore sees the old state',
    async run(kit) {
      const { snapshots } = kit.provider;
      const sandbox = await kit.create();
      await sandbox.files.write('state', 'old');
      if (!(await kit.supports('snapshots', () => sandbox.snapshot()))) return;
      const snapshot = await sandbox.snapshot();
      try {
        await sandbox.files.write('state', 'new');
        const listed = await snapshots.list();
        assert.ok(listed.some(({ id }) => id === snapshot.id));
        const labels = kit.options().labels ?? {};
        const restored = await kit.adopt(() => snapshots.restore(snapshot.id, { labels }));
        assert.notEqual(restored.id, sandbox.id);
        assert.equal(await read(restored), 'old');
        await restored.files.write('state', 'third');
        assert.equal(await read(sandbox), 'new', 'What it was taken of has changed');
        // Some backends keep a snapshot that something runs on.
        await kit.remove(restored);
      } finally {
        await snapshots.delete(snapshot.id);
      }
      await snapshots.delete(snapshot.id);
      const left = await snapshots.list();
      assert.ok(left.every(({ id }) => id !== snapshot.id));
    },
  },
  {
    name: 'snapshots: a name',
    async run(kit) {
      const { snapshots } = kit.provider;
      const sandbox = await kit.create();
      const name = kit.unique('snapshot');
      if (!(await kit.supports('snapshots', () => sandbox.snapshot({ name })))) return;
      await sandbox.files.write('state', 'old');
      const snapshot = await sandbox.snapshot({ name });
      try {
        assert.equal(snapshot.sandboxId, sandbox.id);
        const listed = await snapshots.list({ sandboxId: sandbox.id });
        const found = listed.filter(({ id }) => id === snapshot.id);
        assert.deepEqual(
          found.map((one) => one.name),
          [snapshot.name],
        );
        kit.seen(`its name is ${snapshot.name === name ? 'as given' : snapshot.name}`);
        const restored = await kit.adopt(() => snapshots.restore(snapshot.id));
        assert.equal(await read(restored), 'old');
        await kit.remove(restored);
      } finally {
        await snapshots.delete(snapshot.id);
      }
    },
  },
  {
    name: 'snapshots: one outlives its sandbox',
    async run(kit) {
      const { snapshots } = kit.provider;
      const sandbox = await kit.create();
      await sandbox.files.write('state', 'old');
      if (!(await kit.supports('snapshots', () => sandbox.snapshot()))) return;
      const snapshot = await sandbox.snapshot();
      try {
        await kit.remove(sandbox);
        const restored = await kit.adopt(() => snapshots.restore(snapshot.id));
        assert.equal(await read(restored), 'old');
        await kit.remove(restored);
      } finally {
        await snapshots.delete(snapshot.id);
      }
    },
  },
  {
    name: 'snapshots: one that there is not',
    async run(kit) {
      const { snapshots } = kit.provider;
      if (!(await kit.supports('snapshots', () => snapshots.list()))) return;
      const unknown = '00000000-0000-4000-8000-000000000000';
      await rejects(snapshots.restore(unknown), 'not_found');
      await snapshots.delete(unknown);
    },
  },
  {
    name: 'rollback: the same sandbox, as it was',
    async run(kit) {
      const sandbox = await kit.create();
      if (!(await kit.supports('rollback', () => sandbox.rollback('none')))) return;
      await sandbox.files.write('state', 'old');
      const snapshot = await sandbox.snapshot();
      try {
        await sandbox.files.write('state', 'new');
        await sandbox.files.write('added', 'x');
        await sandbox.rollback(snapshot.id);
        assert.equal(await read(sandbox), 'old');
        assert.equal(await sandbox.files.exists('added'), false);
        assert.equal(await read(await kit.provider.get(sandbox.id)), 'old');
      } finally {
        await kit.provider.snapshots.delete(snapshot.id);
      }
    },
  },
  {
    name: 'fork: both go on apart',
    async run(kit) {
      const sandbox = await kit.create();
      if (!(await kit.supports('fork', () => sandbox.fork()))) return;
      await sandbox.files.write('state', 'common');
      const copy = await kit.adopt(() => sandbox.fork());
      assert.notEqual(copy.id, sandbox.id);
      assert.equal(await read(copy), 'common');
      await sandbox.files.write('state', 'of the first');
      await copy.files.write('state', 'of the copy');
      assert.equal(await read(sandbox), 'of the first');
      assert.equal(await read(copy), 'of the copy');
      assert.equal((await kit.provider.get(copy.id)).id, copy.id);
      await kit.remove(sandbox);
      assert.equal(await read(copy), 'of the copy', 'The copy needs what it was copied from');
    },
  },
];
