import { randomUUID } from 'node:crypto';
import { boot } from './create.ts';
import { badRequest, DaytonaFailure } from './errors.ts';
import { change, checkSettled, destroy, fresh } from './lifecycle.ts';
import type { SandboxRecord } from './record.ts';
import { schedule } from './timers.ts';
import type { World } from './world.ts';

/** A copy of a running virtual machine's files and settings; memory is not part of it here. */
export async function fork(
  world: World,
  parent: SandboxRecord,
  name: string | undefined,
): Promise<SandboxRecord> {
  if (parent.state !== 'started') throw badRequest('Sandbox must be in started state to fork');
  if (parent.sandboxClass !== 'linux-vm') {
    throw new DaytonaFailure(422, 'Forking is not supported for this sandbox');
  }
  checkSettled(parent);
  const id = randomUUID();
  const now = world.now();
  const { box: _box, cancelTimer: _timer, stoppedAt: _stopped, ...kept } = parent;
  const record: SandboxRecord = {
    ...kept,
    id,
    name: name || id,
    env: { ...parent.env },
    labels: { ...parent.labels },
    state: 'forking',
    parentId: parent.id,
    ...fresh(now),
  };
  world.sandboxes.add(record);
  const files = `fork-${id}`;
  const { engine } = world.context;
  try {
    await change(world, parent, { during: 'forking', after: 'started', back: 'started' }, () =>
      engine.snapshot(parent.id, files),
    );
    await boot(world, record, files);
  } catch (error) {
    await destroy(world, record).catch(() => undefined);
    throw error;
  } finally {
    // The fork keeps what it needs of it.
    await engine.deleteSnapshot(files).catch(() => undefined);
  }
  return record;
}

/** Keeps a sandbox's files under a name that sandboxes can be made from. */
export async function createSnapshot(
  world: World,
  record: SandboxRecord,
  name: string,
): Promise<void> {
  const { state } = record;
  if (state !== 'started' && state !== 'stopped') {
    throw badRequest('Sandbox must be in started or stopped state to create a snapshot');
  }
  checkSettled(record);
  const snapshot = world.snapshots.add({
    name,
    state: 'pending',
    image: { ...record.image, user: record.account },
    cpu: record.cpu,
    gpu: record.gpu,
    memory: record.memory,
    disk: record.disk,
    target: record.target,
    sandboxClass: record.sandboxClass,
    sourceSandboxId: record.id,
  });
  const states = { during: 'snapshotting', after: state, back: state } as const;
  try {
    await change(world, record, states, () =>
      world.context.engine.snapshot(record.id, snapshot.id),
    );
    snapshot.files = snapshot.id;
    world.snapshots.setState(snapshot, 'active');
  } catch (error) {
    snapshot.errorReason = (error as Error).message;
    world.snapshots.setState(snapshot, 'error');
    throw error;
  } finally {
    schedule(world, record);
  }
}
