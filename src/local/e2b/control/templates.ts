import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { readFields } from '../body.ts';
import { ApiError } from '../errors.ts';
import { uuid } from '../ids.ts';
import type { E2bServices } from '../services.ts';
import { isCubeAlias, parseName, TEAM } from '../template-names.ts';
import type { Template } from '../templates.ts';
import { cubeMaster } from '../volumes.ts';
import type { ControlRoutes } from './handler.ts';
import { page } from './paging.ts';

export const TEMPLATE_ROUTES: ControlRoutes = {
  'GET /templates': (_call, services) =>
    json(
      200,
      services.templates
        .list()
        .filter(({ kind }) => kind !== 'snapshot')
        .map((template) => shape(template, services)),
    ),
  'GET /templates/:id': get,
  'GET /templates/aliases/:alias': byAlias,
  'DELETE /templates/:id': remove,
  'PATCH /templates/:id': update,
  'PATCH /v2/templates/:id': update,
  'PUT /templates/:id/alias': setAlias,
  'GET /templates/compat': () =>
    json(200, {
      summary: { staleTemplates: 0, staleReplicas: 0, affectedNodes: 0 },
      templates: [],
    }),
};

function shape(template: Template, { preset }: E2bServices): object {
  return preset.flavor === 'e2b' ? e2bShape(template, preset.envdVersion) : cubeShape(template);
}

function e2bShape(template: Template, envdVersion: string): object {
  const build = template.builds.at(-1);
  const { names, isPublic } = template;
  return {
    templateID: template.id,
    buildID: build?.id ?? '',
    cpuCount: build?.point.cpuCount ?? 2,
    memoryMB: build?.point.memoryMB ?? 1024,
    diskSizeMB: build?.point.diskSizeMB ?? 0,
    public: isPublic,
    aliases: names,
    names: isPublic ? names : names.map((name) => `${TEAM}/${name}`),
    createdAt: iso(template.createdAt),
    updatedAt: iso(template.updatedAt),
    createdBy: null,
    lastSpawnedAt: template.lastSpawnedAt === undefined ? null : iso(template.lastSpawnedAt),
    spawnCount: template.spawnCount,
    buildCount: template.builds.length,
    envdVersion,
    buildStatus: build?.status ?? 'waiting',
  };
}

/** `TemplateSummary`; the detail has more. */
export function cubeShape(template: Template): Record<string, unknown> {
  const build = template.builds.at(-1);
  const status = { waiting: 'PENDING', building: 'CREATING', ready: 'READY', error: 'FAILED' };
  return {
    templateID: template.id,
    public: false,
    instanceType: 'cubebox',
    version: 'v2',
    status: status[build?.status ?? 'waiting'],
    ...(build?.reason === undefined ? {} : { lastError: build.reason.message }),
    createdAt: iso(template.createdAt),
    ...(template.image === undefined ? {} : { imageInfo: template.image }),
    ...(build === undefined ? {} : { jobID: build.id }),
    aliases: template.names,
  };
}

/** @throws ApiError 404 */
export function templateOf({ params }: Call, { templates, preset }: E2bServices): Template {
  const reference = params.id ?? '';
  const name = preset.flavor === 'e2b' ? parseName(reference, 'template ID')?.name : reference;
  const template = name === undefined ? undefined : templates.find(name);
  if (template !== undefined) return template;
  throw new ApiError(
    404,
    preset.flavor === 'e2b'
      ? `template '${reference}' not found`
      : cubeMaster(130404, 'template not found'),
  );
}

