import { readJson } from '../../http/body.ts';
import { empty, json } from '../../http/reply.ts';
import type { Router } from '../../http/router.ts';
import { createSnapshot, fork } from '../copies.ts';
import { archiveMin, createSandbox } from '../create.ts';
import { sandboxDto } from '../dto.ts';
import { badRequest, DaytonaFailure } from '../errors.ts';
import { fieldsOf, integer, needText, objectList, text, textMap } from '../input.ts';
import { archive, change, destroy, pause, start, stop } from '../lifecycle.ts';
import { setNetwork } from '../network.ts';
import { keepsMemory, type SandboxRecord } from '../record.ts';
import { schedule } from '../timers.ts';
import type { World } from '../world.ts';
import { listPaginated, listSandboxes } from './list.ts';
import { onSandbox, pathInteger, sandboxOf } from './route.ts';

const MINUTE = 60_000;

export function sandboxRoutes(world: World, router: Router): void {
  router
    .on('POST /api/sandbox', async (call) => {
      const record = await createSandbox(world, fieldsOf(await readJson(call.request)));
      return json(200, sandboxDto(world, record));
    })
    .on('GET /api/sandbox', (call) => listSandboxes(world, call))
    .on('GET /api/sandbox/paginated', (call) => listPaginated(world, call))
    .on('PUT /api/sandbox/:id/labels', async (call) => {
      const record = sandboxOf(world, call);
      const labels = textMap(fieldsOf(await readJson(call.request)), 'labels');
      if (labels === undefined) throw badRequest('labels must be an object');
      record.labels = labels;
      record.updatedAt = world.now();
      return json(200, { labels });
    })
    .on('POST /api/sandbox/:id/last-activity', (call) => {
      const record = sandboxOf(world, call);
      world.sandboxes.touch(record);
      schedule(world, record);
      return empty(201);
    })
    .on('POST /api/sandbox/:id/fork', async (call) => {
      const name = text(fieldsOf(await readJson(call.request)), 'name');
      return json(200, sandboxDto(world, await fork(world, sandboxOf(world, call), name)));
    });
  const on = onSandbox.bind(undefined, world, router);
  on('GET /api/sandbox/:id', () => undefined);
  on('DELETE /api/sandbox/:id', (record) => destroy(world, record));
  on('POST /api/sandbox/:id/start', (record) => start(world, record));
  on('POST /api/sandbox/:id/stop', (record, { query }) =>
    stop(world, record, { memory: query.get('force') === 'true' ? 'lost' : 'kept' }),
  );
  on('POST /api/sandbox/:id/pause', (record) => pause(world, record));
  on('POST /api/sandbox/:id/archive', (record) => archive(world, record));
  on('POST /api/sandbox/:id/recover', () => {
    // Nothing that fails here can be mended by recreating it from a backup.
    throw badRequest('Sandbox is not in a recoverable state');
  });
  on('POST /api/sandbox/:id/backup', (record) => {
    record.backupState = 'Completed';
    record.backupAt = world.now();
  });
  on('POST /api/sandbox/:id/resize', async (record, call) => {
    const fields = fieldsOf(await readJson(call.request));
    const sizes = (['cpu', 'memory', 'disk'] as const).map(
      (key) => [key, integer(fields, key, 1)] as const,
    );
    await resize(world, record, Object.fromEntries(sizes));
  });
  on('POST /api/sandbox/:id/snapshot', async (record, call) => {
    const name = needText(fieldsOf(await readJson(call.request)), 'name');
    await createSnapshot(world, record, name);
  });
  on('POST /api/sandbox/:id/network-settings', async (record, call) => {
    const fields = fieldsOf(await readJson(call.request));
    if (Object.keys(fields).length === 0) throw badRequest('No network settings specified');
    setNetwork(record, fields);
    record.updatedAt = world.now();
  });
  on('PUT /api/sandbox/:id/secrets', async (record, call) => {
    const pairs = objectList(fieldsOf(await readJson(call.request)), 'secrets');
    if (pairs === undefined) throw badRequest('secrets must be an array');
    record.secrets = world.secrets.resolve(pairs);
    record.updatedAt = world.now();
  });
  on('POST /api/sandbox/:id/public/:isPublic', (record, { params }) => {
    record.isPublic = params.isPublic === 'true';
  });
  intervalRoutes(world, router);
  forkRoutes(world, router);
}

