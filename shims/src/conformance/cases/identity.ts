import { strict as assert } from 'node:assert';
import { type Case, collect, rejects } from '../kit.ts';

/** Finding sandboxes, and telling that there is none. */
export const IDENTITY: readonly Case[] = [
  {
    name: 'find: one that exists',
    async run(kit) {
      const sandbox = await kit.shared();
      const { provider } = kit;
      assert.equal(sandbox.id, `${provider.name}:${sandbox.nativeId}`);
      assert.equal(sandbox.provider, provider.name);
      for (const id of [sandbox.id, sandbox.nativeId]) {
        assert.equal((await provider.get(id)).id, sandbox.id);
        assert.equal((await provider.find(id))?.id, sandbox.id);
      }
      const other = await provider.get(sandbox.id);
      const { stdout } = await other.exec('echo the same');
      assert.equal(stdout, 'the same\n');
    },
  },
  {
    name: 'info: what is told of one',
    async run(kit) {
      const sandbox = await kit.shared();
      const info = await sandbox.info();
      assert.equal(sandbox.lastInfo, info);
      const { id, nativeId, provider, state } = info;
      assert.deepEqual(
        { id, nativeId, provider, state },
        {
          id: sandbox.id,
          nativeId: sandbox.nativeId,
          provider: kit.provider.name,
          state: 'running',
        },
      );
      assert.deepEqual(info.volumes, []);
      const { createdAt, resources, template } = info;
      if (createdAt !== undefined) {
        const age = Date.now() - createdAt.getTime();
        assert.ok(age > -600_000 && age < 86_400_000, `It was created ${age} ms ago`);
      }
      kit.seen(`template ${template}, resources ${JSON.stringify(resources)}`);
    },
  },
  {
    name: 'list: all, and by state',
    async run(kit) {
      const { provider } = kit;
      const sandbox = await kit.shared();
      const ids = async (states?: Parameters<typeof provider.list>[0]): Promise<string[]> =>
        (await collect(provider.list(states))).map(({ id }) => id);
      await kit.until('it is in the list', async () => (await ids()).includes(sandbox.id));
      assert.ok((await ids({ states: ['running'] })).includes(sandbox.id));
      assert.ok(!(await ids({ states: ['paused', 'stopped'] })).includes(sandbox.id));
      const [one] = (await collect(provider.list())).filter(({ id }) => id === sandbox.id);
      assert.equal(one?.lastInfo.state, 'running');
    },
  },
  {
    name: 'find: one that never was',
    async run(kit) {
      const { nativeId } = await kit.shared();
      // Of the same form: what a backend cannot read as an id, it may refuse as such.
      const unknown = nativeId.replace(/[0-9a-z]$/i, (last) => (last === '0' ? '1' : '0'));
      assert.equal(await kit.provider.find(unknown), undefined);
      const error = await rejects(kit.provider.get(unknown), 'not_found');
      assert.equal(error.sandboxId, `${kit.provider.name}:${unknown}`);
      await kit.provider.delete(unknown);
    },
  },
  {
    name: 'find: one of another provider',
    async run(kit) {
      const { nativeId } = await kit.shared();
      for (const id of [
        `other-than-${kit.provider.name}:${nativeId}`,
        '',
        `${kit.provider.name}:`,
      ]) {
        await rejects(kit.provider.get(id), 'invalid_argument');
        await rejects(kit.provider.find(id), 'invalid_argument');
        await rejects(kit.provider.delete(id), 'invalid_argument');
      }
      assert.equal((await kit.provider.get(nativeId)).nativeId, nativeId, 'It is gone');
    },
  },
  {
    name: 'delete: it is gone',
    async run(kit) {
      const { provider } = kit;
      const sandbox = await kit.create();
      const other = await provider.get(sandbox.id);
      await sandbox.files.write('file', 'x');
      await sandbox.delete();
      await sandbox.delete();
      await other.delete();
      await provider.delete(sandbox.id);
      assert.equal(await provider.find(sandbox.id), undefined);
      await rejects(provider.get(sandbox.id), 'not_found');
      await kit.until('it is in no list', async () => {
        const all = await collect(provider.list());
        return all.every(({ id }) => id !== sandbox.id);
      });
      for (const handle of [sandbox, other]) {
        await rejects(handle.exec('true'), 'not_found');
        await rejects(handle.spawn('true'), 'not_found');
        await rejects(handle.files.read('file'), 'not_found');
        await rejects(handle.files.write('file', 'y'), 'not_found');
        await rejects(handle.info(), 'not_found');
        await rejects(handle.start(), 'not_found');
      }
    },
  },
];
