import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExecOptions, type Sandbox, ShellGit } from '@cubeshift/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failing, useSandbox, withPrograms } from './support/host.ts';

const host = useSandbox();

describe('ShellGit', () => {
  let server: Server;
  let url: string;
  const seen: (string | undefined)[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      const isKnown = request.headers.authorization === `Basic ${btoa("ada:it's secret")}`;
      response.writeHead(isKnown ? 404 : 401, { 'www-authenticate': 'Basic realm="git"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/repository.git`;
  });
  afterAll(() => server.close());

  it('gives credentials to git, and not to its command line', async () => {
    const sandbox = host();
    const commands: [string, ExecOptions | undefined][] = [];
    const watched = Object.assign(Object.create(sandbox) as Sandbox, {
      exec: (command: string, options?: ExecOptions) => {
        commands.push([command, options]);
        return sandbox.exec(command, options);
      },
    });
    const git = new ShellGit(watched);
    const credentials = { username: 'ada', password: "it's secret" };
    const known = await failing(git.clone(url, credentials));
    expect(known.code).toBe('not_found');
    expect(seen).toContain(`Basic ${btoa("ada:it's secret")}`);
    for (const [command, options] of commands) {
      expect(command).not.toContain('secret');
      const { CUBESHIFT_GIT_PASSWORD: password, ...others } = options?.env ?? {};
      expect(password).toBe(credentials.password);
      expect(JSON.stringify(others)).not.toContain('secret');
    }
  });

  it('tells that credentials are wrong or missing, and never asks for them', async () => {
    const sandbox = host();
    const wrong = await failing(sandbox.git.clone(url, { username: 'ada', password: 'wrong' }));
    expect(wrong.code).toBe('unauthorized');
    const none = await failing(sandbox.git.clone(url));
    expect(none.code).toBe('unauthorized');
  });

  it('reads renames, conflicts and names of any kind', async () => {
    const sandbox = host();
    const setUp = [
      'git init -q states && cd states && git symbolic-ref HEAD refs/heads/main',
      'git config user.name Ada && git config user.email ada@example.com',
      'seq 20 > old && echo base > both && git add -A && git commit -qm base',
      'git checkout -qb side && echo side > both && git commit -qam side',
      'git checkout -q main && echo main > both && git commit -qam main',
      'git mv old "new name" && printf x > "two\nlines"',
    ].join(' && ');
    expect((await sandbox.exec(setUp)).exitCode).toBe(0);
    const { files } = await sandbox.git.status('states');
    expect(files).toEqual([
      { path: 'new name', index: 'R', worktree: ' ', from: 'old' },
      { path: 'two\nlines', index: '?', worktree: '?' },
    ]);
    await sandbox.exec('git commit -qm moved; git merge -q side', { cwd: 'states' });
    const merging = await sandbox.git.status('states');
    expect(merging.files[0]).toEqual({ path: 'both', index: 'U', worktree: 'U' });
    const { code, message } = await failing(
      sandbox.git.commit('states', 'no', { authorName: 'A', authorEmail: 'a@example.com' }),
    );
    expect(code).toBe('conflict');
    expect(message).toMatch(/unmerged files/);
  });

  it('knows the branch of a repository without commits', async () => {
    const sandbox = host();
    await sandbox.exec('git init -q empty && git -C empty symbolic-ref HEAD refs/heads/begun');
    expect(await sandbox.git.branches('empty')).toEqual({ branches: [], current: 'begun' });
    expect(await sandbox.git.status('empty')).toMatchObject({ branch: 'begun', detached: false });
  });

  it('takes no name for an option', async () => {
    const sandbox = host();
    for (const call of [
      sandbox.git.checkout('states', '--orphan'),
      sandbox.git.createBranch('states', '-D'),
      sandbox.git.push('states', { remote: '--mirror' }),
      sandbox.git.clone(url, { depth: 0 }),
    ]) {
      expect((await failing(call)).code).toBe('invalid_argument');
    }
    expect((await failing(sandbox.git.clone('--upload-pack=touch x'))).code).not.toBe(
      'invalid_argument',
    );
    expect(await sandbox.files.exists('x')).toBe(false);
  });

  it('says that the template has no git', async () => {
    const sandbox = host();
    const bare = await withPrograms(sandbox, 'cat');
    const { code, message } = await failing(bare.git.status('.'));
    expect([code, message]).toEqual(['unsupported', expect.stringContaining('no git')]);
    await bare.delete();
  });
});
