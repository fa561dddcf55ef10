import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DaytonaConflictError, type DaytonaError, Image } from '@daytonaio/sdk';
import { expect, test } from 'vitest';
import { failureOf, PATIENCE, withServer } from './support.ts';

withServer('images, snapshots and volumes', (server) => {
  test('a Dockerfile is carried out, with its log', { timeout: PATIENCE }, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'daytona-context-'));
    mkdirSync(join(dir, 'app'));
    writeFileSync(join(dir, 'app', 'main.txt'), 'from the context');
    writeFileSync(join(dir, 'one.txt'), 'one file');
    const image = Image.base('python:3.12-slim')
      .env({ GREETING: 'hello world', LITERAL: '$HOME' })
      .runCommands('echo "$GREETING" > /greeting', 'echo built by $(whoami)')
      .addLocalDir(join(dir, 'app'), '/srv/app')
      .addLocalFile(join(dir, 'one.txt'), '/srv/')
      .workdir('/srv/app')
      .dockerfileCommands([
        'RUN <<EOF\necho line one > lines\necho line two >> lines\nEOF',
        'COPY <<NOTE /srv/note\nnoted\nNOTE',
        'ARG WHERE=/opt/own',
        'ENV PATH=${WHERE}/bin:$PATH \\\n    SECOND="a $WHERE"',
        'USER 1001',
        'RUN whoami > /tmp/who',
        'USER root',
      ]);
    const log: string[] = [];
    const sandbox = await server()
      .client()
      .create({ image }, { timeout: 0, onSnapshotCreateLogs: (chunk) => log.push(chunk) });
    rmSync(dir, { recursive: true });
    expect(sandbox.state).toBe('started');
    const said = log.join('\n');
    expect(said).toContain('python:3.12-slim is stood in for');
    expect(said).toContain('built by root');
    const { result } = await sandbox.process.executeCommand(
      'pwd; whoami; echo "$GREETING"; cat /greeting main.txt ../one.txt lines',
    );
    expect(result).toBe(
      '/srv/app\nroot\nhello world\nhello world\nfrom the contextone fileline one\nline two\n',
    );
    const more = await sandbox.process.executeCommand(
      'cat ../note /tmp/who; echo "$LITERAL|$SECOND|$PATH"',
    );
    expect(more.result).toMatch(
      /^noted\ndaytona\n\$HOME\|a \/opt\/own\|\/opt\/own\/bin:.*\/usr\/bin/,
    );
    expect(sandbox.buildInfo?.dockerfileContent).toContain('FROM python:3.12-slim');
    await sandbox.delete();
  });

  test('a copied file is whose it is said to be, and nothing beside it', {
    timeout: PATIENCE,
  }, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'daytona-context-'));
    mkdirSync(join(dir, 'app', 'inner'), { recursive: true });
    writeFileSync(join(dir, 'app', 'inner', 'deep.txt'), 'deep', { mode: 0o644 });
    symlinkSync('inner', join(dir, 'app', 'link'));
    writeFileSync(join(dir, 'one.txt'), 'one', { mode: 0o644 });
    const image = Image.base('debian:12')
      .addLocalDir(join(dir, 'app'), '/srv/plain')
      .addLocalFile(join(dir, 'one.txt'), '/srv/one.txt');
    const app = /COPY (\S*app) /.exec(image.dockerfile)?.[1];
    const one = /COPY (\S*one\.txt) /.exec(image.dockerfile)?.[1];
    const sandbox = await server()
      .client()
      .create(
        {
          image: image.dockerfileCommands([
            'RUN mkdir -p /srv/shared/inner && touch /srv/shared/own /srv/shared/inner/own',
            `COPY --chown=daytona --chmod=700 ${app} ${one} /srv/shared/`,
            `COPY --chown=1001:1001 ${one} /srv/made/for/`,
            `COPY ${one} /srv/later.txt`,
            `COPY ${app} /tmp/`,
          ]),
        },
        { timeout: 0 },
      );
    rmSync(dir, { recursive: true });
    const { result } = await sandbox.process.executeCommand(
      'cd /srv; stat -c "%n %U %a" shared/* shared/inner/* made/for one.txt later.txt plain/inner/deep.txt /tmp; readlink plain/link shared/link',
    );
    expect(result.split('\n')).toEqual([
      'shared/inner daytona 700',
      'shared/link daytona 777',
      'shared/one.txt daytona 700',
      'shared/own root 644',
      'shared/inner/deep.txt daytona 700',
      'shared/inner/own root 644',
      'made/for daytona 755',
      'one.txt root 644',
      'later.txt root 644',
      'plain/inner/deep.txt root 644',
      '/tmp root 1777',
      'inner',
      'inner',
      '',
    ]);
    await sandbox.delete();
  });

  test('a build that fails says where', async () => {
    const image = Image.base('debian:12').runCommands('echo before', 'exit 3', 'echo after');
    const log: string[] = [];
    const error = await failureOf(
      server()
        .client()
        .create({ image }, { timeout: 0, onSnapshotCreateLogs: (chunk) => log.push(chunk) }),
    );
    expect(error.message).toContain('returned a non-zero code: 3');
    expect(log.join('\n')).not.toContain('echo after');
  });

  test('an image’s own program runs, and its output is kept', async () => {
    const daytona = server().client();
    const image = Image.base('debian:12').entrypoint([
      '/bin/sh',
      '-c',
      'echo it runs; exec sleep 60',
    ]);
    const log: string[] = [];
    const snapshot = await daytona.snapshot.create(
      { name: 'with-entrypoint', image },
      { onLogs: (chunk) => log.push(chunk) },
    );
    expect(snapshot).toMatchObject({ state: 'active', name: 'with-entrypoint' });
    expect(log.join('\n')).toContain('Created snapshot with-entrypoint');
    const sandbox = await daytona.create({ snapshot: 'with-entrypoint' });
    await new Promise<void>((resolve) => {
      const take = (chunk: string): void => {
        if (chunk.includes('it runs')) resolve();
      };
      void sandbox.process.getEntrypointLogs(take, () => undefined).catch(() => undefined);
    });
    await sandbox.delete();
    await daytona.snapshot.delete(snapshot);
  });

  test('snapshots come from images, by names that are taken once', async () => {
    const daytona = server().client();
    const made = await daytona.snapshot.create({
      name: 'team/base:1',
      image: 'debian:12.9',
      resources: { cpu: 2, memory: 4, disk: 8 },
    });
    expect(made).toMatchObject({
      state: 'active',
      cpu: 2,
      mem: 4,
      disk: 8,
      imageName: 'debian:12.9',
    });
    const twice = daytona.snapshot.create({ name: 'team/base:1', image: 'debian:12.9' });
    expect(await failureOf(twice)).toBeInstanceOf(DaytonaConflictError);
    const loose = daytona.snapshot.create({ name: 'loose', image: 'debian:latest' });
    expect(await failureOf(loose)).toMatchObject({ statusCode: 400 });
    const { items, total } = await daytona.snapshot.list({ limit: 2, page: 1 });
    expect(items).toHaveLength(2);
    expect(total).toBeGreaterThanOrEqual(5);
    const sandbox = await daytona.create({ snapshot: made.id });
    expect(sandbox).toMatchObject({ cpu: 2, memory: 4, snapshot: 'team/base:1' });
    await server().call('POST', `/snapshots/${made.id}/deactivate`);
    const inactive = await failureOf(daytona.create({ snapshot: 'team/base:1' }));
    expect(inactive.message).toBe('Snapshot team/base:1 is inactive');
    expect(await daytona.snapshot.activate(made)).toMatchObject({ state: 'active' });
    const general = await daytona.snapshot.get('daytona-small');
    expect(await failureOf(daytona.snapshot.delete(general))).toMatchObject({ statusCode: 403 });
    await sandbox.delete();
    await daytona.snapshot.delete(made);
  });

  test('a volume is shared, outlives its sandboxes, and keeps folders apart', async () => {
    const daytona = server().client();
    const made = await daytona.volume.get('shared', true);
    expect(made.state).toBe('pending_create');
    const volume = await daytona.volume.get('shared');
    expect(volume).toMatchObject({ id: made.id, state: 'ready' });
    const mounted = (mount: { volumeId: string; mountPath: string; subpath?: string }) =>
      daytona.create({ volumes: [mount] });
    const writer = await mounted({ volumeId: 'shared', mountPath: '/data' });
    await writer.fs.uploadFile(Buffer.from('of all'), '/data/all.txt');
    const reader = await mounted({ volumeId: volume.id, mountPath: '/mnt/deep/v' });
    expect((await reader.fs.downloadFile('/mnt/deep/v/all.txt')).toString()).toBe('of all');
    const part = await mounted({ volumeId: volume.id, mountPath: '/own', subpath: 'users/ada' });
    expect(part.volumes).toEqual([
      { volumeId: volume.id, mountPath: '/own', subpath: 'users/ada' },
    ]);
    await part.process.executeCommand('echo hers > /own/file; ls /own');
    expect((await writer.fs.downloadFile('/data/users/ada/file')).toString()).toBe('hers\n');
    expect((await part.process.executeCommand('ls /own')).result).toBe('file\n');

    const busy = await failureOf<DaytonaError>(daytona.volume.delete(volume));
    expect(busy.statusCode).toBe(409);
    for (const sandbox of [writer, reader, part]) await sandbox.delete();
    const late = await mounted({ volumeId: 'shared', mountPath: '/data' });
    expect((await late.fs.downloadFile('/data/all.txt')).toString()).toBe('of all');
    await late.stop();
    await late.start();
    expect((await late.fs.downloadFile('/data/all.txt')).toString()).toBe('of all');
    await late.delete();
    await daytona.volume.delete(volume);
    expect(await failureOf(daytona.volume.get('shared'))).toMatchObject({ statusCode: 404 });
  });

  test('a volume cannot be mounted over the system, or led out of', async () => {
    const daytona = server().client();
    await daytona.volume.create('guarded');
    for (const mount of [
      { volumeId: 'guarded', mountPath: '/etc' },
      { volumeId: 'guarded', mountPath: '/' },
      { volumeId: 'guarded', mountPath: '/a/../proc' },
      { volumeId: 'guarded', mountPath: '/ok', subpath: '../other' },
    ]) {
      const refused = await failureOf(daytona.create({ volumes: [mount] }));
      expect(refused).toMatchObject({ statusCode: 400 });
    }
    const digger = await daytona.create({ volumes: [{ volumeId: 'guarded', mountPath: '/v' }] });
    await digger.process.executeCommand('ln -s / /v/out');
    const out = { volumeId: 'guarded', mountPath: '/ok', subpath: 'out' };
    expect(await failureOf(daytona.create({ volumes: [out] }))).toMatchObject({ statusCode: 400 });
    await digger.delete();
  });

  test('secrets are seen as placeholders only', async () => {
    const daytona = server().client();
    const secret = await daytona.secret.create({ name: 'token', value: 'very secret' });
    expect(secret).not.toHaveProperty('value');
    const sandbox = await daytona.create({ secrets: { TOKEN: 'token' } });
    const seen = await sandbox.process.executeCommand('echo "$TOKEN"');
    expect(seen.result.trim()).toBe(secret.placeholder);
    expect((await daytona.secret.list()).items).toHaveLength(1);
    await sandbox.updateSecrets({});
    expect((await sandbox.process.executeCommand('echo "$TOKEN"')).result).toBe('\n');
    const none = daytona.create({ secrets: { TOKEN: 'none' } });
    expect(await failureOf(none)).toMatchObject({ statusCode: 400 });
    await daytona.secret.delete(secret.id);
    await sandbox.delete();
  });

  test('warm pools are kept in the books', async () => {
    const daytona = server().client();
    const pool = await daytona.warmPool.create({ snapshot: 'daytona-small', pool: 2 });
    expect(await daytona.warmPool.update(pool.id, { pool: 3 })).toMatchObject({ pool: 3 });
    expect(await daytona.warmPool.list()).toHaveLength(1);
    await daytona.warmPool.delete(pool.id);
    expect(await daytona.warmPool.list()).toEqual([]);
  });

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});
