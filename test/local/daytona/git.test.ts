import {
  DaytonaGitBranchExistsError,
  DaytonaGitBranchNotFoundError,
  DaytonaGitDirtyWorktreeError,
  DaytonaGitPushRejectedError,
  DaytonaGitRepoNotFoundError,
  DaytonaGitTransportFailedError,
  type Sandbox,
} from '@daytonaio/sdk';
import { beforeAll, expect, test } from 'vitest';
import { failureOf, PATIENCE, withServer } from './support.ts';

withServer('git in a sandbox', (server) => {
  let sandbox: Sandbox;
  const sh = async (command: string): Promise<string> =>
    (await sandbox.process.executeCommand(command)).result;
  const commit = async (path: string, file: string): Promise<string> => {
    await sandbox.fs.uploadFile(Buffer.from(`${file}\n`), `${path}/${file}`);
    await sandbox.git.add(path, [file]);
    return (await sandbox.git.commit(path, `Add ${file}`, 'Ada', 'ada@example.test')).sha;
  };

  beforeAll(async () => {
    sandbox = await server().client().create({ autoStopInterval: 0 });
    await sandbox.git.init('origin.git', true, 'main');
    await sandbox.git.clone('/home/daytona/origin.git', 'first');
    await commit('first', 'README');
    await sandbox.git.push('first');
  }, PATIENCE);

  test('a repository is cloned as a whole, by branch, or at a commit', async () => {
    await sandbox.git.createBranch('first', 'side');
    const sha = await commit('first', 'side.txt');
    await sandbox.git.push('first', undefined, undefined, 'side', 'origin', true);
    await commit('first', 'later.txt');
    await sandbox.git.push('first', undefined, undefined, 'side');
    await sandbox.git.clone('/home/daytona/origin.git', 'deep/second', 'side');
    expect((await sandbox.git.status('deep/second')).currentBranch).toBe('side');
    await sandbox.git.clone('/home/daytona/origin.git', 'third', undefined, sha);
    expect(await sandbox.git.status('third')).toMatchObject({ detached: true });
    expect(await sh('ls third')).toBe('README\nside.txt\n');
    const none = sandbox.git.clone('/home/daytona/origin.git', 'fourth', 'no-such-branch');
    expect(await failureOf(none)).toBeInstanceOf(DaytonaGitBranchNotFoundError);
    // What could not be cloned leaves nothing behind.
    expect(await sh('ls -d fourth 2> /dev/null')).toBe('');
    const nowhere = sandbox.git.clone('/no/such/repository', 'fifth');
    expect(await failureOf(nowhere)).toBeInstanceOf(DaytonaGitRepoNotFoundError);
    const unreachable = sandbox.git.clone('http://127.0.0.1:1/repo.git', 'sixth');
    expect(await failureOf(unreachable)).toBeInstanceOf(DaytonaGitTransportFailedError);
  });

  test('the state of files is told as the service tells it', async () => {
    await sandbox.git.clone('/home/daytona/origin.git', 'state');
    await commit('state', 'gone.txt');
    await commit('state', 'old name.txt');
    await sh(
      "cd state; echo changed >> README; git rm -q gone.txt; git mv 'old name.txt' 'new name.txt'; mkdir d; echo u > 'd/un tracked'; echo a > added; git add added; echo b >> added",
    );
    const { fileStatus, ...status } = await sandbox.git.status('state');
    expect(status).toMatchObject({
      currentBranch: 'main',
      branchPublished: true,
      ahead: 2,
      behind: 0,
      upstream: 'origin/main',
    });
    const found = fileStatus.map(({ name, staging, worktree, extra }) => [
      name,
      staging,
      worktree,
      extra,
    ]);
    expect(found.sort()).toEqual([
      ['README', 'Unmodified', 'Modified', ''],
      ['added', 'Added', 'Modified', ''],
      ['d/un tracked', 'Untracked', 'Untracked', ''],
      ['gone.txt', 'Deleted', 'Unmodified', ''],
      ['new name.txt', 'Renamed', 'Unmodified', 'old name.txt'],
    ]);
  });

  test('branches are made, listed, changed to and removed', async () => {
    await sandbox.git.clone('/home/daytona/origin.git', 'branches');
    await sandbox.git.createBranch('branches', 'feature/x');
    // As by the service, a new branch is the current one.
    expect((await sandbox.git.status('branches')).currentBranch).toBe('feature/x');
    const again = sandbox.git.createBranch('branches', 'feature/x');
    expect(await failureOf(again)).toBeInstanceOf(DaytonaGitBranchExistsError);
    await sandbox.git.checkoutBranch('branches', 'main');
    expect((await sandbox.git.branches('branches')).branches).toEqual(['feature/x', 'main']);
    await sandbox.git.deleteBranch('branches', 'feature/x');
    expect((await sandbox.git.branches('branches')).branches).toEqual(['main']);
    const missing = sandbox.git.checkoutBranch('branches', 'missing');
    expect(await failureOf(missing)).toBeInstanceOf(DaytonaGitBranchNotFoundError);
    const option = sandbox.git.createBranch('branches', '--force');
    expect(await failureOf(option)).toMatchObject({ statusCode: 400 });
  });

  test('what others pushed comes by fast-forward, or is refused', async () => {
    await sandbox.git.clone('/home/daytona/origin.git', 'mine');
    await sandbox.git.clone('/home/daytona/origin.git', 'theirs');
    await commit('theirs', 'theirs.txt');
    await sandbox.git.push('theirs');
    await sandbox.git.pull('mine');
    expect(await sh('cat mine/theirs.txt')).toBe('theirs.txt\n');
    await commit('theirs', 'more.txt');
    await sandbox.git.push('theirs');
    await commit('mine', 'own.txt');
    const push = await failureOf(sandbox.git.push('mine'));
    expect(push).toBeInstanceOf(DaytonaGitPushRejectedError);
    expect(await failureOf(sandbox.git.pull('mine'))).toBeInstanceOf(DaytonaGitPushRejectedError);
  });

  test('changes are staged, taken back and reset', async () => {
    await sandbox.git.clone('/home/daytona/origin.git', 'undo');
    await sh('cd undo; echo x >> README; git add README');
    await sandbox.git.restore('undo', ['README'], true);
    expect((await sandbox.git.status('undo')).fileStatus).toMatchObject([
      { name: 'README', staging: 'Unmodified', worktree: 'Modified' },
    ]);
    await sandbox.git.restore('undo', ['README']);
    expect((await sandbox.git.status('undo')).fileStatus).toEqual([]);
    await commit('undo', 'extra');
    await sandbox.git.reset('undo', 'hard', 'HEAD~1');
    expect(await sh('ls undo')).not.toContain('extra');
    await sh(
      'cd undo; git checkout -qb other; echo other > README; git commit -qam o -- README 2> /dev/null || git -c user.name=a -c user.email=b commit -qam o; git checkout -q main; echo dirty > README',
    );
    const dirty = sandbox.git.checkoutBranch('undo', 'other');
    expect(await failureOf(dirty)).toBeInstanceOf(DaytonaGitDirtyWorktreeError);
  });

  test('settings, remotes and passwords are kept', async () => {
    await sandbox.git.init('settings');
    await sandbox.git.configureUser('Ada', 'ada@example.test');
    expect(await sandbox.git.getConfig('user.email')).toBe('ada@example.test');
    await sandbox.git.setConfig('core.editor', 'vi', 'local', 'settings');
    expect(await sandbox.git.getConfig('core.editor', 'local', 'settings')).toBe('vi');
    expect(await sandbox.git.getConfig('no.such')).toBeUndefined();
    await sandbox.git.remoteAdd('settings', 'up', '/home/daytona/origin.git', true);
    const twice = failureOf(sandbox.git.remoteAdd('settings', 'up', '/elsewhere'));
    expect(await twice).toMatchObject({ statusCode: 409 });
    await sandbox.git.remoteAdd('settings', 'up', '/elsewhere', false, true);
    expect(await sandbox.git.remotes('settings')).toMatchObject({
      remotes: [{ name: 'up', url: '/elsewhere' }],
    });
    await sandbox.git.dangerouslyAuthenticate('ada', 'pass word', 'git.example.test');
    expect(await sh('cat ~/.git-credentials')).toBe('https://ada:pass%20word@git.example.test\n');
  });

  test('a message or a file name is never an option or a program', async () => {
    await sandbox.git.init('words');
    await sandbox.fs.uploadFile(Buffer.from('x'), 'words/--help');
    await sandbox.git.add('words', ['--help']);
    const message = '-n $(touch /tmp/ran)\n\n# not a comment\n';
    await sandbox.git.commit('words', message, 'A; touch /tmp/ran', 'a@b');
    expect(await sh('git -C words log -1 --format=%B%an; ls words; ls /tmp/ran 2> /dev/null')).toBe(
      '-n $(touch /tmp/ran)\n\n# not a comment\nA; touch /tmp/ran\n--help\n',
    );
    const nothing = await failureOf(sandbox.git.commit('words', 'm', 'A', 'a@b'));
    expect(nothing).toMatchObject({ statusCode: 409 });
    await sandbox.git.commit('words', 'm', 'A', 'a@b', true);
    const none = await failureOf(sandbox.git.status('/tmp'));
    expect(none).toBeInstanceOf(DaytonaGitRepoNotFoundError);
  });

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});
