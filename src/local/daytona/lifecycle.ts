import { randomBytes } from 'node:crypto';
import { DaytonaFailure } from './errors.ts';
import { isEphemeral, keepsMemory, type SandboxRecord, type SandboxState } from './record.ts';
import { Box } from './toolbox/box.ts';
import type { World } from './world.ts';

/** Opens previews and signs file addresses: lower case, since it also travels in host names. */
export function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** What no new sandbox shares with another. */
export function fresh(
  now: number,
): Pick<
  SandboxRecord,
  | 'createdAt'
  | 'updatedAt'
  | 'lastActivityAt'
  | 'authToken'
  | 'signingKey'
  | 'isChanging'
  | 'openCalls'
> {
  return {
    createdAt: now,
    updatedAt: now,
    lastActivityAt: now,
    authToken: newToken(),
    signingKey: newToken(),
    isChanging: false,
    openCalls: 0,
  };
}

/** Another change of this sandbox is under way. */
export function checkSettled(record: SandboxRecord): void {
  if (record.isChanging) throw new DaytonaFailure(409, 'Sandbox state change in progress');
}

function checkState(record: SandboxRecord, allowed: readonly SandboxState[], text: string): void {
  if (record.state === 'error' || record.state === 'build_failed') {
    throw new DaytonaFailure(400, 'Sandbox is in an errored state');
  }
  checkSettled(record);
  if (!allowed.includes(record.state)) throw new DaytonaFailure(400, text);
}

/**
 * Runs a change of state that nothing else may cross: shows `during`, then `after`. What fails
 * leaves the sandbox in `error`, unless `back` says where it returns to.
 */
export async function change<T>(
  world: World,
  record: SandboxRecord,
  states: { during: SandboxState; after: SandboxState; back?: SandboxState },
  work: () => Promise<T>,
): Promise<T> {
  checkSettled(record);
  record.isChanging = true;
  world.sandboxes.setState(record, states.during);
  let next = states.after;
  try {
    return await work();
  } catch (error) {
    next = states.back ?? 'error';
    if (next === 'error') record.errorReason = (error as Error).message;
    throw error;
  } finally {
    record.isChanging = false;
    if (next === 'stopped') record.stoppedAt ??= world.now();
    if (next === 'started') {
      delete record.stoppedAt;
      world.sandboxes.touch(record);
    }
    world.sandboxes.setState(record, next);
  }
}

/** Processes, terminals and kernels of a sandbox that was started. */
export async function openBox(world: World, record: SandboxRecord): Promise<void> {
  const sandbox = world.context.engine.get(record.id);
  if (sandbox === undefined) throw new DaytonaFailure(500, 'the sandbox is gone');
  record.box = new Box(world, record, sandbox);
  await record.box.open();
}

function closeBox(record: SandboxRecord): void {
  record.box?.close();
  delete record.box;
}

/** Stopped, archived or paused sandboxes run again; one that runs stays as it is. */
export async function start(world: World, record: SandboxRecord): Promise<void> {
  if (record.state === 'started' && !record.isChanging) return;
  checkState(record, ['stopped', 'archived', 'paused'], 'Sandbox is not in valid state');
  const sandbox = world.context.engine.get(record.id);
  record.desiredState = 'started';
  if (record.state === 'paused') {
    await change(world, record, { during: 'resuming', after: 'started' }, async () => {
      await sandbox?.resume();
    });
    return;
  }
  const during = record.state === 'archived' ? 'restoring' : 'starting';
  await change(world, record, { during, after: 'started' }, async () => {
    record.authToken = newToken();
    await sandbox?.start();
    await openBox(world, record);
  });
}

/**
 * Ends the processes and keeps the disk. Of a virtual machine a client's stop keeps the memory
 * unless it is forced; ephemeral sandboxes are destroyed instead.
 */
export async function stop(
  world: World,
  record: SandboxRecord,
  { memory = 'kept' }: { memory?: 'kept' | 'lost' } = {},
): Promise<void> {
  checkState(record, ['started', 'paused'], 'Sandbox is not in a stoppable state');
  if (isEphemeral(record)) return destroy(world, record);
  if (memory === 'kept' && keepsMemory(record) && record.state === 'started') {
    return freeze(world, record);
  }
  await halt(world, record);
}

async function halt(world: World, record: SandboxRecord): Promise<void> {
  record.desiredState = 'stopped';
  await change(world, record, { during: 'stopping', after: 'stopped' }, async () => {
    closeBox(record);
    await world.context.engine.get(record.id)?.stop();
  });
}

/** @throws DaytonaFailure 422 for classes that lose their memory */
export async function pause(world: World, record: SandboxRecord): Promise<void> {
  checkState(record, ['started'], 'Sandbox must be in started state to pause');
  if (!keepsMemory(record)) {
    throw new DaytonaFailure(422, 'Pausing is not supported for this sandbox');
  }
  await freeze(world, record);
}

async function freeze(world: World, record: SandboxRecord): Promise<void> {
  record.desiredState = 'paused';
  const states = { during: 'pausing', after: 'paused', back: 'started' } as const;
  await change(world, record, states, async () => {
    await world.context.engine.get(record.id)?.pause();
  });
}

/** Keeps the disk in cold storage, which here is where it was. */
export async function archive(world: World, record: SandboxRecord): Promise<void> {
  checkState(record, ['stopped'], 'Sandbox is not stopped');
  if (isEphemeral(record)) {
    throw new DaytonaFailure(400, 'Ephemeral sandboxes cannot be archived');
  }
  record.desiredState = 'archived';
  await change(world, record, { during: 'archiving', after: 'archived' }, async () => {
    record.backupState = 'Completed';
    record.backupAt = world.now();
  });
}

/** Removes a sandbox for good. @throws DaytonaFailure 400 while forks of it live */
export async function destroy(world: World, record: SandboxRecord): Promise<void> {
  checkSettled(record);
  if (world.sandboxes.all().some(({ parentId }) => parentId === record.id)) {
    throw new DaytonaFailure(
      400,
      'Cannot delete sandbox which has active fork children. The forks must be deleted first.',
    );
  }
  record.desiredState = 'destroyed';
  await change(world, record, { during: 'destroying', after: 'destroyed' }, async () => {
    closeBox(record);
    await world.context.engine.get(record.id)?.delete();
    await world.previews.forget(record.id);
    world.sshAccess.forget(record.id);
  });
}

/** What a restart of the host does: processes are lost, disks are not. */
export async function loseProcesses(world: World, record: SandboxRecord): Promise<void> {
  if (record.isChanging || (record.state !== 'started' && record.state !== 'paused')) return;
  await halt(world, record);
}