function get(call: Call, services: E2bServices): Reply {
  const template = templateOf(call, services);
  if (services.preset.flavor === 'cube') {
    return json(200, { ...cubeShape(template), replicas: [], networkType: 'tap' });
  }
  const { items, headers } = page([...template.builds].reverse(), call.query, 100, ({ id }) => id);
  return json(
    200,
    {
      templateID: template.id,
      public: template.isPublic,
      aliases: template.names,
      names: template.names.map((name) => `${TEAM}/${name}`),
      createdAt: iso(template.createdAt),
      updatedAt: iso(template.updatedAt),
      lastSpawnedAt: template.lastSpawnedAt === undefined ? null : iso(template.lastSpawnedAt),
      spawnCount: template.spawnCount,
      builds: items.map(({ id, status, createdAt, updatedAt, point }) => ({
        buildID: id,
        status,
        createdAt: iso(createdAt),
        updatedAt: iso(updatedAt),
        ...(status === 'ready' ? { finishedAt: iso(updatedAt) } : {}),
        cpuCount: point.cpuCount,
        memoryMB: point.memoryMB,
        diskSizeMB: point.diskSizeMB,
        envdVersion: services.preset.envdVersion,
      })),
    },
    headers,
  );
}

function byAlias({ params }: Call, { preset, templates }: E2bServices): Reply {
  const alias = params.alias ?? '';
  if (preset.flavor === 'cube') {
    if (!isCubeAlias(alias)) {
      throw new ApiError(
        400,
        'alias must match ^[a-z0-9][a-z0-9-]{0,63}$ and not start with tpl-/snap-',
      );
    }
    const template = templates.find(alias);
    if (template === undefined) throw new ApiError(404, cubeMaster(130404, 'template not found'));
    return json(200, { templateID: template.id, public: false });
  }
  const name = parseName(alias, 'alias format');
  const template = name === undefined ? undefined : templates.find(name.name);
  if (template === undefined) throw new ApiError(404, `template '${alias}' not found`);
  const tag = name?.tag;
  if (tag !== undefined && !template.tags.has(tag)) {
    throw new ApiError(404, `tag '${tag}' does not exist for template '${alias}'`);
  }
  return json(200, { templateID: template.id, public: template.isPublic });
}

/** Snapshots go the same way. */
async function remove(call: Call, services: E2bServices): Promise<Reply> {
  const { preset, templates, sandboxes, context } = services;
  const template = templateOf(call, services);
  const users = sandboxes.list().filter(({ spec }) => spec.template.templateId === template.id);
  if (preset.flavor === 'e2b' && users.length > 0) {
    const state = users.some(({ state }) => state === 'running') ? 'running' : 'paused';
    throw new ApiError(
      400,
      `cannot delete template '${template.id}' because there are ${state} sandboxes using it`,
    );
  }
  if (template === templates.default) {
    throw new ApiError(400, 'the template this server came with cannot be deleted');
  }
  templates.remove(template);
  for (const { point } of template.builds) {
    if (point.snapshot !== undefined) await context.engine.deleteSnapshot(point.snapshot);
  }
  if (template.kind === 'snapshot' && preset.quirks.answersSnapshotDelete) {
    return json(200, { templateID: template.id, operationID: uuid(), status: 'READY' });
  }
  return empty(204);
}

async function update(call: Call, services: E2bServices): Promise<Reply> {
  if (services.preset.flavor === 'cube')
    throw new ApiError(501, 'template update is not implemented');
  const template = templateOf(call, services);
  const body = await readFields(call);
  template.isPublic = body.boolean('public') ?? template.isPublic;
  return json(200, { names: template.names.map((name) => `${TEAM}/${name}`) });
}

/** Sets, changes or (null, empty) clears the alias. */
async function setAlias(call: Call, services: E2bServices): Promise<Reply> {
  const body = await readFields(call);
  const template = templateOf(call, services);
  const alias = body.optionalString('alias')?.trim() ?? '';
  if (alias !== '' && !isCubeAlias(alias)) {
    throw new ApiError(400, cubeMaster(130400, `invalid template alias ${JSON.stringify(alias)}`));
  }
  const owner = alias === '' ? undefined : services.templates.find(alias);
  if (owner !== undefined && owner !== template) {
    throw new ApiError(409, cubeMaster(130409, `template alias ${alias} is already in use`));
  }
  template.names = alias === '' ? [] : [alias];
  return json(200, { ...cubeShape(template), replicas: [], networkType: 'tap' });
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
