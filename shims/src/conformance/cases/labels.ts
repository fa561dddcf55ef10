import { strict as assert } from 'node:assert';
import type { Case } from '../kit.ts';
import { collect } from '../kit.ts';

/** Small texts to find sandboxes by. */
export const LABELS: readonly Case[] = [
  {
    name: 'labels: given at creation, and looked for',
    async run(kit) {
      const mark = kit.unique('mark');
      const labels = { mark, note: 'with space, ü & "quotes"' };
      const attempt = () => kit.provider.create(kit.options({ labels }));
      if (!(await kit.supports('labels', attempt))) return;
      const sandbox = await kit.create({ labels });
      const { labels: told } = await sandbox.info();
      assert.deepEqual([told.mark, told.note], [mark, labels.note]);
      const hidden = Object.keys(told).filter((key) => key.startsWith('cubeshift-'));
      assert.deepEqual(hidden, [], 'Labels of this package are shown');
      const ids = async (wanted: Record<string, string>): Promise<string[]> =>
        (await collect(kit.provider.list({ labels: wanted }))).map(({ id }) => id);
      assert.deepEqual(await ids({ mark }), [sandbox.id]);
      assert.deepEqual(await ids(labels), [sandbox.id]);
      assert.deepEqual(await ids({ mark, note: 'another' }), [], 'One of two labels is enough');
      assert.deepEqual(await ids({ mark: `${mark}-2` }), []);
      const states = await collect(kit.provider.list({ labels: { mark }, states: ['stopped'] }));
      assert.deepEqual(states, []);
    },
  },
  {
    name: 'labels: changed later',
    async run(kit) {
      const { support, mutable } = kit.capabilities.labels;
      const mark = kit.unique('mark');
      if (support === 'unsupported' || !mutable) {
        const shared = await kit.shared();
        return kit.refused('labels that change', () => shared.setLabels({ mark }));
      }
      const token = kit.unique('token');
      const sandbox = await kit.create({ labels: { old: 'x' }, token });
      await sandbox.setLabels(kit.options({ labels: { mark } }).labels ?? {});
      const { labels } = await (await kit.provider.get(sandbox.id)).info();
      assert.deepEqual([labels.mark, labels.old], [mark, undefined]);
      const again = await kit.provider.create(kit.options({ token }));
      assert.equal(again.id, sandbox.id, 'Its token went with its labels');
    },
  },
];
