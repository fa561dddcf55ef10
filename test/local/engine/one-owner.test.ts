import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../../src/local/engine/engine.ts';
import type { Sandbox } from '../../../src/local/engine/sandbox.ts';
import { folder, IS_ROOT, modes, PATIENCE, removeFolders, run, sh } from './support.ts';

const [{ title, isMissing }] = (await modes()) as [Awaited<ReturnType<typeof modes>>[0]];

/** Run by `unprivileged.test.ts` when the tests run as root. */
describe.skipIf(IS_ROOT || isMissing)(`one owner: ${title}`, () => {
  let engine: Engine;
  let sandbox: Sandbox;

  beforeAll(async () => {
    engine = await createEngine({ isolation: 'namespaces', dir: folder() });
    sandbox = await engine.create({ id: 'one' });
  }, PATIENCE);

  afterAll(async () => {
    await engine.close();
    removeFolders();
  }, PATIENCE);

  test('the report says so', () => {
    expect(engine.isolation.reason).toContain('user namespaces');
    expect(engine.isolation.limits.join()).toContain('does not run as root');
  });

  test('files show as those of whoever looks; the host’s as nobody’s, and as root’s from outside', async () => {
    await sh(sandbox, 'touch /tmp/file');
    for (const user of ['user', 'daytona', 'root']) {
      const owners = await sh(sandbox, 'stat -c %U /tmp/file /usr/bin/env', { user });
      expect(owners).toBe(`${user}\nnobody\n`);
    }
    expect((await sandbox.files.stat('/usr/bin/env')).owner).toBe('root');
  });

  test('sudo is stood in for', async () => {
    const who = 'whoami; id -u; echo $HOME';
    expect(await sh(sandbox, `sudo sh -c '${who}'`)).toBe('root\n0\n/root\n');
    expect(await sh(sandbox, `sudo -n -u daytona -- sh -c '${who}'`)).toBe(
      'daytona\n1001\n/home/daytona\n',
    );
    expect(await sh(sandbox, "sudo -E KEY='a b' env | grep KEY")).toBe('KEY=a b\n');
    const { exitCode, stderr } = await run(sandbox, { argv: ['sudo', '-u', 'nemo', 'id'] });
    expect([exitCode, stderr]).toEqual([1, 'sudo: unknown user nemo\n']);
  });

  test('files of the host are replaced and removed, in this sandbox only, and kept by snapshots', async () => {
    const other = await engine.create({ id: 'other' });
    const script = `
      rm /etc/profile; echo mine > /usr/bin/new; mv /usr/bin/new /usr/bin/yes
      mkdir /usr/local/lib/made; rm -r /etc/skel; mkdir /etc/skel; touch /etc/skel/new`;
    await sh(sandbox, script);
    const look = 'head -c 5 /usr/bin/yes; ls -d /usr/local/lib/made; ls -A /etc/skel';
    const seen = 'mine\n/usr/local/lib/made\nnew\n';
    expect(await sh(sandbox, look)).toBe(seen);
    expect(await sh(other, 'ls -d /usr/local/lib/made 2>&1 || :')).toContain('cannot access');
    await engine.snapshot('one', 'changed');
    await other.rollback('changed');
    expect(await sh(other, look)).toBe(seen);
    expect(await sh(other, 'ls /etc/profile 2>&1 || :')).toContain('cannot access');
    await other.delete();
  });

  test('what cannot be read, not even by its owner, is kept by snapshots and removed', async () => {
    const other = await engine.create({ id: 'closed' });
    await sh(other, 'mkdir -p d/e; echo x > d/e/f; chmod 0 d/e/f d/e d');
    await engine.snapshot('closed', 'closed');
    await other.rollback('closed');
    expect(await sh(other, 'cat /home/user/d/e/f', { user: 'root' })).toBe('x\n');
    await other.delete();
    await engine.deleteSnapshot('closed');
  });

  test('folders of a snapshot are moved', async () => {
    const other = await engine.create({ id: 'moved' });
    await sh(other, 'mkdir -p old/deep; echo x > old/deep/file; ln -s deep old/link');
    await engine.snapshot('moved', 'moved');
    await other.rollback('moved');
    await other.files.move('old', 'new');
    await sh(other, 'mv new newer');
    expect(await sh(other, 'ls; cat newer/link/file; readlink newer/link')).toBe(
      'newer\nx\ndeep\n',
    );
    await other.delete();
  });

  test('an archive with owners of its own is unpacked, also by root', async () => {
    const script = 'tar c --owner=777 --group=777 -f /tmp/x.tar -C /etc hosts; tar xf /tmp/x.tar';
    await sh(sandbox, `${script}; test -s hosts`, { user: 'root', cwd: '/root' });
  });
});
