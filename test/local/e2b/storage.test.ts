import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox, Template, Volume } from 'e2b';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer, api, failure, PATIENCE, reasonToSkip, type Served, serve } from './support.ts';

const missing = await reasonToSkip();
const why = missing === undefined ? '' : ` (not on this machine: ${missing})`;

describe.skipIf(missing !== undefined).each(['e2b', 'cube'] as const)(
  `volumes of %s${why}`,
  (flavor) => {
    let served: Served;
    const isCube = flavor === 'cube';
    beforeAll(async () => {
      served = await serve({ flavor });
    }, PATIENCE);
    afterAll(() => served?.close(), PATIENCE);

    test('they are made, found and destroyed', async () => {
      const volume = await Volume.create('data', served.connection);
      expect(volume.name).toBe('data');
      expect(volume.volumeId).toMatch(isCube ? /^data$/ : /^[0-9a-f-]{36}$/);
      expect(await Volume.list(served.connection)).toEqual([
        { volumeId: volume.volumeId, name: 'data' },
      ]);
      const twice = await failure(Volume.create('data', served.connection));
      expect(twice.message).toContain(
        isCube ? 'volume already exists: data' : "'data' already exists",
      );
      await failure(Volume.create('no spaces', served.connection));
      const destroy = (): Promise<boolean> => Volume.destroy(volume.volumeId, served.connection);
      expect([await destroy(), await destroy()]).toEqual([true, false]);
    });

    test('what one sandbox writes another sees, and it outlives both', {
      timeout: PATIENCE,
    }, async () => {
      const volume = await Volume.create('shared', served.connection);
      const create = (): Promise<Sandbox> =>
        Sandbox.create(served.front.defaultTemplate, {
          ...served.connection,
          volumeMounts: { '/mnt/shared': volume },
        });
      const [one, two] = [await create(), await create()];
      expect((await one.getInfo()).volumeMounts).toEqual([{ name: 'shared', path: '/mnt/shared' }]);
      await one.commands.run('echo mine > /mnt/shared/file', { user: 'user' });
      expect(await two.files.read('/mnt/shared/file')).toBe('mine\n');
      const inUse = await Volume.destroy(volume.volumeId, served.connection).catch(() => 'in use');
      expect(inUse).toBe(isCube ? 'in use' : true);
      await Promise.all([one.kill(), two.kill()]);
      if (!isCube) return;
      const three = await create();
      expect(await three.files.read('/mnt/shared/file')).toBe('mine\n');
      await three.kill();
      expect(await Volume.destroy(volume.volumeId, served.connection)).toBe(true);
    });

    test('what cannot be mounted is refused', async () => {
      const create = (volumeMounts: Record<string, string>): Promise<Error> =>
        failure(
          Sandbox.create(served.front.defaultTemplate, { ...served.connection, volumeMounts }),
        );
      expect((await create({ '/mnt': 'none' })).message).toContain("'none' not found");
      await Volume.create('twice', served.connection);
      if (isCube) {
        const message = 'each volume may be mounted at most once per sandbox';
        expect((await create({ '/a': 'twice', '/b': 'twice' })).message).toContain(message);
        const driver = await api(served, 'POST', '/volumes', { name: 'x', driver: 'floppy' });
        expect([driver.status, await driver.text()]).toEqual([
          400,
          expect.stringContaining('unknown driver: floppy'),
        ]);
      }
    });

    test.skipIf(!isCube)(
      'a mount of Cube can be for reading only',
      { timeout: PATIENCE },
      async () => {
        await Volume.create('fixed', served.connection);
        const { sandboxID } = await answer<{ sandboxID: string }>(
          api(served, 'POST', '/sandboxes', {
            templateID: served.front.defaultTemplate,
            volumeMounts: [{ name: 'fixed', path: '/data', readOnly: true }],
          }),
          201,
        );
        const sandbox = await Sandbox.connect(sandboxID, served.connection);
        const refused = await failure(sandbox.commands.run('touch /data/x'));
        expect(refused.message).toContain('exit status 1');
        await sandbox.kill();
      },
    );
  },
);

