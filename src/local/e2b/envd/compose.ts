import { json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { readFields } from '../body.ts';
import { ApiError, isMissing } from '../errors.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';
import { resolvePath } from './filesystem-service.ts';

/** Joins files into one and removes them; clients upload the parts at the same time. */
export async function composeFiles(
  call: Call,
  sandbox: LiveSandbox,
  services: E2bServices,
): Promise<Reply> {
  const body = await readFields(call);
  const user = body.optionalString('username') || sandbox.spec.template.user;
  if (!(await services.userExists(sandbox, user))) {
    throw new ApiError(401, `error looking up user '${user}': user: unknown user ${user}`);
  }
  const { files } = sandbox.engine;
  const resolve = (path: string): Promise<string> => resolvePath(sandbox, path, user);
  const sources = await Promise.all((body.strings('source_paths') ?? []).map(resolve));
  if (sources.length === 0) throw new ApiError(400, 'source_paths cannot be empty');
  const destination = await resolve(body.string('destination'));
  for (const source of sources) {
    const entry = await files.stat(source, { follow: true }).catch((error) => {
      throw isMissing(error) ? new ApiError(404, `path '${source}' does not exist`) : error;
    });
    if (entry.type === 'directory') throw new ApiError(400, `path '${source}' is a directory`);
  }
  async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const source of sources) yield* (await files.read(source)).stream;
  }
  const joined = sources.includes(destination) ? `${destination}.composing` : destination;
  const entry = await files.write(joined, parts(), { user });
  for (const source of sources) await files.remove(source);
  if (joined !== destination) await files.move(joined, destination);
  return json(200, { path: destination, name: entry.name, type: 'file' });
}
