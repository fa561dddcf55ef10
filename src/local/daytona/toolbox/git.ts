import { readJson } from '../../http/body.ts';
import { empty, json, type Reply } from '../../http/reply.ts';
import type { Call } from '../../http/router.ts';
import { badRequest, DaytonaFailure } from '../errors.ts';
import { type Fields, fieldsOf, flag, integer, needText, text, textList } from '../input.ts';
import type { Box } from './box.ts';
import { needQuery } from './files.ts';
import { gitConfigRoutes } from './git-config.ts';
import { type GitOptions, git, tryGit } from './git-run.ts';
import { parseStatus } from './git-status.ts';
import type { BoxRoutes } from './route.ts';

export function gitRoutes(routes: BoxRoutes): void {
  routes
    .on('POST /git/clone', clone)
    .on('POST /git/init', init)
    .on('GET /git/status', status)
    .on('GET /git/history', history)
    .on('GET /git/branches', branches)
    .on('POST /git/branches', branch(['checkout', '-b'], 201))
    .on('DELETE /git/branches', branch(['branch', '-D', '--'], 204))
    .on('POST /git/checkout', checkout)
    .on('POST /git/add', add)
    .on('POST /git/commit', commit)
    .on('POST /git/push', push)
    .on('POST /git/pull', pull)
    .on('POST /git/reset', reset)
    .on('POST /git/restore', restore);
  gitConfigRoutes(routes);
}

/** Something that git would take for an option if it began like one. */
export function word(value: string, name: string): string {
  if (value.startsWith('-')) throw badRequest(`invalid ${name}: '${value}'`);
  return value;
}

function login(fields: Fields): Omit<GitOptions, 'path'> {
  return {
    username: text(fields, 'username'),
    password: text(fields, 'password'),
    skipTls: flag(fields, 'insecure_skip_tls'),
  };
}

async function clone(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const url = word(needText(fields, 'url'), 'url');
  const path = needText(fields, 'path');
  const name = text(fields, 'branch') || undefined;
  const commitId = text(fields, 'commit_id') || undefined;
  const depth = integer(fields, 'depth', 0) ?? 0;
  const options = { path, ...login(fields) };
  const { files } = box.sandbox;
  const isNew = await files.mkdir(path, box.at);
  try {
    await git(
      box,
      [
        'clone',
        // A commit may be on any branch.
        ...(commitId === undefined ? ['--single-branch'] : []),
        ...(name === undefined ? [] : ['--branch', word(name, 'branch')]),
        ...(depth > 0 ? ['--depth', `${depth}`] : []),
        '--',
        url,
        '.',
      ],
      options,
    );
    if (commitId !== undefined) {
      await git(box, ['checkout', '--detach', word(commitId, 'commit_id'), '--'], options);
    }
  } catch (error) {
    if (isNew) await files.remove(path, { ...box.at, recursive: true });
    throw error;
  }
  return empty(200);
}

async function init(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const first = text(fields, 'initial_branch') || 'main';
  await box.sandbox.files.mkdir(path, box.at);
  const bare = flag(fields, 'bare') === true ? ['--bare'] : [];
  await git(box, ['init', ...bare, '-b', word(first, 'initial_branch'), '.'], { path });
  return empty(201);
}

async function status(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const args = ['status', '--porcelain=v2', '--branch', '--untracked-files=all', '-z'];
  return json(200, parseStatus(await git(box, args, { path })));
}

const FIELD = '\x1f';
const RECORD = '\x1e';

async function history(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const format = ['%H', '%an', '%ae', '%aI', '%B'].join(FIELD);
  const said = await git(box, ['log', `--format=${format}${RECORD}`], { path });
  const commits = said.split(RECORD).filter((entry) => entry.trim() !== '');
  return json(
    200,
    commits.map((entry) => {
      const [hash, author, email, timestamp, message] = entry.trimStart().split(FIELD);
      return { hash, author, email, timestamp, message };
    }),
  );
}

