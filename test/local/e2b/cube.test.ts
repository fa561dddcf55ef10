import * as sdk from 'e2b';
import { Sandbox as Sandbox251 } from 'e2b-2.51';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CUBE_VERSIONS, type CubeVersion } from '../../../src/local/e2b/index.ts';
import {
  answer,
  api,
  failure,
  PATIENCE,
  reasonToSkip,
  type Served,
  serve,
  until,
} from './support.ts';

const missing = await reasonToSkip();
const why = missing === undefined ? '' : ` (not on this machine: ${missing})`;

function isSince(version: CubeVersion, first: CubeVersion): boolean {
  return CUBE_VERSIONS.indexOf(version) >= CUBE_VERSIONS.indexOf(first);
}

describe.skipIf(missing !== undefined).each(CUBE_VERSIONS)(`CubeSandbox %s${why}`, (version) => {
  let served: Served;
  let template: string;
  let sandbox: sdk.Sandbox;

  beforeAll(async () => {
    served = await serve({ flavor: 'cube', cubeVersion: version });
    template = served.front.defaultTemplate;
    sandbox = await sdk.Sandbox.create(template, {
      ...served.connection,
      envs: { GREETING: 'hello' },
      metadata: { plain: 'value', hard: 'a b' },
    });
  }, PATIENCE);

  afterAll(async () => {
    await served?.close();
    expect(served?.failures).toEqual([]);
  }, PATIENCE);

  test('the client of 2.50 makes, uses and ends a sandbox', { timeout: PATIENCE }, async () => {
    const own = await sdk.Sandbox.create(template, served.connection);
    expect(own.sandboxId).toMatch(/^[0-9a-f]{32}$/);
    expect((await own.getInfo()).envdVersion).toBe('0.5.11');
    const { stdout } = await own.commands.run('id -un; pwd; echo $E2B_SANDBOX');
    expect(stdout).toBe('root\n/root\nfalse\n');
    expect((await own.commands.run('id -un', { user: 'user' })).stdout).toBe('user\n');
    await own.files.write('/tmp/x', 'text');
    expect(await own.files.read('/tmp/x')).toBe('text');
    expect(await own.isRunning()).toBe(true);
    expect([await own.kill(), await own.kill()]).toEqual([true, false]);
  });

  test('the client of 2.51 creates by a route that is not there', async () => {
    const refused = await failure(Sandbox251.create(template, served.connection));
    expect(refused.message).toContain('405');
    const connecting = await failure(Sandbox251.connect(sandbox.sandboxId, served.connection));
    expect(connecting.message).toContain('404');
  });

  test('no template is called base, and Cube says so with a 500', async () => {
    const refused = await failure(sdk.Sandbox.create(served.connection));
    expect(refused.message).toBe('500: CubeMaster returned error code 130404: template not found');
    expect(template).toMatch(/^tpl-[0-9a-f]{24}$/);
  });

  test('templates have aliases since 0.6.0', { timeout: PATIENCE }, async () => {
    if (!isSince(version, '0.6.0')) {
      await failure(sdk.Sandbox.create('default', served.connection));
      return;
    }
    const own = await sdk.Sandbox.create('default', served.connection);
    expect((await own.getInfo()).templateId).toBe(template);
    await own.kill();
    expect(await sdk.Template.exists('default', served.connection)).toBe(true);
    expect(await sdk.Template.exists('other', served.connection)).toBe(false);
  });

  test('what is not routed answers with an empty 404 or 405', async () => {
    const status = async (method: string, path: string): Promise<[number, string]> => {
      const response = await api(served, method, path, method === 'GET' ? undefined : {});
      return [response.status, await response.text()];
    };
    const { sandboxId } = sandbox;
    expect(await status('GET', `/sandboxes/${sandboxId}/metrics`)).toEqual([404, '']);
    expect(await status('POST', `/sandboxes/${sandboxId}/fork`)).toEqual([404, '']);
    expect(await status('POST', '/v2/sandboxes')).toEqual([405, '']);
    expect(await status('GET', '/secrets')).toEqual([404, '']);
    const volumes = await status('GET', '/volumes');
    expect(volumes).toEqual(isSince(version, '0.6.0') ? [200, '[]'] : [404, '']);
    const network = await status('PUT', `/sandboxes/${sandboxId}/network`);
    expect(network).toEqual(isSince(version, '0.7.2') ? [204, ''] : [404, '']);
    const alias = await api(served, 'PUT', '/templates/tpl-none/alias', { alias: null });
    expect([alias.status, await alias.text()]).toEqual(
      isSince(version, '0.7.2') ? [404, expect.stringContaining('"code":404')] : [404, ''],
    );
    expect(await status('GET', '/health')).toEqual([200, '{"status":"ok","sandboxes":0}']);
  });

  test('bodies of another shape get serde’s words', async () => {
    const wrong = async (body: unknown): Promise<[number, string]> => {
      const response = await api(served, 'POST', '/sandboxes', body);
      return [response.status, await response.text()];
    };
    expect(await wrong({})).toEqual([422, expect.stringContaining('missing field `templateID`')]);
    expect(await wrong({ templateID: 5 })).toEqual([422, expect.stringContaining('integer `5`')]);
    const rules = { templateID: template, network: { rules: { 'x.com': [] } } };
    expect((await wrong(rules))[0]).toBe(422);
    const text = await fetch(`${served.url}/sandboxes`, {
      method: 'POST',
      headers: { 'x-api-key': 'e2b_0000', 'content-type': 'application/json' },
      body: '{',
    });
    expect([text.status, await text.text()]).toEqual([
      400,
      expect.stringContaining('Failed to parse'),
    ]);
  });

  test('variables are checked', async () => {
    const refused = async (envs: Record<string, string>): Promise<string> =>
      (await failure(sdk.Sandbox.create(template, { ...served.connection, envs }))).message;
    expect(await refused({ PATH: '/bin' })).toContain('env var name not allowed: PATH');
    expect(await refused({ 'A-B': '1' })).toContain('must match');
    expect(await refused({ KEY: 'line\nline' })).toContain('control character');
    expect(await refused({ KEY: 'x'.repeat(5000) })).toContain('5000 bytes');
    expect((await sandbox.commands.run('echo $GREETING')).stdout).toBe('hello\n');
  });

  test('lists have the known faults', { timeout: PATIENCE }, async () => {
    const more = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        sdk.Sandbox.create(template, { ...served.connection, metadata: { name } }),
      ),
    );
    const list = async (query: string): Promise<string[]> => {
      const response = await api(served, 'GET', `/v2/sandboxes?${query}`);
      expect(response.headers.get('x-next-token')).toBeNull();
      return ((await response.json()) as { sandboxID: string }[]).map((item) => item.sandboxID);
    };
    const [, two] = more;
    // Filtered after the cut: there is one, but not among the first.
    expect(await list('metadata=name%3Dtwo&limit=1')).toEqual([]);
    expect(await list('metadata=name%3Dtwo')).toEqual([two?.sandboxId]);
    // What clients encode twice more is never found.
    const found = async (metadata: Record<string, string>): Promise<number> =>
      (await sdk.Sandbox.list({ ...served.connection, query: { metadata } }).nextItems()).length;
    expect(await found({ plain: 'value' })).toBe(1);
    expect(await found({ hard: 'a b' })).toBe(0);
    const pages = sdk.Sandbox.list({ ...served.connection, limit: 2 });
    expect((await pages.nextItems()).length).toBe(2);
    expect(pages.hasNext).toBe(false);
    // Two states are none.
    await two?.pause();
    const running = sdk.Sandbox.list({ ...served.connection, query: { state: ['running'] } });
    const states = (await running.nextItems()).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['running']));
    const both = sdk.Sandbox.list({
      ...served.connection,
      query: { state: ['running', 'paused'] },
    });
    expect((await both.nextItems()).length).toBeGreaterThan(states.length);
    // Since 0.7 what is paused loses its labels.
    expect(await found({ name: 'two' })).toBe(isSince(version, '0.7.2') ? 0 : 1);
    await two?.connect();
    for (const own of more) await own.kill();
  });

  test('timeouts: never, at once, and none of more than a day is refused', async () => {
    const never = await sdk.Sandbox.create(template, { ...served.connection, timeoutMs: -1000 });
    const shown = await answer<Record<string, unknown>>(
      api(served, 'GET', `/sandboxes/${never.sandboxId}`),
      200,
    );
    expect(shown).not.toHaveProperty('endAt');
    expect((await never.getInfo()).endAt.getTime()).toBeNaN();
    await never.setTimeout(100 * 24 * 3600_000);
    expect(
      (await api(served, 'POST', `/sandboxes/${never.sandboxId}/timeout`, { timeout: -2 })).status,
    ).toBe(400);
    await never.setTimeout(0);
    served.clock.advance(0);
    await until(async () => !(await never.kill()));
  });

  test('connect lets a running sandbox’s timeout be, until 0.7', {
    timeout: PATIENCE,
  }, async () => {
    const own = await sdk.Sandbox.create(template, { ...served.connection, timeoutMs: 60_000 });
    const end = async (): Promise<number> => (await own.getInfo()).endAt.getTime();
    const before = await end();
    await own.connect({ timeoutMs: 600_000 });
    expect((await end()) - before).toBe(isSince(version, '0.7.2') ? 540_000 : 0);
    const later = await end();
    await own.connect({ timeoutMs: 1000 });
    expect(await end()).toBe(later);
    await own.kill();
  });

  test('pausing keeps memory whatever is asked; connect wakes', { timeout: PATIENCE }, async () => {
    const own = await sdk.Sandbox.create(template, served.connection);
    const sleep = await own.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
    await own.pause({ keepMemory: false });
    const again = await api(served, 'POST', `/sandboxes/${own.sandboxId}/pause`);
    expect([again.status, await again.json()]).toEqual([
      409,
      { code: 409, message: `sandbox ${own.sandboxId} cannot be paused` },
    ]);
    // Nobody asked for it to be woken: nginx finds nothing there.
    expect(await own.isRunning()).toBe(false);
    await own.connect();
    expect((await own.commands.list()).map(({ pid }) => pid)).toContain(sleep.pid);
    await own.pause();
    const deleted = await api(served, 'DELETE', `/sandboxes/${own.sandboxId}`);
    expect(deleted.status).toBe(isSince(version, '0.6.0') ? 204 : 409);
    if (deleted.status === 409) await own.connect();
    await own.kill();
  });

  test('flat lifecycle flags count since 0.7, nested ones always', {
    timeout: PATIENCE,
  }, async () => {
    const create = async (body: object): Promise<string> =>
      (
        await answer<{ sandboxID: string }>(
          api(served, 'POST', '/sandboxes', { templateID: template, timeout: 10, ...body }),
          201,
        )
      ).sandboxID;
    const flat = await create({ autoPause: true, autoResume: { enabled: true } });
    const nested = await create({ lifecycle: { onTimeout: 'pause', autoResume: true } });
    served.clock.advance(10_000);
    const state = async (id: string): Promise<string> => {
      const response = await api(served, 'GET', `/sandboxes/${id}`);
      return response.status === 404
        ? 'gone'
        : ((await response.json()) as { state: string }).state;
    };
    await until(async () => (await state(nested)) === 'paused');
    const ends = isSince(version, '0.7.2') ? 'paused' : 'gone';
    await until(async () => (await state(flat)) === ends);
    for (const id of [flat, nested]) {
      await api(served, 'POST', `/sandboxes/${id}/connect`, { timeout: -1 });
      await api(served, 'DELETE', `/sandboxes/${id}`);
    }
  });

  test('snapshots: names are for show, deletion answers, rollback works', {
    timeout: PATIENCE,
  }, async () => {
    await sandbox.files.write('/root/state', 'then');
    const snapshot = await sandbox.createSnapshot({ name: 'ckpt' });
    expect(snapshot).toMatchObject({ names: ['ckpt'] });
    expect(snapshot.snapshotId).toMatch(/^snap-/);
    await sandbox.files.write('/root/state', 'now');
    const body = { snapshotID: snapshot.snapshotId };
    const path = `/sandboxes/${sandbox.sandboxId}/rollback`;
    expect(await answer(api(served, 'POST', path, body), 200)).toMatchObject({
      sandboxID: sandbox.sandboxId,
      status: 'READY',
    });
    expect(await sandbox.files.read('/root/state')).toBe('then');
    const copy = await sdk.Sandbox.create(snapshot.snapshotId, served.connection);
    expect(await copy.files.read('/root/state')).toBe('then');
    const foreign = await api(served, 'POST', `/sandboxes/${copy.sandboxId}/rollback`, body);
    expect(foreign.status).toBe(404);
    await copy.kill();
    const listed = await answer<object[]>(
      api(served, 'GET', `/snapshots?sandboxID=${sandbox.sandboxId}`),
      200,
    );
    expect(listed).toMatchObject([
      { ...body, status: 'READY', originSandboxID: sandbox.sandboxId },
    ]);
    const deleted = await api(served, 'DELETE', `/templates/${snapshot.snapshotId}`);
    expect([deleted.status, await deleted.json()]).toMatchObject([
      200,
      { templateID: snapshot.snapshotId, status: 'READY' },
    ]);
    expect(await sdk.Sandbox.deleteSnapshot(snapshot.snapshotId, served.connection)).toBe(false);
  });

  test('a template from an image is a job that says what it is', {
    timeout: PATIENCE,
  }, async () => {
    const job = await answer<{ jobID: string; templateID: string }>(
      api(served, 'POST', '/templates', {
        image: 'docker.io/me/image:1',
        name: 'mine:1',
        cpu: 4000,
        env: ['FROM_IMAGE=yes'],
      }),
      202,
    );
    const path = `/templates/${job.templateID}/builds/${job.jobID}/status`;
    const done = await until(async () => {
      const status = await answer<{ status: string; message: string }>(
        api(served, 'GET', path),
        200,
      );
      return status.status === 'READY' && status;
    });
    expect(done.message).toContain('docker.io/me/image:1 is recorded only');
    const own = await sdk.Sandbox.create(job.templateID, served.connection);
    expect((await own.getInfo()).cpuCount).toBe(4);
    expect((await own.commands.run('echo $FROM_IMAGE')).stdout).toBe('yes\n');
    await own.kill();
    expect((await api(served, 'DELETE', `/templates/${job.templateID}`)).status).toBe(204);
    expect((await api(served, 'POST', '/templates', { image: ' ' })).status).toBe(400);
  });

  test('the traffic token guards envd too, and is told once', { timeout: PATIENCE }, async () => {
    const own = await sdk.Sandbox.create(template, {
      ...served.connection,
      network: { allowPublicTraffic: false },
    });
    expect(own.trafficAccessToken).toBeTypeOf('string');
    const refused = await failure(own.commands.run('true'));
    expect(refused.message).toContain('permission_denied');
    const headers = {
      'e2b-sandbox-id': own.sandboxId,
      'e2b-traffic-access-token': own.trafficAccessToken ?? '',
    };
    expect((await fetch(`${served.url}/health`, { headers })).status).toBe(204);
    const again = await sdk.Sandbox.connect(own.sandboxId, served.connection);
    expect(again.trafficAccessToken).toBeUndefined();
    await own.kill();
  });

  test('the proxy tells a killed sandbox from an unknown one', { timeout: PATIENCE }, async () => {
    const own = await sdk.Sandbox.create(template, served.connection);
    await own.kill();
    const health = async (id: string): Promise<[number, string]> => {
      const response = await fetch(`${served.url}/sandbox/${id}/49983/health`);
      return [response.status, await response.text()];
    };
    expect(await health(own.sandboxId)).toEqual([410, '{"error":"gone"}']);
    expect(await health('0'.repeat(32))).toEqual([503, '{"error":"service unavailable"}']);
    expect(await health(sandbox.sandboxId)).toEqual([204, '']);
  });

  test('a restart of the host loses what runs and keeps what is paused', {
    timeout: PATIENCE,
  }, async () => {
    const paused = await sdk.Sandbox.create(template, served.connection);
    const running = await sdk.Sandbox.create(template, served.connection);
    await paused.pause();
    await served.front.restart();
    expect((await failure(running.getInfo())).name).toBe('SandboxNotFoundError');
    expect((await paused.getInfo()).state).toBe('paused');
    await paused.connect();
    expect((await paused.commands.run('echo alive')).stdout).toBe('alive\n');
    await paused.kill();
  });
});