describe.skipIf(missing !== undefined)(`files of volumes${why}`, () => {
  let served: Served;
  let volume: Volume;
  beforeAll(async () => {
    process.env.E2B_VOLUME_API_URL = '';
    served = await serve({ flavor: 'e2b' });
    process.env.E2B_VOLUME_API_URL = served.url;
    volume = await Volume.create('content', served.connection);
  }, PATIENCE);
  afterAll(async () => {
    delete process.env.E2B_VOLUME_API_URL;
    await served?.close();
  }, PATIENCE);

  test('are written, read, described and removed', async () => {
    await volume.makeDir('/dir');
    const written = await volume.writeFile('/dir/file.txt', 'text', { uid: 1000, mode: 0o600 });
    expect(written).toMatchObject({
      name: 'file.txt',
      type: 'file',
      size: 4,
      uid: 1000,
      mode: 0o600,
    });
    expect(await volume.readFile('/dir/file.txt')).toBe('text');
    expect((await volume.list('/')).map(({ path }) => path)).toEqual(['/dir']);
    expect((await volume.list('/', { depth: 2 })).map(({ path }) => path)).toEqual([
      '/dir',
      '/dir/file.txt',
    ]);
    expect(await volume.updateMetadata('/dir/file.txt', { mode: 0o644 })).toMatchObject({
      mode: 0o644,
    });
    expect(
      (await failure(volume.writeFile('/dir/file.txt', 'x', { force: false }))).message,
    ).toContain('409');
    await volume.remove('/dir');
    expect(await volume.exists('/dir')).toBe(false);
    expect((await failure(volume.readFile('/dir/file.txt'))).name).toBe('VolumePathNotFoundError');
  });

  test('no path and no link leads out', { timeout: PATIENCE }, async () => {
    const sandbox = await Sandbox.create({
      ...served.connection,
      volumeMounts: { '/mnt': volume },
    });
    await sandbox.commands.run('ln -s /etc /mnt/out; ln -s ../../../etc/passwd /mnt/passwd');
    await failure(volume.readFile('/out/passwd'));
    await failure(volume.readFile('/passwd'));
    await failure(volume.readFile('/../../../etc/passwd'));
    await sandbox.kill();
  });

  test('the token of the volume is needed', async () => {
    const path = `/volumecontent/${volume.volumeId}/path?path=/`;
    expect((await fetch(`${served.url}${path}`)).status).toBe(401);
    const headers = { authorization: 'Bearer wrong' };
    expect((await fetch(`${served.url}${path}`, { headers })).status).toBe(401);
  });
});

