import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { readFields } from '../body.ts';
import { ApiError } from '../errors.ts';
import type { E2bServices } from '../services.ts';
import { cubeMaster, type Volume } from '../volumes.ts';
import type { ControlRoutes } from './handler.ts';

export const VOLUME_ROUTES: ControlRoutes = {
  'GET /volumes': (_call, { volumes }) =>
    json(
      200,
      volumes.list().map(({ id, name }) => ({ volumeID: id, name })),
    ),
  'POST /volumes': async (call, services) => {
    const { preset, volumes } = services;
    const body = await readFields(call);
    const isCube = preset.quirks.cubeVolumes;
    const name = isCube ? body.optionalString('name') : body.string('name');
    const volume = await volumes.create(name, isCube ? body.optionalString('driver') : undefined);
    return json(201, shape(volume, services));
  },
  'GET /volumes/:id': ({ params }, services) =>
    json(200, shape(services.volumes.get(params.id ?? ''), services)),
  'DELETE /volumes/:id': remove,
};

function shape({ id, name, token }: Volume, { preset, domain }: E2bServices): object {
  // The domain is for clients to find the content API; E2B_VOLUME_API_URL overrides it.
  return { volumeID: id, name, token, ...(preset.quirks.cubeVolumes ? {} : { domain }) };
}

async function remove(
  { params }: Call,
  { preset, sandboxes, volumes }: E2bServices,
): Promise<Reply> {
  const volume = volumes.get(params.id ?? '');
  const users = sandboxes
    .list()
    .filter(({ spec }) => spec.mounts.some(({ name }) => name === volume.name));
  if (preset.quirks.cubeVolumes && users.length > 0) {
    throw new ApiError(
      409,
      cubeMaster(130409, `volume ${volume.id} is in use by ${users.length} sandbox(es)`),
    );
  }
  await volumes.remove(volume);
  return empty(204);
}
