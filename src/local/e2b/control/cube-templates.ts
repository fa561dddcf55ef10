import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { readFields } from '../body.ts';
import { ApiError } from '../errors.ts';
import type { E2bServices } from '../services.ts';
import { DEFAULT_TAG, isCubeAlias } from '../template-names.ts';
import type { Build, Template } from '../templates.ts';
import { cubeMaster } from '../volumes.ts';
import type { ControlRoutes } from './handler.ts';
import { templateOf } from './templates.ts';

/** Cube builds templates from images that exist already; it takes no files and runs no steps. */
export const CUBE_TEMPLATE_ROUTES: ControlRoutes = {
  'POST /templates': create,
  'POST /templates/:id': rebuild,
  'POST /templates/:id/builds/:build': rebuild,
};

const MILLICORES = 1000;

async function create(call: Call, services: E2bServices): Promise<Reply> {
  const { templates, preset } = services;
  const body = await readFields(call);
  const image = body.string('image').trim();
  if (image === '') throw new ApiError(400, 'image is required');
  // The name becomes the alias, without its tag; `alias` is the older spelling.
  const wanted = body.optionalString('alias') ?? body.optionalString('name')?.split(':')[0];
  const alias = wanted?.trim().toLowerCase() || undefined;
  if (alias !== undefined && !isCubeAlias(alias)) {
    throw new ApiError(400, cubeMaster(130400, `invalid template alias ${JSON.stringify(alias)}`));
  }
  if (alias !== undefined && templates.find(alias) !== undefined) {
    throw new ApiError(409, cubeMaster(130409, `template alias ${alias} is already in use`));
  }
  const cpu = body.optionalInteger('cpu') ?? preset.resources.cpuCount * MILLICORES;
  const memoryMB = body.optionalInteger('memory') ?? preset.resources.memoryMB;
  const envs = variablesOf(body.strings('env') ?? []);
  const hasAliases = preset.templates.hasAliases && alias !== undefined;
  const template = templates.add('built', hasAliases ? [alias] : []);
  template.image = image;
  const build = templates.addBuild(template, 'waiting', {
    cpuCount: Math.max(1, Math.ceil(cpu / MILLICORES)),
    memoryMB,
    envs,
  });
  return json(202, begin(template, build, services));
}

async function rebuild(call: Call, services: E2bServices): Promise<Reply> {
  await readFields(call, { optional: true });
  const template = templateOf(call, services);
  const last = template.builds.at(-1)?.point;
  const build = services.templates.addBuild(template, 'waiting', last ?? {}, []);
  services.templates.tag(template, DEFAULT_TAG, build);
  return json(202, begin(template, build, services));
}

/** `TemplateBuildJob`. There is nothing to do, so the job is done when somebody looks. */
function begin(template: Template, build: Build, { clock }: E2bServices): object {
  setImmediate(() => {
    build.status = 'ready';
    build.updatedAt = clock.now();
  });
  return {
    jobID: build.id,
    templateID: template.id,
    status: 'PENDING',
    phase: 'PULLING',
    progress: 0,
  };
}

function variablesOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new ApiError(400, cubeMaster(130400, `invalid env ${JSON.stringify(pair)}`));
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export function cubeBuildStatus(call: Call, services: E2bServices): Reply {
  const { build, template } = jobOf(call, services);
  const isReady = build.status === 'ready';
  return json(200, {
    buildID: build.id,
    templateID: template.id,
    status: isReady ? 'READY' : 'RUNNING',
    progress: isReady ? 100 : 0,
    message: message(template),
  });
}

export function cubeBuildLogs(call: Call, services: E2bServices): Reply {
  const { build, template } = jobOf(call, services);
  const isReady = build.status === 'ready';
  const status = isReady ? 'READY' : 'RUNNING';
  const progress = isReady ? 100 : 0;
  return json(200, {
    buildID: build.id,
    status,
    progress,
    lines: [`[${status}] ${progress}% ${message(template)}`],
  });
}

function message({ image }: Template): string {
  const what = image === undefined ? 'the template' : `image ${image}`;
  return `${what} is recorded only: this development server starts sandboxes from its host's root`;
}

/** By the build alone: Cube does not compare the template. */
function jobOf({ params }: Call, { templates }: E2bServices): { build: Build; template: Template } {
  for (const template of templates.list()) {
    const build = template.builds.find(({ id }) => id === params.build);
    if (build !== undefined) return { build, template };
  }
  throw new ApiError(404, cubeMaster(130404, `template job ${params.build} not found`));
}
