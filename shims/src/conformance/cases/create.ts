import { strict as assert } from 'node:assert';
import { type Case, collect, rejects } from '../kit.ts';

/** What new sandboxes are like. */
export const CREATE: readonly Case[] = [
  {
    name: 'create: variables of every process',
    async run(kit) {
      const value = ` it's "$HOME" ü`;
      const sandbox = await kit.create({ env: { KIT_ONE: value, KIT_TWO: 'two' } });
      const show = 'printf "%s|%s" "$KIT_ONE" "$KIT_TWO"';
      assert.equal((await sandbox.exec(show)).stdout, `${value}|two`);
      const own = await sandbox.exec(show, { env: { KIT_TWO: 'own' } });
      assert.equal(own.stdout, `${value}|own`);
      const other = await kit.provider.get(sandbox.id);
      const later = await other.exec(show);
      kit.seen(
        later.stdout === `${value}|two`
          ? 'also for who finds it later'
          : 'not for who finds it later',
      );
    },
  },
  {
    name: 'create: sandboxes are apart',
    async run(kit) {
      const one = await kit.shared();
      const two = await kit.create();
      assert.notEqual(one.id, two.id);
      const name = kit.unique('apart');
      await one.files.write(name, 'x');
      assert.equal(await two.files.exists(name), false);
      await one.files.remove(name);
    },
  },
  {
    name: 'create: twice with one token',
    async run(kit) {
      const token = kit.unique('token');
      const first = await kit.create({ token });
      await first.files.write('file', 'kept');
      const second = await kit.provider.create(kit.options({ token }));
      assert.equal(second.id, first.id);
      assert.equal(await second.files.read('file', { as: 'text' }), 'kept');
      const shown = Object.keys(second.lastInfo.labels).filter((key) =>
        key.startsWith('cubeshift-'),
      );
      assert.deepEqual(shown, [], 'Labels of this package are shown');
      await kit.remove(first);
      const third = await kit.create({ token });
      assert.notEqual(third.id, first.id, 'One that is gone was given');
    },
  },
  {
    name: 'create: with the token of one that sleeps',
    async run(kit) {
      const { stop, labels } = kit.capabilities;
      const verb = stop.support === 'unsupported' ? 'pause' : 'stop';
      const attempt = async () => (await kit.shared())[verb]();
      if (!(await kit.supports(verb, attempt))) return;
      const token = kit.unique('token');
      const mark = kit.unique('mark');
      const has = labels.support !== 'unsupported';
      const first = await kit.create({ token, ...(has ? { labels: { mark } } : {}) });
      await first[verb]();
      // Some backends lose labels meanwhile, and the token with them.
      const isKnown = !has || (await collect(kit.provider.list({ labels: { mark } }))).length > 0;
      if (!isKnown) return kit.seen('one that sleeps is not found by its labels');
      const second = await kit.provider.create(kit.options({ token }));
      assert.equal(second.id, first.id);
      assert.equal((await second.exec('echo works')).stdout, 'works\n');
    },
  },
  {
    // Nothing is promised for calls that run at the same time, but that later ones give one of theirs.
    name: 'create: at once with one token',
    async run(kit) {
      const token = kit.unique('token');
      await kit.makeRoom();
      const both = await Promise.all(
        [1, 2].map(() => kit.adopt(() => kit.provider.create(kit.options({ token })))),
      );
      const ids = new Set(both.map(({ id }) => id));
      kit.seen(`two calls at once made ${ids.size}`);
      const later = await kit.provider.create(kit.options({ token }));
      assert.ok(ids.has(later.id));
    },
  },
  {
    name: 'create: a name',
    async run(kit) {
      const name = kit.unique('name');
      if (!(await kit.supports('names', () => kit.provider.create(kit.options({ name }))))) return;
      const sandbox = await kit.create({ name });
      assert.equal((await sandbox.info()).name, name);
      await kit.until('it is found by its name', async () => {
        const found = await kit.provider.find(name);
        return found?.id === sandbox.id;
      });
      await rejects(kit.create({ name }), 'conflict');
      assert.equal(await kit.provider.find(kit.unique('no-name')), undefined);
    },
  },
  {
    name: 'create: another account',
    async run(kit) {
      const options = kit.options({ user: 'root' });
      if (!(await kit.supports('users', () => kit.provider.create(options)))) return;
      const sandbox = await kit.create({ user: 'root' });
      assert.equal((await sandbox.exec('id -un')).stdout.trim(), 'root');
      await sandbox.files.write('file', 'x');
      assert.match((await sandbox.exec('ls -l file')).stdout, /root/);
    },
  },
  {
    name: 'create: rules for the network',
    async run(kit) {
      const network = { internet: false };
      const attempt = () => kit.provider.create(kit.options({ network }));
      if (!(await kit.supports('network', attempt))) return;
      const sandbox = await kit.create({ network });
      assert.equal((await sandbox.exec('echo works')).stdout, 'works\n');
    },
  },
  {
    name: 'list: no more than asked for',
    async run(kit) {
      const sandbox = await kit.shared();
      for await (const one of kit.provider.list()) {
        assert.ok(one.id.startsWith(`${kit.provider.name}:`));
        break;
      }
      const stop = AbortSignal.abort(new Error('never mind'));
      const list = collect(kit.provider.list({}, { signal: stop }));
      const outcome = await list.catch((error) => error);
      kit.seen(outcome === stop.reason ? 'an aborted list rejects' : 'an aborted list goes on');
      assert.equal((await sandbox.exec('true')).exitCode, 0);
    },
  },
];