function intervalRoutes(world: World, router: Router): void {
  const on = (
    path: string,
    name: string,
    least: number,
    set: (record: SandboxRecord, value: number) => void,
  ): void =>
    onSandbox(world, router, `POST /api/sandbox/:id/${path}`, (record, call) => {
      set(record, pathInteger(call, name, least));
      record.updatedAt = world.now();
      schedule(world, record);
    });
  on('autostop/:interval', 'interval', 0, (record, minutes) => {
    if (minutes > 0) record.autoPauseMin = 0;
    record.autoStopMin = minutes;
  });
  on('autopause/:interval', 'interval', 0, (record, minutes) => {
    if (minutes > 0 && !keepsMemory(record)) {
      throw new DaytonaFailure(422, 'Pausing is not supported for this sandbox');
    }
    if (minutes > 0) record.autoStopMin = 0;
    record.autoPauseMin = minutes;
  });
  on('autoarchive/:interval', 'interval', 0, (record, minutes) => {
    record.autoArchiveMin = archiveMin(minutes);
  });
  on('autodelete/:interval', 'interval', -1, (record, minutes) => {
    record.autoDeleteMin = minutes;
  });
  on('ttl/:ttlMinutes', 'ttlMinutes', 0, (record, minutes) => {
    if (minutes === 0) delete record.destroyAt;
    else record.destroyAt = world.now() + minutes * MINUTE;
  });
}

function forkRoutes(world: World, router: Router): void {
  const shown = (records: readonly SandboxRecord[]) =>
    json(
      200,
      records.map((record) => sandboxDto(world, record)),
    );
  router
    .on('GET /api/sandbox/:id/forks', (call) => {
      const { id } = sandboxOf(world, call);
      return shown(world.sandboxes.all().filter(({ parentId }) => parentId === id));
    })
    .on('GET /api/sandbox/:id/parent', (call) => {
      const [parent] = ancestors(world, sandboxOf(world, call));
      if (parent === undefined) throw new DaytonaFailure(404, 'Sandbox has no parent');
      return json(200, sandboxDto(world, parent));
    })
    .on('GET /api/sandbox/:id/ancestors', (call) =>
      shown(ancestors(world, sandboxOf(world, call)).reverse()),
    );
}

/** Nearest first. */
function ancestors(world: World, record: SandboxRecord): SandboxRecord[] {
  const parent = record.parentId === undefined ? undefined : world.sandboxes.find(record.parentId);
  return parent === undefined ? [] : [parent, ...ancestors(world, parent)];
}

/** Sizes are kept and shown; they limit nothing here. */
async function resize(
  world: World,
  record: SandboxRecord,
  { cpu, memory, disk }: { cpu?: number; memory?: number; disk?: number },
): Promise<void> {
  const { state } = record;
  if (state !== 'started' && state !== 'stopped') {
    throw badRequest('Sandbox must be in started or stopped state to resize');
  }
  const size = {
    cpu: cpu ?? record.cpu,
    memory: memory ?? record.memory,
    disk: disk ?? record.disk,
  };
  const isSame =
    size.cpu === record.cpu && size.memory === record.memory && size.disk === record.disk;
  if (disk !== undefined && state === 'started') {
    throw badRequest('Disk resize can only be performed on a stopped sandbox');
  }
  if (state === 'started' && size.cpu < record.cpu) {
    throw badRequest('Sandbox must be in stopped state to decrease the number of CPU cores');
  }
  if (state === 'started' && size.memory < record.memory) {
    throw badRequest('Sandbox must be in stopped state to decrease memory');
  }
  if (size.disk < record.disk) throw badRequest('Sandbox disk size cannot be decreased');
  if (isSame) {
    throw badRequest(
      'No resource changes specified - sandbox is already at the desired configuration',
    );
  }
  await change(world, record, { during: 'resizing', after: state, back: state }, async () => {
    Object.assign(record, size);
  });
}
