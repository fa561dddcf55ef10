import { strict as assert } from 'node:assert';
import type { CreateOptions } from '../../provider/create.ts';
import { type Case, collect, rejects } from '../kit.ts';

/** Options that can never work, by what is wrong with them. */
const BAD_OPTIONS: readonly (readonly [string, CreateOptions])[] = [
  ['a variable with a bad name', { env: { 'A=B': 'x' } }],
  ['a variable with a NUL', { env: { A: 'x\0y' } }],
  ['a label of this package', { labels: { 'cubeshift-token': 'x' } }],
  ['an idle window of nothing', { idleTimeoutMs: 0 }],
  ['a negative idle window', { idleTimeoutMs: -1 }],
  ['an idle window that is no number', { idleTimeoutMs: Number.NaN }],
  ['a lifetime of nothing', { lifetimeMs: 0 }],
  ['a volume without a name', { volumes: [{ volume: '', path: '/data' }] }],
  ['a relative mount', { volumes: [{ volume: 'v', path: 'data' }] }],
  ['a mount that climbs', { volumes: [{ volume: 'v', path: '/a/../b' }] }],
  [
    'two mounts on one path',
    {
      volumes: [
        { volume: 'v', path: '/data' },
        { volume: 'w', path: '/data' },
      ],
    },
  ],
];

/** What has to be refused before anything is sent. */
export const BAD_INPUT: readonly Case[] = [
  {
    name: 'create: bad options are refused',
    async run(kit) {
      const mark = kit.unique('refused');
      const hasLabels = kit.capabilities.labels.support !== 'unsupported';
      for (const [what, options] of BAD_OPTIONS) {
        const labels = hasLabels ? { labels: { mark, ...options.labels } } : {};
        const call = kit.provider.create({ ...options, ...labels });
        await rejects(call, 'invalid_argument').catch((error: Error) => {
          throw new Error(`${what}: ${error.message}`, { cause: error });
        });
      }
      for (const startTimeoutMs of [0, -1, Number.NaN, 2 ** 31]) {
        await rejects(kit.provider.create(kit.options(), { startTimeoutMs }), 'invalid_argument');
      }
      if (!hasLabels) return;
      const made = await collect(kit.provider.list({ labels: { mark } }));
      assert.equal(made.length, 0, 'One was created all the same');
    },
  },
  {
    name: 'create: aborted before it began',
    async run(kit) {
      const reason = new Error('never mind');
      const signal = AbortSignal.abort(reason);
      const call = kit.provider.create(kit.options(), { signal });
      assert.equal(await call.catch((error) => error), reason);
    },
  },
  {
    name: 'exec: bad input is refused',
    async run(kit) {
      const sandbox = await kit.shared();
      for (const command of ['', '  \n', 'echo a\0b']) {
        await rejects(sandbox.exec(command), 'invalid_argument');
        await rejects(sandbox.spawn(command), 'invalid_argument');
      }
      for (const timeoutMs of [0, -5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await rejects(sandbox.exec('true', { timeoutMs }), 'invalid_argument');
        await rejects(sandbox.spawn('true', { timeoutMs }), 'invalid_argument');
      }
      for (const env of [{ 'no-name': 'x' }, { '': 'x' }, { A: '\0' }]) {
        await rejects(sandbox.exec('true', { env }), 'invalid_argument');
      }
    },
  },
  {
    name: 'ports: what is no port is refused',
    async run(kit) {
      const sandbox = await kit.shared();
      for (const port of [0, -1, 65_536, 80.5, Number.NaN]) {
        await rejects(sandbox.portUrl(port), 'invalid_argument', 'unsupported');
      }
    },
  },
];