async function branches(box: Box, call: Call): Promise<Reply> {
  const path = needQuery(call, 'path');
  const said = await git(box, ['for-each-ref', '--format=%(refname:short)', 'refs/heads'], {
    path,
  });
  const current = await tryGit(box, ['symbolic-ref', '--short', '-q', 'HEAD'], { path });
  const name = current.stdout.trim();
  const names = said.split('\n').filter(Boolean);
  return json(200, { branches: names, ...(name === '' ? {} : { current: name }) });
}

function branch(args: readonly string[], code: number) {
  return async (box: Box, call: Call): Promise<Reply> => {
    const fields = fieldsOf(await readJson(call.request));
    const path = needText(fields, 'path');
    await git(box, [...args, word(needText(fields, 'name'), 'name')], { path });
    return empty(code);
  };
}

async function checkout(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  await git(box, ['checkout', word(needText(fields, 'branch'), 'branch'), '--'], { path });
  return empty(200);
}

async function add(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const files = textList(fields, 'files');
  if (files === undefined || files.length === 0) throw badRequest('files are required');
  await git(box, ['add', '--', ...files], { path });
  return empty(200);
}

async function commit(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const author = needText(fields, 'author');
  const email = needText(fields, 'email');
  const message = needText(fields, 'message');
  const allowEmpty = flag(fields, 'allow_empty') === true ? ['--allow-empty'] : [];
  await git(
    box,
    // Neither hooks nor signatures: the service's own git knows none.
    [
      ...['-c', `user.name=${author}`, '-c', `user.email=${email}`],
      ...['commit', '--no-verify', '--no-gpg-sign', '--cleanup=verbatim', ...allowEmpty, '-F', '-'],
    ],
    { path, input: message },
  );
  const hash = await git(box, ['rev-parse', 'HEAD'], { path });
  return json(200, { hash: hash.trim() });
}

/** Where to push to or pull from. */
function remoteOf(fields: Fields): string {
  return word(text(fields, 'remote') || 'origin', 'remote');
}

async function push(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const options = { path, ...login(fields) };
  let name = text(fields, 'branch') || undefined;
  if (name === undefined) {
    const current = await tryGit(box, ['symbolic-ref', '--short', '-q', 'HEAD'], { path });
    if (current.exitCode === 128) await git(box, ['rev-parse', '--git-dir'], { path });
    name = current.stdout.trim();
    if (name === '') throw new DaytonaFailure(400, 'HEAD is not on a branch');
  }
  const upstream = flag(fields, 'set_upstream') === true ? ['--set-upstream'] : [];
  await git(
    box,
    ['push', ...upstream, remoteOf(fields), `refs/heads/${word(name, 'branch')}`],
    options,
  );
  return empty(200);
}

async function pull(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const name = text(fields, 'branch') || undefined;
  const branches = name === undefined ? [] : [word(name, 'branch')];
  const remote = name === undefined && !text(fields, 'remote') ? [] : [remoteOf(fields)];
  await git(box, ['pull', '--ff-only', ...remote, ...branches], { path, ...login(fields) });
  return empty(200);
}

const RESET_MODES = ['soft', 'mixed', 'hard', 'merge', 'keep'];

async function reset(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const files = textList(fields, 'files') ?? [];
  const mode = text(fields, 'mode') || undefined;
  const target = word(text(fields, 'target') || 'HEAD', 'target');
  if (mode !== undefined && !RESET_MODES.includes(mode)) throw badRequest(`invalid mode: ${mode}`);
  const how = mode === undefined || files.length > 0 ? [] : [`--${mode}`];
  await git(box, ['reset', ...how, target, '--', ...files], { path });
  return empty(200);
}

async function restore(box: Box, call: Call): Promise<Reply> {
  const fields = fieldsOf(await readJson(call.request));
  const path = needText(fields, 'path');
  const files = textList(fields, 'files');
  if (files === undefined || files.length === 0) throw badRequest('files are required');
  const source = text(fields, 'source') || undefined;
  await git(
    box,
    [
      'restore',
      ...(flag(fields, 'staged') === true ? ['--staged'] : []),
      ...(flag(fields, 'worktree') === true ? ['--worktree'] : []),
      ...(source === undefined ? [] : [`--source=${source}`]),
      '--',
      ...files,
    ],
    { path },
  );
  return empty(200);
}
