import { strict as assert } from 'node:assert';
import type { VolumeMount } from '../../provider/create.ts';
import { type Case, type Kit, rejects } from '../kit.ts';

/** Storage that outlives sandboxes. */
export const VOLUMES: readonly Case[] = [
  {
    name: 'volumes: create, find and delete',
    async run(kit) {
      const { volumes } = kit.provider;
      if (!(await kit.supports('volumes', () => volumes.list()))) return;
      const name = kit.unique('volume');
      await rejects(volumes.get(name), 'not_found');
      const volume = await volumes.create(name);
      try {
        assert.equal(volume.name, name);
        assert.equal((await volumes.get(name)).id, volume.id);
        assert.equal((await volumes.get(name, { create: true })).id, volume.id);
        assert.ok((await volumes.list()).some(({ id }) => id === volume.id));
        await rejects(volumes.create(name), 'conflict');
      } finally {
        await volumes.delete(name);
      }
      await volumes.delete(name);
      await kit.until('it is gone', async () => {
        const left = await volumes.list();
        return left.every(({ id }) => id !== volume.id);
      });
      await rejects(volumes.get(name), 'not_found');
      assert.equal((await volumes.get(name, { create: true })).name, name);
      await volumes.delete(name);
    },
  },
  {
    name: 'volumes: data is shared, and outlives sandboxes',
    async run(kit) {
      await withVolume(kit, async (mount) => {
        const first = await kit.create({ volumes: [mount] });
        const { volumes } = await first.info();
        assert.deepEqual(
          volumes.map(({ volume, path }) => ({ volume, path })),
          [{ volume: mount.volume, path: mount.path }],
        );
        await first.exec(`echo from-one > '${mount.path}/one'`);
        if (kit.capabilities.volumes.sharedWrite) {
          const second = await kit.create({ volumes: [mount] });
          assert.equal((await second.exec(`cat '${mount.path}/one'`)).stdout, 'from-one\n');
          await second.files.write(`${mount.path}/two`, 'from-two');
          await kit.until('the first sees what the second wrote', () =>
            first.files.exists(`${mount.path}/two`),
          );
          await kit.remove(second);
          kit.seen('both wrote to it at the same time');
        }
        await kit.remove(first);
        const later = await kit.create({ volumes: [mount] });
        assert.equal((await later.exec(`cat '${mount.path}/one'`)).stdout, 'from-one\n');
        await kit.remove(later);
      });
    },
  },
  {
    name: 'volumes: still mounted after a sleep',
    async run(kit) {
      await withVolume(kit, async (mount) => {
        for (const verb of ['stop', 'pause'] as const) {
          if (kit.capabilities[verb].support === 'unsupported') continue;
          const sandbox = await kit.create({ volumes: [mount] });
          await sandbox.exec(`echo ${verb} > '${mount.path}/file'`);
          const isRefused = await sandbox[verb]().then(
            () => false,
            () => true,
          );
          if (isRefused) await kit.refused(`${verb} with a volume`, () => sandbox[verb]());
          else await sandbox.start();
          assert.equal((await sandbox.exec(`cat '${mount.path}/file'`)).stdout, `${verb}\n`);
          await kit.remove(sandbox);
        }
      });
    },
  },
  {
    name: 'volumes: a folder of one',
    async run(kit) {
      await withVolume(kit, async (mount) => {
        const part = { ...mount, subpath: 'part' };
        if (!kit.capabilities.volumes.subpath) {
          const attempt = () => kit.provider.create(kit.options({ volumes: [part] }));
          return kit.refused('a subpath', attempt);
        }
        const first = await kit.create({ volumes: [mount] });
        await first.exec(`mkdir '${mount.path}/part' && echo inside > '${mount.path}/part/file'`);
        await kit.remove(first);
        const second = await kit.create({ volumes: [part] });
        assert.equal((await second.exec(`cat '${mount.path}/file'`)).stdout, 'inside\n');
        await kit.remove(second);
      });
    },
  },
  {
    name: 'volumes: for reading only',
    async run(kit) {
      await withVolume(kit, async (mount) => {
        const closed = { ...mount, readOnly: true };
        if (!kit.capabilities.volumes.readOnly) {
          const attempt = () => kit.provider.create(kit.options({ volumes: [closed] }));
          return kit.refused('mounting for reading only', attempt);
        }
        const sandbox = await kit.create({ volumes: [closed] });
        const { exitCode } = await sandbox.exec(`echo x > '${mount.path}/file'`);
        assert.notEqual(exitCode, 0, 'It can be written to');
        await kit.remove(sandbox);
      });
    },
  },
  {
    name: 'volumes: one that there is not',
    async run(kit) {
      const mount = { volume: kit.unique('no-volume'), path: '/tmp/conformance-data' };
      const attempt = () => kit.provider.create(kit.options({ volumes: [mount] }));
      if (!(await kit.supports('volumes', attempt))) return;
      const { code } = await rejects(attempt(), 'not_found', 'invalid_argument');
      kit.seen(`refused with ${code}`);
    },
  },
];

async function withVolume(kit: Kit, use: (mount: VolumeMount) => Promise<void>): Promise<void> {
  const volume = kit.unique('volume');
  const mount = { volume, path: `/tmp/${kit.unique('data')}` };
  const attempt = () => kit.provider.create(kit.options({ volumes: [mount] }));
  if (!(await kit.supports('volumes', attempt))) return;
  await kit.provider.volumes.create(volume);
  try {
    await use(mount);
  } finally {
    await kit.provider.volumes.delete(volume).catch(() => kit.seen(`the volume ${volume} is left`));
  }
}
