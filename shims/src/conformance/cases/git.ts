import { strict as assert } from 'node:assert';
import type { Sandbox } from '../../provider/sandbox.ts';
import { type Case, type Kit, rejects } from '../kit.ts';

const AUTHOR = { authorName: 'Ada Ü', authorEmail: 'ada@example.com' } as const;

/** Repositories. All of them are in the sandbox: nothing is fetched from anywhere. */
export const GIT: readonly Case[] = [
  {
    name: 'git: status, add and commit',
    async run(kit) {
      const sandbox = await kit.shared();
      const { git, files } = sandbox;
      if (!(await kit.supports('git', () => git.status('/')))) return;
      const path = await repository(kit, sandbox);
      const { branch, detached, files: none } = await git.status(path);
      assert.deepEqual([branch, detached, none], ['main', false, []]);
      await files.write(`${path}/new file`, 'x');
      await files.write(`${path}/ü.txt`, 'x');
      const untracked = (await git.status(path)).files.map((file) => [file.path, file.index]);
      assert.deepEqual(untracked, [
        ['new file', '?'],
        ['ü.txt', '?'],
      ]);
      await git.add(path, { files: ['new file'] });
      const [added, other] = (await git.status(path)).files;
      assert.deepEqual([added?.path, added?.index, added?.worktree], ['new file', 'A', ' ']);
      assert.equal(other?.index, '?');
      await git.add(path);
      const message = `It's "done"\n\nsecond paragraph $HOME`;
      const { sha } = await git.commit(path, message, AUTHOR);
      const { stdout } = await sandbox.exec('git log -1 --format="%H%n%an <%ae>%n%B"', {
        cwd: path,
      });
      assert.equal(
        stdout.trim(),
        `${sha}\n${AUTHOR.authorName} <${AUTHOR.authorEmail}>\n${message}`,
      );
      assert.deepEqual((await git.status(path)).files, []);
      await files.write(`${path}/new file`, 'changed');
      const [changed] = (await git.status(path)).files;
      assert.deepEqual([changed?.index, changed?.worktree], [' ', 'M']);
    },
  },
  {
    name: 'git: nothing to commit',
    async run(kit) {
      const sandbox = await kit.shared();
      const { git } = sandbox;
      if (!(await kit.supports('git', () => git.status('/')))) return;
      const path = await repository(kit, sandbox);
      const error = await rejects(git.commit(path, 'empty', AUTHOR), 'conflict');
      kit.seen(`refused: ${error.message}`);
      const { sha } = await git.commit(path, 'empty', { ...AUTHOR, allowEmpty: true });
      assert.match(sha, /^[0-9a-f]{40,64}$/);
    },
  },
  {
    name: 'git: branches',
    async run(kit) {
      const sandbox = await kit.shared();
      const { git } = sandbox;
      if (!(await kit.supports('git', () => git.branches('/')))) return;
      const path = await repository(kit, sandbox);
      await git.createBranch(path, 'dev');
      await git.checkout(path, 'dev');
      const { branches, current } = await git.branches(path);
      assert.deepEqual([[...branches].sort(), current], [['dev', 'main'], 'dev']);
      assert.equal((await git.status(path)).branch, 'dev');
      await sandbox.files.write(`${path}/dev-only`, 'x');
      await git.add(path);
      const { sha } = await git.commit(path, 'on dev', AUTHOR);
      await git.checkout(path, 'main');
      assert.equal(await sandbox.files.exists(`${path}/dev-only`), false);
      await git.checkout(path, sha);
      const there = await git.status(path);
      assert.deepEqual([there.detached, there.branch], [true, undefined]);
      assert.equal((await git.branches(path)).current, undefined);
      await git.checkout(path, 'main');
      await git.deleteBranch(path, 'dev');
      assert.deepEqual((await git.branches(path)).branches, ['main']);
      await rejects(git.checkout(path, 'no-such-branch'), 'conflict', 'not_found');
    },
  },
  {
    name: 'git: clone, push and pull',
    async run(kit) {
      const sandbox = await kit.shared();
      const { git, files } = sandbox;
      if (!(await kit.supports('git', () => git.clone('/none')))) return;
      const path = await repository(kit, sandbox);
      const folder = await kit.folder(sandbox);
      await sandbox.exec(`git clone -q --bare '${path}' '${folder}/bare'`);
      await git.clone(`${folder}/bare`, { path: `${folder}/one` });
      await git.clone(`${folder}/bare`, { path: `${folder}/two`, branch: 'main' });
      assert.equal(await files.read(`${folder}/one/README`, { as: 'text' }), 'first');
      await files.write(`${folder}/one/README`, 'second');
      await git.add(`${folder}/one`);
      await git.commit(`${folder}/one`, 'second', AUTHOR);
      const ahead = await git.status(`${folder}/one`);
      assert.deepEqual([ahead.upstream, ahead.ahead, ahead.behind], ['origin/main', 1, 0]);
      await git.push(`${folder}/one`);
      await git.pull(`${folder}/two`);
      assert.equal(await files.read(`${folder}/two/README`, { as: 'text' }), 'second');
      await rejects(git.clone(`${folder}/none`, { path: `${folder}/x` }), 'conflict', 'not_found');
    },
  },
  {
    name: 'git: what is no repository',
    async run(kit) {
      const sandbox = await kit.shared();
      if (!(await kit.supports('git', () => sandbox.git.status('/')))) return;
      const path = await kit.folder(sandbox);
      const error = await rejects(sandbox.git.status(path), 'conflict', 'not_found');
      kit.seen(`refused: ${error.code}: ${error.message}`);
    },
  },
];

/** A new repository with one commit on `main`. */
async function repository(kit: Kit, sandbox: Sandbox): Promise<string> {
  const path = await kit.folder(sandbox);
  await sandbox.files.write(`${path}/README`, 'first');
  const script = [
    'git init -q && git symbolic-ref HEAD refs/heads/main && git add -A',
    'git -c user.name=Kit -c user.email=kit@example.com commit -q -m first',
  ];
  const { exitCode, output } = await sandbox.exec(script.join(' && '), { cwd: path });
  assert.equal(exitCode, 0, `The template has no git that works: ${output}`);
  return path;
}
