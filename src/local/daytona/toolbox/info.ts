import { readJson } from '../../http/body.ts';
import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { DAEMON_VERSION } from '../dto.ts';
import { badRequest } from '../errors.ts';
import { checkEnv, fieldsOf, text, textList, textMap } from '../input.ts';
import { sample } from '../metrics.ts';
import type { Box } from './box.ts';
import type { BoxRoutes } from './route.ts';

/** Ports that the daemon does not tell of and those it looks at. */
const LOWEST_PORT = 3000;
const HIGHEST_PORT = 9999;

export function infoRoutes(routes: BoxRoutes): void {
  routes
    .on('GET /version', () => json(200, { version: DAEMON_VERSION }))
    .on('GET /work-dir', (box) => json(200, { dir: box.workDir }))
    .on('GET /user-home-dir', (box) => json(200, { dir: box.home }))
    // Older clients' name of the same.
    .on('GET /project-dir', (box) => json(200, { dir: box.home }))
    .on('POST /init', () => json(200, { message: 'Daemon initialized' }))
    .on('POST /env', updateEnv)
    .on('GET /port', listPorts)
    .on('GET /port/:port/in-use', portInUse)
    .on('GET /system/metrics', async (box) => json(200, await sample(box.world, box.record)));
}

/** Changes what new processes see; those that run keep what they have. */
async function updateEnv(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const set = textMap(fields, 'set') ?? {};
  checkEnv(set);
  for (const name of textList(fields, 'unset') ?? []) box.setEnv(name, undefined);
  const prefix = text(fields, 'unsetValuePrefix');
  if (prefix !== undefined && prefix !== '') {
    for (const [name, value] of Object.entries(box.env())) {
      if (value.startsWith(prefix)) box.setEnv(name, undefined);
    }
  }
  for (const [name, value] of Object.entries(set)) box.setEnv(name, value);
  return json(200, { message: 'Environment updated' });
}

async function listPorts(box: Box): Promise<Reply> {
  const ports = await box.sandbox.listeningPorts();
  return json(200, { ports: ports.filter((port) => port >= LOWEST_PORT && port <= HIGHEST_PORT) });
}

async function portInUse(box: Box, call: Call): Promise<Reply> {
  const port = Number(call.params.port);
  if (!Number.isInteger(port)) throw badRequest('invalid port');
  if (port < LOWEST_PORT || port > HIGHEST_PORT) {
    throw badRequest(`port out of range: must be between ${LOWEST_PORT} and ${HIGHEST_PORT}`);
  }
  return json(200, { isInUse: (await box.sandbox.listeningPorts()).includes(port) });
}
