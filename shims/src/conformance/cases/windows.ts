import { strict as assert } from 'node:assert';
import type { Capabilities } from '../../provider/capabilities.ts';
import { DEFAULT_IDLE_TIMEOUT_MS } from '../../provider/create.ts';
import { type Case, rejects } from '../kit.ts';

/** How long unused sandboxes and all others stay. That time passes is not waited for. */
export const WINDOWS: readonly Case[] = [
  {
    name: 'idle policy: the default',
    async run(kit) {
      const { defaultAction, support, actions } = kit.capabilities.idlePolicy;
      if (support === 'unsupported') return kit.seen('unsupported');
      assert.ok(actions.includes(defaultAction));
      assert.notEqual(defaultAction, 'delete', 'By default, files have to be kept');
      const { idleTimeoutMs, onIdle } = await (await kit.shared()).info();
      assert.equal(idleTimeoutMs, DEFAULT_IDLE_TIMEOUT_MS);
      assert.equal(onIdle, defaultAction);
      kit.seen(`${onIdle} after ${idleTimeoutMs} ms`);
    },
  },
  {
    name: 'idle policy: given at creation',
    async run(kit) {
      const attempt = () => kit.provider.create(kit.options({ idleTimeoutMs: 600_000 }));
      if (!(await kit.supports('idlePolicy', attempt))) return;
      const { actions, maxMs } = kit.capabilities.idlePolicy;
      const ms = windowFor(kit.capabilities);
      for (const onIdle of actions) {
        const sandbox = await kit.create({ idleTimeoutMs: ms, onIdle });
        const info = await (await kit.provider.get(sandbox.id)).info();
        assert.deepEqual([info.idleTimeoutMs, info.onIdle], [ms, onIdle]);
        await kit.remove(sandbox);
        kit.seen(onIdle);
      }
      const never = { idleTimeoutMs: null };
      if (maxMs === null) {
        const info = await (await kit.create(never)).info();
        assert.equal(info.idleTimeoutMs, null);
        assert.equal(info.expiresAt, undefined, 'It says when it will end, but never should');
      } else {
        const long = { idleTimeoutMs: maxMs + 1 };
        await rejects(kit.provider.create(kit.options(long)), 'unsupported');
        await rejects(kit.provider.create(kit.options(never)), 'unsupported');
      }
    },
  },
  {
    // SDKs have a window of their own for who connects, which is shorter.
    name: 'idle policy: kept by who finds it and starts it',
    async run(kit) {
      const ms = windowFor(kit.capabilities);
      const attempt = () => kit.provider.create(kit.options({ idleTimeoutMs: ms }));
      if (!(await kit.supports('idlePolicy', attempt))) return;
      const sandbox = await kit.create({ idleTimeoutMs: ms });
      const check = async (when: string): Promise<void> => {
        const found = await kit.provider.get(sandbox.id);
        await found.start();
        assert.equal((await found.exec('echo works')).stdout, 'works\n');
        const { idleTimeoutMs, expiresAt } = await found.info();
        assert.equal(idleTimeoutMs, ms, when);
        const left = expiresAt === undefined ? ms : expiresAt.getTime() - Date.now();
        assert.ok(left > ms / 2, `${when}, ${left} ms are left of ${ms}`);
      };
      await check('While it ran');
      for (const verb of ['stop', 'pause'] as const) {
        if (kit.capabilities[verb].support === 'unsupported') continue;
        await sandbox[verb]();
        await check(`After ${verb}`);
        kit.seen(`kept after ${verb}`);
      }
    },
  },
  {
    name: 'idle policy: actions that there are not',
    async run(kit) {
      const { actions } = kit.capabilities.idlePolicy;
      for (const onIdle of ['stop', 'pause', 'delete'] as const) {
        if (actions.includes(onIdle)) continue;
        const attempt = () => kit.provider.create(kit.options({ onIdle }));
        await kit.refused(`onIdle: ${onIdle}`, attempt);
      }
    },
  },
  {
    name: 'idle policy: changed later',
    async run(kit) {
      const { idlePolicy } = kit.capabilities;
      const onIdle = idlePolicy.actions.at(-1) ?? 'stop';
      const shared = await kit.shared();
      const attempt = () => shared.setIdlePolicy({ idleTimeoutMs: 600_000, onIdle });
      if (!(await kit.supports('idlePolicy', attempt))) return;
      const sandbox = await kit.create();
      const policy = { idleTimeoutMs: windowFor(kit.capabilities), onIdle };
      try {
        await sandbox.setIdlePolicy(policy);
      } catch {
        return kit.refused('idle policies that change', () => sandbox.setIdlePolicy(policy));
      }
      const info = await (await kit.provider.get(sandbox.id)).info();
      assert.deepEqual([info.idleTimeoutMs, info.onIdle], [policy.idleTimeoutMs, onIdle]);
    },
  },
  {
    name: 'keepAlive',
    async run(kit) {
      const sandbox = await kit.create();
      if (!(await kit.supports('idlePolicy', () => sandbox.keepAlive()))) return;
      await sandbox.keepAlive();
      await sandbox.keepAlive(windowFor(kit.capabilities));
      assert.equal((await sandbox.exec('echo alive')).stdout, 'alive\n');
    },
  },
  {
    name: 'lifetime',
    async run(kit) {
      const lifetimeMs = 1_800_000;
      const attempt = () => kit.provider.create(kit.options({ lifetimeMs }));
      if (!(await kit.supports('lifetime', attempt))) return;
      const sandbox = await kit.create({ lifetimeMs });
      const { expiresAt } = await sandbox.info();
      const left = expiresAt === undefined ? undefined : expiresAt.getTime() - Date.now();
      assert.ok(left === undefined || left < lifetimeMs + 60_000, `It has ${left} ms left`);
      const change = sandbox.setLifetime(3_600_000);
      await change.catch(() =>
        kit.refused('lifetimes that change', () => sandbox.setLifetime(1_000)),
      );
      assert.equal((await sandbox.exec('echo alive')).stdout, 'alive\n');
    },
  },
];

/** An idle window that the backend allows, and that is not the default. */
function windowFor({ idlePolicy: { minMs, maxMs } }: Capabilities): number {
  return Math.min(Math.max(20 * 60_000, minMs), maxMs ?? Number.POSITIVE_INFINITY);
}
