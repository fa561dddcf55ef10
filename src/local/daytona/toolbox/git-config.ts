import { readJson } from '../../http/body.ts';
import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { badRequest } from '../errors.ts';
import { fieldsOf, flag, needText, text } from '../input.ts';
import type { Box } from './box.ts';
import { needQuery } from './files.ts';
import { word } from './git.ts';
import { git, tryGit } from './git-run.ts';
import type { BoxRoutes } from './route.ts';

/** Remotes, configuration and credentials: the daemon has them since 0.194. */
export function gitConfigRoutes(routes: BoxRoutes): void {
  routes
    .on('GET /git/remotes', remotes)
    .on('POST /git/remotes', addRemote)
    .on('GET /git/config', getConfig)
    .on('POST /git/config', setConfig)
    .on('POST /git/config/user', configureUser)
    .on('POST /git/credentials', authenticate);
}

async function remotes(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const names = (await git(box, ['remote'], { path })).split('\n').filter(Boolean);
  const found = names.map(async (name) => {
    const url = await git(box, ['remote', 'get-url', '--', name], { path });
    return { name, url: url.trim() };
  });
  return json(200, { remotes: await Promise.all(found) });
}

async function addRemote(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const name = word(needText(fields, 'name'), 'name');
  const url = word(needText(fields, 'url'), 'url');
  if (flag(fields, 'overwrite') === true) await tryGit(box, ['remote', 'remove', name], { path });
  await git(box, ['remote', 'add', '--', name, url], { path });
  if (flag(fields, 'fetch') === true) await git(box, ['fetch', '--', name], { path });
  return empty(201);
}

interface Scope {
  flag: string;
  path: string;
}

/** Where a setting is kept; one repository's needs its path. */
function scopeOf(box: Box, scope: string | undefined, path: string | undefined): Scope {
  const name = scope || 'global';
  if (!['global', 'local', 'system'].includes(name)) throw badRequest(`invalid scope: ${name}`);
  if (name === 'local' && !path) throw badRequest('path is required for the local scope');
  return { flag: `--${name}`, path: path || box.home };
}

async function getConfig(box: Box, call: Call): Promise<Reply> {
  const key = word(needQuery(call, 'key'), 'key');
  const { query } = call;
  const scope = scopeOf(box, query.get('scope') ?? undefined, query.get('path') ?? undefined);
  const { exitCode, stdout } = await tryGit(box, ['config', scope.flag, '--get', key], scope);
  return json(200, exitCode === 0 ? { value: stdout.replace(/\n$/, '') } : {});
}

async function setConfig(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const scope = scopeOf(box, text(fields, 'scope'), text(fields, 'path'));
  const key = word(needText(fields, 'key'), 'key');
  await git(box, ['config', scope.flag, '--replace-all', key, text(fields, 'value') ?? ''], scope);
  return empty(200);
}

async function configureUser(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const scope = scopeOf(box, text(fields, 'scope'), text(fields, 'path'));
  for (const [key, value] of [
    ['user.name', needText(fields, 'name')],
    ['user.email', needText(fields, 'email')],
  ] as const) {
    await git(box, ['config', scope.flag, key, value], scope);
  }
  return empty(200);
}

/** Keeps a password in plain text in the sandbox, for every git in it. */
async function authenticate(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const entries = {
    protocol: text(fields, 'protocol') || 'https',
    host: text(fields, 'host') || 'github.com',
    username: needText(fields, 'username'),
    password: needText(fields, 'password'),
  };
  const lines = Object.entries(entries).map(([name, value]) => {
    if (/[\n\0]/.test(value)) throw badRequest(`invalid ${name}`);
    return `${name}=${value}\n`;
  });
  const at = { path: box.home };
  await git(box, ['config', '--global', 'credential.helper', 'store'], at);
  await git(box, ['credential', 'approve'], { ...at, input: `${lines.join('')}\n` });
  return empty(200);
}
