import { bodyStream } from '../../http/body.ts';
import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { type Fields, queryInteger, readFields } from '../body.ts';
import { ApiError } from '../errors.ts';
import { token } from '../ids.ts';
import type { E2bServices } from '../services.ts';
import { DEFAULT_TAG, parseName, TEAM } from '../template-names.ts';
import type { Build, BuildLog, Template } from '../templates.ts';
import { cubeBuildLogs, cubeBuildStatus } from './cube-templates.ts';
import type { ControlRoutes } from './handler.ts';
import { templateOf } from './templates.ts';

/** Building templates with E2B's clients: ask, upload, start, poll. */
export const BUILD_ROUTES: ControlRoutes = {
  'POST /v3/templates': (call, services) => request(call, services, 'name'),
  'POST /v2/templates': (call, services) => request(call, services, 'alias'),
  'GET /templates/:id/files/:hash': fileLink,
  'PUT /templates/:id/files/:hash/:token': upload,
  'POST /v2/templates/:id/builds/:build': start,
  'GET /templates/:id/builds/:build/status': (call, services) =>
    services.preset.flavor === 'cube' ? cubeBuildStatus(call, services) : status(call, services),
  'GET /templates/:id/builds/:build/logs': (call, services) =>
    services.preset.flavor === 'cube' ? cubeBuildLogs(call, services) : logs(call, services),
};

/** Tags a build gets when it is ready. */
const WANTED_TAGS = new WeakMap<Build, readonly string[]>();

async function request(call: Call, services: E2bServices, field: 'name' | 'alias'): Promise<Reply> {
  const { templates, preset } = services;
  const body = await readFields(call);
  const reference = body.optionalString(field) ?? body.optionalString('alias') ?? '';
  if (reference === '') throw new ApiError(400, 'Name is required');
  const parsed = parseName(reference, 'name');
  if (parsed === undefined) {
    throw new ApiError(400, `Invalid name: '${reference}' belongs to another team`);
  }
  const tags = [
    ...new Set([
      ...(parsed.tag === undefined ? [] : [parsed.tag]),
      ...(body.strings('tags') ?? []),
    ]),
  ];
  for (const tag of tags) checkTag(tag);
  const wanted = tags.length === 0 ? [DEFAULT_TAG] : tags;
  const template = templates.find(parsed.name) ?? templates.add('built', [parsed.name]);
  const { cpuCount, memoryMB } = preset.resources;
  const build = templates.addBuild(
    template,
    'waiting',
    {
      cpuCount: body.optionalInteger('cpuCount') ?? cpuCount,
      memoryMB: body.optionalInteger('memoryMB') ?? memoryMB,
    },
    [],
  );
  WANTED_TAGS.set(build, wanted);
  return json(202, {
    templateID: template.id,
    buildID: build.id,
    public: template.isPublic,
    aliases: template.names,
    names: template.names.map((name) => `${TEAM}/${name}`),
    tags: wanted,
  });
}

export function checkTag(tag: string): void {
  if (!/^[a-z0-9_.-]{1,128}$/.test(tag)) {
    throw new ApiError(
      400,
      `Invalid tag: '${tag}' may have lower-case letters, digits, '-', '_' and '.'`,
    );
  }
}

function fileLink(call: Call, services: E2bServices): Reply {
  const hash = call.params.hash ?? '';
  const template = templateOf(call, services);
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new ApiError(400, 'Invalid files hash');
  const secret = token();
  services.uploadLinks.set(secret, hash);
  const url = `${services.context.origin()}/templates/${template.id}/files/${hash}/${secret}`;
  return json(201, { present: services.uploads.has(hash), url });
}

async function upload({ params, request }: Call, services: E2bServices): Promise<Reply> {
  const hash = services.uploadLinks.get(params.token ?? '');
  if (hash === undefined || hash !== params.hash) throw new ApiError(403, 'the link is not valid');
  // As it is: the archive is compressed by itself.
  await services.uploads.store(hash, bodyStream(request));
  return empty(200);
}

async function start(call: Call, services: E2bServices): Promise<Reply> {
  const body = await readFields(call);
  const template = templateOf(call, services);
  const build = buildOf(call, template);
  if (build.status !== 'waiting') throw new ApiError(400, 'build is not in waiting state');
  const fromTemplate = body.optionalString('fromTemplate') || undefined;
  const fromImage = body.optionalString('fromImage') || undefined;
  if (fromTemplate === undefined && fromImage === undefined) {
    throw new ApiError(400, 'either fromImage or fromTemplate is required');
  }
  services.builder.start(template, build, WANTED_TAGS.get(build) ?? [DEFAULT_TAG], {
    fromImage,
    from: fromTemplate === undefined ? undefined : services.templates.start(fromTemplate),
    steps: (body.objects('steps') ?? []).map((step) => ({
      type: step.string('type'),
      args: step.strings('args') ?? [],
      filesHash: step.optionalString('filesHash'),
    })),
    startCmd: command(body, 'startCmd'),
    readyCmd: command(body, 'readyCmd'),
  });
  return empty(202);
}

function command(body: Fields, name: string): string | undefined {
  return body.optionalString(name) || undefined;
}

export function buildOf({ params }: Call, template: Template): Build {
  const build = template.builds.find(({ id }) => id === params.build);
  if (build === undefined) throw new ApiError(400, `Build '${params.build}' not found`);
  return build;
}

function status(call: Call, services: E2bServices): Reply {
  const template = templateOf(call, services);
  const build = buildOf(call, template);
  const offset = queryInteger(call.query, 'logsOffset') ?? 0;
  const limit = queryInteger(call.query, 'limit') ?? 100;
  const level = call.query.get('level');
  const shown = build.logs.filter((log) => isAtLeast(log, level)).slice(offset, offset + limit);
  return json(200, {
    templateID: template.id,
    buildID: build.id,
    status: build.status,
    logs: shown.map(
      ({ timestamp, message }) => `[${new Date(timestamp).toISOString()}] ${message}\n`,
    ),
    logEntries: shown.map(entry),
    ...(build.reason === undefined ? {} : { reason: { ...build.reason, logEntries: [] } }),
  });
}

function logs(call: Call, services: E2bServices): Reply {
  const build = buildOf(call, templateOf(call, services));
  const isBackward = call.query.get('direction') === 'backward';
  const limit = queryInteger(call.query, 'limit') ?? 100;
  const cursor = queryInteger(call.query, 'cursor');
  const level = call.query.get('level');
  const shown = build.logs.filter(
    (log) =>
      isAtLeast(log, level) &&
      (cursor === undefined || (isBackward ? log.timestamp < cursor : log.timestamp >= cursor)),
  );
  if (isBackward) shown.reverse();
  return json(200, { logs: shown.slice(0, limit).map(entry) });
}

const LEVELS = ['debug', 'info', 'warn', 'error'];

function isAtLeast({ level }: BuildLog, least: string | null): boolean {
  return least === null || LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

function entry({ timestamp, level, message, step }: BuildLog): object {
  return {
    timestamp: new Date(timestamp).toISOString(),
    level,
    message,
    ...(step === undefined ? {} : { step }),
  };
}