describe.skipIf(missing !== undefined)(`templates of E2B${why}`, () => {
  let served: Served;
  let context: string;
  beforeAll(async () => {
    served = await serve({ flavor: 'e2b' });
    context = mkdtempSync(join(tmpdir(), 'cubeshift-template-'));
    mkdirSync(join(context, 'app/inner'), { recursive: true });
    writeFileSync(join(context, 'app/main.txt'), 'main');
    writeFileSync(join(context, 'app/inner/deep.txt'), 'deep');
    symlinkSync('main.txt', join(context, 'app/link'));
  }, PATIENCE);
  afterAll(async () => {
    rmSync(context, { recursive: true, force: true });
    await served?.close();
    expect(served?.failures).toEqual([]);
  }, PATIENCE);

  test('steps are run, and sandboxes begin where they end', { timeout: PATIENCE }, async () => {
    const template = Template({ fileContextPath: context })
      .fromImage('debian:12')
      .setEnvs({ COLOR: 'blue', QUOTED: '"$(id)" `id`' })
      .copy('app', '/srv/app', { user: 'root' })
      .copy('app/main.txt', 'copied.txt')
      .runCmd('test "$COLOR" = blue && echo built > /tmp/built', { user: 'root' })
      .setWorkdir('/srv/work')
      .runCmd('pwd > where');
    const logs: string[] = [];
    const build = await Template.build(template, 'mine:v1', {
      ...served.connection,
      cpuCount: 4,
      memoryMB: 512,
      onBuildLogs: ({ message }) => void logs.push(message),
    });
    expect(logs.join('\n')).toContain('FROM debian:12: recorded only');
    const sandbox = await Sandbox.create('mine:v1', served.connection);
    expect(await sandbox.getInfo()).toMatchObject({
      templateId: build.templateId,
      cpuCount: 4,
      memoryMB: 512,
    });
    const show =
      'pwd; cat where /srv/app/inner/deep.txt /srv/app/link /home/user/copied.txt; stat -c %U /srv/app/main.txt /home/user/copied.txt; cat /tmp/built; echo $QUOTED';
    expect((await sandbox.commands.run(show)).stdout).toBe(
      '/srv/work\n/srv/work\ndeepmainmainroot\nuser\nbuilt\n"$(id)" `id`\n',
    );
    await sandbox.kill();
    expect((await failure(Sandbox.create('mine', served.connection))).message).toContain(
      "tag 'default' does not exist",
    );
  });

  test('a step that fails fails the build, in its own words', { timeout: PATIENCE }, async () => {
    const template = Template().fromTemplate('base').runCmd('echo because >&2; exit 7');
    const failed = await failure(Template.build(template, 'broken', served.connection));
    expect(failed.name).toBe('BuildError');
    expect(failed.message).toContain('exit status 7: because');
    const missing = Template().fromTemplate('no-such-template');
    expect((await failure(Template.build(missing, 'other', served.connection))).message).toContain(
      "'no-such-template' not found",
    );
  });

  test('start commands run in every sandbox', { timeout: PATIENCE }, async () => {
    const template = Template()
      .fromTemplate('base')
      .setStartCmd('touch /tmp/started; sleep 1000', '[ -e /tmp/started ]');
    await Template.build(template, 'starting', served.connection);
    const sandbox = await Sandbox.create('starting', served.connection);
    expect(await sandbox.files.exists('/tmp/started')).toBe(true);
    await sandbox.kill();
  });

  test('tags name builds', { timeout: PATIENCE }, async () => {
    const template = Template().fromTemplate('base').runCmd('echo 1 > /home/user/number');
    await Template.build(template, 'tagged', served.connection);
    await Template.assignTags('tagged:default', ['stable'], served.connection);
    const tags = (await Template.getTags('tagged', served.connection)).map(({ tag }) => tag);
    expect(tags).toEqual(['default', 'stable']);
    const sandbox = await Sandbox.create('tagged:stable', served.connection);
    expect(await sandbox.files.read('number')).toBe('1\n');
    const inUse = await api(served, 'DELETE', '/templates/tagged');
    expect([inUse.status, await inUse.text()]).toEqual([400, expect.stringContaining('running')]);
    await sandbox.kill();
    await Template.removeTags('tagged', 'stable', served.connection);
    expect((await failure(Sandbox.create('tagged:stable', served.connection))).message).toContain(
      '404',
    );
    expect((await api(served, 'DELETE', '/templates/tagged')).status).toBe(204);
    expect(await Template.exists('tagged', served.connection)).toBe(false);
  });

  test('the templates that are there from the start', async () => {
    const list = await answer<{ names: string[] }[]>(api(served, 'GET', '/templates'), 200);
    const names = list.flatMap((template) => template.names);
    expect(names).toEqual(expect.arrayContaining(['base', 'code-interpreter-v1']));
    const refused = async (reference: string): Promise<string> =>
      (await failure(Sandbox.create(reference, served.connection))).message;
    expect(await refused('nothing-here')).toBe("404: template 'nothing-here' not found");
    expect(await refused('another-team/base')).toContain('404');
    expect(await refused('not a name!')).toContain('400: Invalid template reference');
  });
});
