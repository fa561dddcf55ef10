import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { badRequest, DaytonaFailure, isExpected } from './errors.ts';
import {
  checkEnv,
  type Fields,
  fieldsOf,
  flag,
  integer,
  needText,
  objectList,
  text,
  textList,
  textMap,
} from './input.ts';
import { change, fresh, openBox } from './lifecycle.ts';
import { setNetwork } from './network.ts';
import type { SandboxRecord, VolumeMount } from './record.ts';
import { DEFAULT_SNAPSHOT, DEFAULT_TARGET, type Snapshot } from './snapshots.ts';
import { MAX_AUTO_ARCHIVE_MIN } from './timers.ts';
import type { World } from './world.ts';

/** The account of the service's own images. */
export const DEFAULT_USER = 'daytona';

const MINUTE = 60_000;
const AUTO_STOP_MIN = 15;
const AUTO_PAUSE_MIN = 60;
const AUTO_ARCHIVE_MIN = 7 * 24 * 60;

/** Makes what `POST /sandbox` asks for; an image is built afterwards, the rest runs when this resolves. */
export async function createSandbox(world: World, fields: Fields): Promise<SandboxRecord> {
  const record = recordOf(world, fields);
  // What is wrong with what was asked for is said before there is anything.
  await world.volumes.mounts(record.volumes);
  world.sandboxes.add(record);
  if (record.buildInfo !== undefined) {
    buildAndBoot(world, record).catch(world.context.onError);
    return record;
  }
  try {
    await boot(world, record, filesOf(world, record));
  } catch (error) {
    // The answer shows a sandbox in `error`, and why; clients make an error of it.
    if (!isExpected(error)) world.context.onError(error);
  }
  return record;
}

function filesOf(world: World, record: SandboxRecord): string | undefined {
  const snapshot = world.snapshots.find(record.snapshot ?? '');
  if (snapshot !== undefined) snapshot.lastUsedAt = world.now();
  return snapshot?.files ?? snapshot?.sharedFiles;
}

/** Starts a sandbox of a record that was just added. One that cannot be started is in `error`. */
export async function boot(
  world: World,
  record: SandboxRecord,
  files: string | undefined,
): Promise<void> {
  await change(world, record, { during: 'creating', after: 'started' }, async () => {
    const mounts = await world.volumes.mounts(record.volumes);
    await world.context.engine.create({
      id: record.id,
      user: record.account,
      mounts,
      // Only where sandboxes have networks of their own; elsewhere it is just kept and shown.
      outbound: !record.networkBlockAll || world.context.engine.isolation.network === 'host',
      ...(files === undefined ? {} : { from: files }),
    });
    await openBox(world, record);
  });
}

async function buildAndBoot(world: World, record: SandboxRecord): Promise<void> {
  const { buildInfo } = record;
  if (buildInfo === undefined) return;
  const log = world.builds.open(record.id);
  // The answer must still say that a build is to come: clients then ask for its log.
  await setImmediate();
  try {
    world.sandboxes.setState(record, 'building_snapshot');
    const { files, image } = await world.builds.build(buildInfo, log);
    // Deleted meanwhile.
    if (world.sandboxes.find(record.id) !== record) return;
    record.image = image;
    record.account = accountOf(record.user, image.user);
    log.end();
    await boot(world, record, files);
  } catch (error) {
    if (record.state === 'destroyed') return;
    if (record.state !== 'building_snapshot') {
      if (isExpected(error)) return;
      throw error;
    }
    record.errorReason = (error as Error).message;
    log.write(`${record.errorReason}\n`);
    world.sandboxes.setState(record, 'build_failed');
  } finally {
    log.end();
  }
}

/** A client that names no account gets the image's; one that names the default leaves it open, too. */
function accountOf(user: string, ofImage = DEFAULT_USER): string {
  return user === DEFAULT_USER ? ofImage : user;
}

function recordOf(world: World, fields: Fields): SandboxRecord {
  const id = randomUUID();
  const now = world.now();
  const given = buildOf(fields);
  const snapshot = given === undefined ? snapshotOf(world, fields) : undefined;
  const user = text(fields, 'user') || DEFAULT_USER;
  const env = textMap(fields, 'env') ?? {};
  checkEnv(env);
  const sandboxClass = snapshot?.sandboxClass ?? 'container';
  const ttl = integer(fields, 'ttlMinutes', 0) ?? 0;
  const record: SandboxRecord = {
    id,
    name: nameOf(fields) ?? id,
    user,
    account: accountOf(user, snapshot?.image.user),
    env,
    image: snapshot?.image ?? { env: {} },
    labels: textMap(fields, 'labels') ?? {},
    secrets: world.secrets.resolve(objectList(fields, 'secrets') ?? []),
    isPublic: flag(fields, 'public') ?? false,
    networkBlockAll: flag(fields, 'networkBlockAll') ?? false,
    target: text(fields, 'target') || DEFAULT_TARGET,
    sandboxClass,
    cpu: integer(fields, 'cpu', 0) || snapshot?.cpu || 1,
    gpu: integer(fields, 'gpu', 0) ?? snapshot?.gpu ?? 0,
    memory: integer(fields, 'memory', 0) || snapshot?.memory || 1,
    disk: integer(fields, 'disk', 0) || snapshot?.disk || 3,
    state: given === undefined ? 'creating' : 'pending_build',
    desiredState: 'started',
    backupState: 'None',
    ...intervalsOf(fields, sandboxClass === 'linux-vm'),
    volumes: world.volumes.resolve((objectList(fields, 'volumes') ?? []).map(volumeOf)),
    ...fresh(now),
  };
  if (snapshot !== undefined) record.snapshot = snapshot.name;
  if (given !== undefined) {
    const dockerfile = needText(given, 'dockerfileContent');
    record.buildInfo = world.builds.info(dockerfile, textList(given, 'contextHashes') ?? []);
  }
  if (ttl > 0) record.destroyAt = now + ttl * MINUTE;
  setNetwork(record, fields);
  const linked = text(fields, 'linkedSandbox');
  if (linked) record.linkedSandboxId = linkedTo(world, linked, record).id;
  return record;
}

