import { readJson } from '../../http/body.ts';
import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call, Router } from '../../http/router.ts';
import { DEFAULT_USER } from '../create.ts';
import { badRequest, DaytonaFailure } from '../errors.ts';
import { type Fields, fieldsOf, integer, needText, text, textList } from '../input.ts';
import type { ImageConfig, SandboxClass } from '../record.ts';
import { DEFAULT_TARGET, type Snapshot } from '../snapshots.ts';
import type { World } from '../world.ts';
import { page, queryInteger } from './route.ts';

export function snapshotRoutes(world: World, router: Router): void {
  const found = (call: Call): Snapshot => world.snapshots.need(call.params.id ?? '');
  const shown = (snapshot: Snapshot): Reply => json(200, world.snapshots.dto(snapshot));
  router
    .on('GET /api/snapshots', (call) => list(world, call))
    .on('POST /api/snapshots', async (call) => {
      return shown(create(world, fieldsOf(await readJson(call.request))));
    })
    .on('GET /api/snapshots/:id', (call) => shown(found(call)))
    .on('DELETE /api/snapshots/:id', async (call) => {
      await world.snapshots.remove(found(call).id);
      return empty(200);
    })
    .on('POST /api/snapshots/:id/activate', (call) => {
      const snapshot = found(call);
      if (snapshot.state !== 'inactive') {
        const isActive = snapshot.state === 'active';
        const why = isActive
          ? 'is already active'
          : `cannot be activated - it is in ${snapshot.state} state`;
        throw badRequest(`Snapshot ${snapshot.id} ${why}`);
      }
      world.snapshots.setState(snapshot, 'active');
      return shown(snapshot);
    })
    .on('POST /api/snapshots/:id/deactivate', (call) => {
      const snapshot = found(call);
      if (snapshot.general)
        throw new DaytonaFailure(403, 'You cannot deactivate a general snapshot');
      if (snapshot.state === 'active') world.snapshots.setState(snapshot, 'inactive');
      return empty(204);
    });
  for (const kind of ['sandbox', 'snapshots'] as const) logRoutes(world, router, kind);
}

/** Clients add a query of their own to the address, so it has none. */
function logRoutes(world: World, router: Router, kind: 'sandbox' | 'snapshots'): void {
  const idOf = (call: Call): string => {
    const id = call.params.id ?? '';
    return kind === 'sandbox' ? world.sandboxes.need(id).id : world.snapshots.need(id).id;
  };
  router
    .on(`GET /api/${kind}/:id/build-logs-url`, (call) =>
      json(200, { url: `${world.context.origin()}/api/${kind}/${idOf(call)}/build-logs` }),
    )
    .on(`GET /api/${kind}/:id/build-logs`, (call) => ({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: world.builds.log(idOf(call)).read(call.query.get('follow') === 'true', call.signal),
    }));
}

function list(world: World, call: Call): Reply {
  const { query } = call;
  queryInteger(call, 'page');
  const name = query.get('name')?.toLowerCase();
  const source = query.get('sourceSandboxId');
  const kept = world.snapshots
    .list()
    .filter((one) => !name || one.name.toLowerCase().includes(name))
    .filter((one) => !source || one.sourceSandboxId === source);
  return page(call, kept, (snapshot) => world.snapshots.dto(snapshot));
}

function create(world: World, fields: Fields): Snapshot {
  const name = needText(fields, 'name');
  if (!/^[a-zA-Z0-9_.\-:]+(?:\/[a-zA-Z0-9_.\-:]+)*$/.test(name)) {
    throw badRequest(
      'Invalid snapshot name format. May contain letters, digits, dots, colons, dashes and slashes',
    );
  }
  const given = fields.buildInfo === undefined ? undefined : fieldsOf(fields.buildInfo);
  const sizes = {
    cpu: integer(fields, 'cpu', 0) || 1,
    gpu: integer(fields, 'gpu', 0) ?? 0,
    memory: integer(fields, 'memory', 0) || 1,
    disk: integer(fields, 'disk', 0) || 3,
    target: text(fields, 'regionId') || DEFAULT_TARGET,
    sandboxClass: classOf(fields),
  };
  const entrypoint = textList(fields, 'entrypoint');
  if (given === undefined) {
    const imageName = needImage(fields);
    const image = imageOf(imageName, entrypoint);
    return world.snapshots.add({ name, imageName, image, ...sizes });
  }
  const dockerfile = needText(given, 'dockerfileContent');
  const buildInfo = world.builds.info(dockerfile, textList(given, 'contextHashes') ?? []);
  const snapshot = world.snapshots.add({ name, state: 'building', buildInfo, ...sizes });
  build(world, snapshot, entrypoint).catch(world.context.onError);
  return snapshot;
}

async function build(
  world: World,
  snapshot: Snapshot,
  entrypoint: readonly string[] | undefined,
): Promise<void> {
  const { buildInfo } = snapshot;
  if (buildInfo === undefined) return;
  const log = world.builds.open(snapshot.id);
  try {
    const { files, image } = await world.builds.build(buildInfo, log);
    snapshot.image = entrypoint === undefined ? image : { ...image, entrypoint };
    snapshot.sharedFiles = files;
    world.snapshots.setState(snapshot, 'active');
  } catch (error) {
    snapshot.errorReason = (error as Error).message;
    log.write(`${snapshot.errorReason}\n`);
    world.snapshots.setState(snapshot, 'build_failed');
  } finally {
    log.end();
  }
}

const CLASSES: readonly string[] = ['container', 'linux-vm'] satisfies SandboxClass[];

function classOf(fields: Fields): SandboxClass {
  const value = text(fields, 'sandboxClass') || 'container';
  if (CLASSES.includes(value)) return value as SandboxClass;
  throw badRequest(`sandboxClass must be one of the following values here: ${CLASSES.join(', ')}`);
}

/** An image that says which of its versions it means. */
function needImage(fields: Fields): string {
  const name = text(fields, 'imageName') ?? '';
  if (name === '') throw badRequest('Must specify an image name');
  const tag = /:([^:/@]+)$/.exec(name)?.[1];
  if (!name.includes('@sha256:') && tag === undefined) {
    throw badRequest('Image name must include a tag (e.g., ubuntu:22.04) or digest (@sha256:...)');
  }
  if (['latest', 'lts', 'stable'].includes(tag ?? '')) {
    throw badRequest('Images with tag ":latest", ":lts" or ":stable" are not allowed');
  }
  return name;
}

/** No registry is asked: this host stands in for the image, whose processes mostly run as root. */
function imageOf(name: string, entrypoint: readonly string[] | undefined): ImageConfig {
  const isOurs = /(?:^|\/)daytona(?:io)?\//.test(name);
  return {
    env: {},
    user: isOurs ? DEFAULT_USER : 'root',
    ...(entrypoint === undefined || entrypoint.length === 0 ? {} : { entrypoint }),
  };
}
