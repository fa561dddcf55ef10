import { Daytona as CurrentDaytona } from '@daytona/sdk';
import {
  Daytona,
  DaytonaAuthenticationError,
  DaytonaConflictError,
  type DaytonaError,
  DaytonaNotFoundError,
  type Sandbox,
} from '@daytonaio/sdk';
import { describe, expect, test } from 'vitest';
import { failureOf, KEY, withServer } from './support.ts';

withServer('sandboxes by the SDK', (server) => {
  test('one is made with no arguments, and knows who and where it is', async () => {
    const daytona = server().client();
    const sandbox = await daytona.create();
    expect(sandbox).toMatchObject({
      state: 'started',
      name: sandbox.id,
      user: 'daytona',
      snapshot: 'daytona-small',
      public: false,
      autoStopInterval: 15,
      autoArchiveInterval: 10_080,
      autoDeleteInterval: -1,
      labels: {},
      sandboxClass: 'container',
    });
    const { result, exitCode } = await sandbox.process.executeCommand(
      'whoami; pwd; echo "$DAYTONA_SANDBOX_ID"; command -v python > /dev/null && echo python',
    );
    expect({ result, exitCode }).toEqual({
      result: `daytona\n/home/daytona\n${sandbox.id}\npython\n`,
      exitCode: 0,
    });
    expect(await sandbox.getUserHomeDir()).toBe('/home/daytona');
    expect(await sandbox.getWorkDir()).toBe('/home/daytona');
    await sandbox.delete();
    expect(await failureOf(daytona.get(sandbox.id))).toBeInstanceOf(DaytonaNotFoundError);
  });

  test('names are addresses, and taken once', async () => {
    const daytona = server().client();
    const sandbox = await daytona.create({ name: 'my box', labels: { team: 'a' } });
    expect((await daytona.get('my box')).id).toBe(sandbox.id);
    const error = await failureOf<DaytonaError>(daytona.create({ name: 'my box' }));
    expect(error).toBeInstanceOf(DaytonaConflictError);
    expect(error.message).toBe('Sandbox with name my box already exists');
    await sandbox.delete();
    const again = await daytona.create({ name: 'my box' });
    await again.delete();
  });

  test('settings of a sandbox change, and its processes see new variables', async () => {
    const daytona = server().client();
    const sandbox = await daytona.create({ envVars: { GIVEN: 'one' } });
    expect(await sandbox.setLabels({ a: '1' })).toEqual({ a: '1' });
    await sandbox.setAutostopInterval(7);
    await sandbox.setAutoArchiveInterval(8);
    await sandbox.setAutoDeleteInterval(9);
    await sandbox.refreshData();
    expect(sandbox).toMatchObject({
      labels: { a: '1' },
      autoStopInterval: 7,
      autoArchiveInterval: 8,
      autoDeleteInterval: 9,
      env: { GIVEN: 'one' },
    });
    await sandbox.updateEnv({ LIVE: 'two' }, { unset: ['GIVEN'] });
    const { result } = await sandbox.process.executeCommand('echo "$LIVE-$GIVEN"');
    expect(result).toBe('two-\n');
    await sandbox.updateNetworkSettings({ networkAllowList: '10.0.0.0/8' });
    expect(sandbox.networkAllowList).toBe('10.0.0.0/8');
    const bad = sandbox.updateNetworkSettings({ networkAllowList: '10.0.0.0' });
    expect((await failureOf(bad)).message).toContain('Invalid network');
    await sandbox.resize({ cpu: 2 });
    expect(sandbox).toMatchObject({ cpu: 2, memory: 1, state: 'started' });
    expect((await failureOf(sandbox.resize({ cpu: 1 }))).message).toContain('stopped state');
    await sandbox.delete();
  });

  test('stop ends processes and keeps files; archive and start bring them back', async () => {
    const daytona = server().client();
    const sandbox = await daytona.create();
    await sandbox.fs.uploadFile(Buffer.from('kept'), 'notes/kept.txt');
    await sandbox.process.createSession('one');
    const preview = await sandbox.getPreviewLink(8000);
    await sandbox.stop();
    expect(sandbox.state).toBe('stopped');
    const asleep = await failureOf<DaytonaError>(sandbox.process.executeCommand('true'));
    expect(asleep).toMatchObject({ statusCode: 400 });
    expect(asleep.message).toContain('Is the Sandbox started?');
    expect((await failureOf(sandbox.stop())).message).toBe('Sandbox is not in a stoppable state');

    await sandbox.archive();
    expect(sandbox.state).toBe('archived');
    await sandbox.start();
    expect(sandbox.state).toBe('started');
    expect((await sandbox.fs.downloadFile('notes/kept.txt')).toString()).toBe('kept');
    expect(await sandbox.process.listSessions()).toEqual([]);
    expect((await sandbox.getPreviewLink(8000)).token).not.toBe(preview.token);
    await sandbox.delete();
  });

  test('ephemeral ones are gone when they stop', async () => {
    const daytona = server().client();
    const sandbox = await daytona.create({ ephemeral: true });
    await sandbox.stop();
    expect(sandbox.state).toBe('destroyed');
    expect(await failureOf(daytona.get(sandbox.id))).toBeInstanceOf(DaytonaNotFoundError);
  });

  test('containers do not pause or fork; virtual machines do', async () => {
    const daytona = server().client();
    const container = await daytona.create();
    expect(await failureOf(container.pause())).toMatchObject({ statusCode: 422 });
    expect(await failureOf(container.fork())).toMatchObject({ statusCode: 422 });
    await container.delete();

    const machine = await daytona.create({ snapshot: 'daytona-vm-small' });
    expect(machine).toMatchObject({ autoStopInterval: 0, autoPauseInterval: 60 });
    await machine.process.createSession('count');
    await machine.process.executeSessionCommand('count', { command: 'n=41' });
    await machine.pause();
    expect(machine.state).toBe('paused');
    await machine.start();
    const { stdout } = await machine.process.executeSessionCommand('count', {
      command: 'echo $((n + 1))',
    });
    expect(stdout).toBe('42\n');

    await machine.fs.uploadFile(Buffer.from('inherited'), 'file');
    const child = await machine.fork({ name: 'the child' });
    expect(child).toMatchObject({ name: 'the child', state: 'started' });
    expect((await child.fs.downloadFile('file')).toString()).toBe('inherited');
    expect((await failureOf(machine.delete())).message).toContain('fork children');
    await child.delete();
    await machine.delete();
  });

  test('a snapshot of a sandbox is what others start from', async () => {
    const daytona = server().client();
    const sandbox = await daytona.create();
    await sandbox.fs.uploadFile(Buffer.from('from the snapshot'), '/workspace/file');
    await sandbox.createSnapshot('saved');
    expect(sandbox.state).toBe('started');
    const snapshot = await daytona.snapshot.get('saved');
    expect(snapshot).toMatchObject({ state: 'active', sourceSandboxId: sandbox.id });
    expect(await failureOf(sandbox.createSnapshot('saved'))).toMatchObject({ statusCode: 409 });

    const other = await daytona.create({ snapshot: 'saved' });
    expect((await other.fs.downloadFile('/workspace/file')).toString()).toBe('from the snapshot');
    await daytona.snapshot.delete(snapshot);
    expect(await failureOf(daytona.create({ snapshot: 'saved' }))).toMatchObject({
      statusCode: 400,
      message: 'Snapshot saved not found. Did you add it through the Daytona Dashboard?',
    });
    expect((await other.fs.downloadFile('/workspace/file')).toString()).toBe('from the snapshot');
    await other.stop();
    await other.createSnapshot('of a stopped one');
    await sandbox.delete();
    await other.delete();
  });

  describe('the list', () => {
    const idsOf = async (found: AsyncIterable<Sandbox>): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { id } of found) ids.push(id);
      return ids;
    };

    test('comes page by page, filtered and sorted', async () => {
      const daytona = server().client();
      const made: Sandbox[] = [];
      for (const name of ['list-b', 'list-a', 'list-c']) {
        made.push(await daytona.create({ name, labels: { list: 'yes', own: name } }));
      }
      const [b, a, c] = made.map(({ id }) => id);
      const labels = { list: 'yes' };
      const byName = { sort: 'name', order: 'asc', limit: 2, labels } as never;
      expect(await idsOf(daytona.list(byName))).toEqual([a, b, c]);
      expect(await idsOf(daytona.list({ labels: { own: 'list-c' } }))).toEqual([c]);
      await made[0]?.stop();
      expect(await idsOf(daytona.list({ labels, states: ['stopped'] as never }))).toEqual([b]);
      expect(await idsOf(daytona.list({ name: 'LIST-A' }))).toEqual([a]);
      await Promise.all(made.map((sandbox) => sandbox.delete()));
    });

    test('comes as older SDKs want it', async () => {
      const daytona = server().client();
      const sandbox = await daytona.create({ labels: { old: 'yes' } });
      const paged = await server().call('GET', '/sandbox/paginated?labels={"old":"yes"}&limit=5');
      expect(await paged.json()).toMatchObject({ total: 1, page: 1, totalPages: 1 });
      const plain = await server().call('GET', '/sandbox', undefined, {
        'x-daytona-sdk-version': '0.175.0',
      });
      expect(await plain.json()).toContainEqual(expect.objectContaining({ id: sandbox.id }));
      await sandbox.delete();
    });
  });

  test('the package under its other name works, too', async () => {
    const daytona = new CurrentDaytona({ apiKey: KEY, apiUrl: server().apiUrl, target: 'us' });
    const sandbox = await daytona.create({ language: 'python' });
    expect((await sandbox.process.codeRun('print(6 * 7)')).result).toBe('42\n');
    await sandbox.delete();
  });

  test('who has no key is told so', async () => {
    const stranger = new Daytona({ apiKey: 'wrong', apiUrl: server().apiUrl, target: 'us' });
    expect(await failureOf(stranger.create())).toBeInstanceOf(DaytonaAuthenticationError);
    const bare = await fetch(`${server().apiUrl}/sandbox`);
    expect(bare.status).toBe(401);
    expect(await bare.json()).toMatchObject({ statusCode: 401, message: 'Unauthorized' });
  });

  test('one that cannot be started is in error, says why, and can be deleted', async () => {
    const daytona = server().client();
    const failed = await failureOf(daytona.create({ name: 'failed', user: 'nobody-here' }));
    expect(failed.message).toContain("user 'nobody-here' does not exist");
    const sandbox = await daytona.get('failed');
    expect(sandbox.state).toBe('error');
    expect((await failureOf(sandbox.start())).message).toBe('Sandbox is in an errored state');
    await sandbox.delete();
    const root = await daytona.create({ name: 'failed', user: 'root' });
    expect((await root.process.executeCommand('whoami; pwd')).result).toBe('root\n/root\n');
    await root.delete();
  });

  test('what the service would refuse is refused', async () => {
    const refused = async (body: unknown): Promise<{ status: number; message: string }> => {
      const response = await server().call('POST', '/sandbox', body);
      const { message } = (await response.json()) as { message: string };
      return { status: response.status, message };
    };
    expect(await refused({ snapshot: 'daytona-small', cpu: 4 })).toEqual({
      status: 400,
      message: 'Cannot specify Sandbox resources when using a snapshot',
    });
    expect(await refused({ labels: [] })).toEqual({
      status: 400,
      message: 'labels must be an object of strings',
    });
    expect(await refused({ autoStopInterval: -1 })).toMatchObject({ status: 400 });
    expect(await refused([1])).toMatchObject({ status: 400 });
    expect(await refused({ volumes: [{ volumeId: 'none', mountPath: '/x' }] })).toEqual({
      status: 404,
      message: "Volume 'none' not found",
    });
    const broken = await fetch(`${server().apiUrl}/sandbox`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: '{',
    });
    expect(broken.status).toBe(400);
    const unknown = await server().call('GET', '/nothing/here');
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      path: '/api/nothing/here',
      statusCode: 404,
      error: 'Not Found',
      message: 'Cannot GET /api/nothing/here',
    });
    const tooOld = await server().call('GET', '/sandbox', undefined, {
      'x-daytona-sdk-version': '0.20.1',
    });
    expect(await tooOld.json()).toMatchObject({ code: 'SDK_VERSION_NOT_SUPPORTED' });
    expect(server().failures).toEqual([]);
  });
});
