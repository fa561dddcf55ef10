import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { readFields } from '../body.ts';
import { ApiError } from '../errors.ts';
import type { E2bServices } from '../services.ts';
import { DEFAULT_TAG, parseName } from '../template-names.ts';
import type { Template } from '../templates.ts';
import { checkTag } from './builds.ts';
import type { ControlRoutes } from './handler.ts';
import { templateOf } from './templates.ts';

/** Names for the builds of a template. */
export const TAG_ROUTES: ControlRoutes = {
  'POST /templates/tags': assign,
  'DELETE /templates/tags': remove,
  'GET /templates/:id/tags': (call, services) =>
    json(
      200,
      [...templateOf(call, services).tags].map(([tag, { build, since }]) => ({
        tag,
        buildID: build.id,
        createdAt: new Date(since).toISOString(),
      })),
    ),
};

async function assign(call: Call, services: E2bServices): Promise<Reply> {
  const body = await readFields(call);
  const target = body.string('target');
  const tags = tagsOf(body.strings('tags'));
  const parsed = parseName(target, 'target template format');
  const template = named(parsed?.name, target, services);
  const tag = parsed?.tag ?? DEFAULT_TAG;
  const build = template.tags.get(tag)?.build;
  if (build === undefined) {
    throw new ApiError(404, `Template '${target}' with tag '${tag}' not found`);
  }
  for (const one of tags) services.templates.tag(template, one, build);
  return json(201, { buildID: build.id, tags });
}

async function remove(call: Call, services: E2bServices): Promise<Reply> {
  const body = await readFields(call);
  const name = body.string('name');
  const tags = tagsOf(body.strings('tags'));
  if (tags.includes(DEFAULT_TAG)) throw new ApiError(400, `Cannot delete the '${DEFAULT_TAG}' tag`);
  const parsed = parseName(name, 'template name format');
  if (parsed?.tag !== undefined) {
    throw new ApiError(400, "Template name should not contain a tag, use the 'tags' field instead");
  }
  const template = named(parsed?.name, name, services);
  for (const tag of tags) template.tags.delete(tag);
  return empty(204);
}

function tagsOf(tags: string[] | undefined): string[] {
  if (tags === undefined || tags.length === 0)
    throw new ApiError(400, 'At least one tag is required');
  for (const tag of tags) checkTag(tag);
  return tags;
}

function named(name: string | undefined, text: string, { templates }: E2bServices): Template {
  const template = name === undefined ? undefined : templates.find(name);
  if (template === undefined) throw new ApiError(404, `template '${text}' not found`);
  return template;
}
