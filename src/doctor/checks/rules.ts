import { type Check, ok, warning } from '../check.ts';
import type { Subject } from '../subject.ts';

/** What a CubeSandbox does by itself that programs from elsewhere do not expect. */
export const network: Check<Subject> = {
  name: 'network',
  needs: ['server'],
  run: () =>
    ok(
      'sandboxes reach no private networks (10/8, 172.16/12, 192.168/16) unless network.allow names them',
    ),
};

export const idle: Check<Subject> = {
  name: 'idle',
  needs: ['server'],
  run: () => ok('requests count as use, work that nobody asks about does not: call keepAlive()'),
};

export const pause: Check<Subject> = {
  name: 'pause',
  needs: ['server'],
  async run({ server }) {
    const { hasVolumes, detachesVolumes, deletesPaused } = await server();
    if (detachesVolumes) return ok('volumes are detached while a sandbox is paused');
    if (hasVolumes) {
      return warning(
        'before 0.7.0 a sandbox that is paused can lose what others write to its volumes',
        'Upgrade CubeSandbox, or create those with onIdle: "delete" or readOnly: true',
      );
    }
    const wakes = deletesPaused ? '' : '; one that is paused is woken to be deleted';
    return ok(`memory and disk are kept${wakes}`);
  },
};