/** Letters that a name in a list may have; the service shows it in pages. */
function nameOf(fields: Fields): string | undefined {
  const name = text(fields, 'name');
  if (name === undefined || name === '') return undefined;
  if (/[<>]|[\p{Cc}]|\/\//u.test(name)) throw badRequest('name contains unsafe characters');
  return name;
}

function buildOf(fields: Fields): Fields | undefined {
  if (fields.buildInfo === undefined || fields.buildInfo === null) return undefined;
  return fieldsOf(fields.buildInfo);
}

function snapshotOf(world: World, fields: Fields): Snapshot {
  const name = text(fields, 'snapshot') || DEFAULT_SNAPSHOT;
  const snapshot = world.snapshots.find(name);
  if (snapshot === undefined) {
    throw badRequest(`Snapshot ${name} not found. Did you add it through the Daytona Dashboard?`);
  }
  if (snapshot.state !== 'active') throw badRequest(`Snapshot ${name} is ${snapshot.state}`);
  if (
    ['cpu', 'memory', 'disk', 'gpu'].some(
      (key) => fields[key] !== undefined && fields[key] !== null,
    )
  ) {
    throw badRequest('Cannot specify Sandbox resources when using a snapshot');
  }
  return snapshot;
}

type Intervals = Pick<
  SandboxRecord,
  'autoStopMin' | 'autoPauseMin' | 'autoArchiveMin' | 'autoDeleteMin'
>;

function intervalsOf(fields: Fields, keepsMemory: boolean): Intervals {
  const stop = integer(fields, 'autoStopInterval', 0);
  const pause = integer(fields, 'autoPauseInterval', 0);
  const autoDeleteMin = integer(fields, 'autoDeleteInterval') ?? -1;
  if ((stop ?? 0) > 0 && (pause ?? 0) > 0) {
    throw badRequest('autoStopInterval and autoPauseInterval cannot both be set');
  }
  if ((pause ?? 0) > 0 && !keepsMemory) {
    throw new DaytonaFailure(422, 'Pausing is not supported for this sandbox');
  }
  if ((pause ?? 0) > 0 && autoDeleteMin === 0) {
    throw badRequest('Ephemeral sandboxes cannot be paused automatically');
  }
  const pauses = keepsMemory && stop === undefined && autoDeleteMin !== 0;
  return {
    autoStopMin: stop ?? (pauses || (pause ?? 0) > 0 ? 0 : AUTO_STOP_MIN),
    autoPauseMin: pause ?? (pauses ? AUTO_PAUSE_MIN : 0),
    autoArchiveMin: archiveMin(integer(fields, 'autoArchiveInterval', 0) ?? AUTO_ARCHIVE_MIN),
    autoDeleteMin,
  };
}

/** 0 is the longest there is. @throws DaytonaFailure 400 for more */
export function archiveMin(minutes: number): number {
  if (minutes > MAX_AUTO_ARCHIVE_MIN) {
    throw badRequest(`Auto-archive interval must be at most ${MAX_AUTO_ARCHIVE_MIN} minutes`);
  }
  return minutes === 0 ? MAX_AUTO_ARCHIVE_MIN : minutes;
}

function volumeOf(fields: Fields): VolumeMount {
  const subpath = text(fields, 'subpath');
  return {
    volumeId: needText(fields, 'volumeId'),
    mountPath: needText(fields, 'mountPath'),
    ...(subpath === undefined || subpath === '' ? {} : { subpath }),
  };
}

function linkedTo(world: World, idOrName: string, record: SandboxRecord): SandboxRecord {
  if (record.autoDeleteMin !== 0) {
    throw badRequest('Linked sandboxes must be ephemeral (set autoDeleteInterval to 0)');
  }
  const linked = world.sandboxes.need(idOrName);
  if (linked.linkedSandboxId !== undefined) {
    throw badRequest(`Linked sandbox ${linked.id} is itself linked to another sandbox`);
  }
  return linked;
}
