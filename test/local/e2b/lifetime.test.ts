import { Sandbox, type SandboxOpts } from 'e2b';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer, api, PATIENCE, reasonToSkip, type Served, serve, until } from './support.ts';

const missing = await reasonToSkip();
const why = missing === undefined ? '' : ` (not on this machine: ${missing})`;

describe.skipIf(missing !== undefined)(`lifetimes of E2B${why}`, () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve({ flavor: 'e2b' });
  }, PATIENCE);
  afterAll(() => served?.close(), PATIENCE);

  const create = (options: SandboxOpts = {}): Promise<Sandbox> =>
    Sandbox.create({ ...served.connection, timeoutMs: 60_000, ...options });

  test('traffic does not prolong it; at its end it is gone', { timeout: PATIENCE }, async () => {
    const sandbox = await create();
    const command = await sandbox.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
    served.clock.advance(59_000);
    expect(await sandbox.isRunning()).toBe(true);
    served.clock.advance(1000);
    await until(async () => !(await sandbox.isRunning()));
    const ended = await command.wait().catch((error: Error) => error);
    expect((ended as Error).message).toContain('was killed or reached its end of life');
  });

  test('a timeout is set anew, shorter or longer', { timeout: PATIENCE }, async () => {
    const sandbox = await create();
    await sandbox.setTimeout(120_000);
    served.clock.advance(100_000);
    expect(await sandbox.isRunning()).toBe(true);
    await sandbox.setTimeout(1000);
    served.clock.advance(1000);
    await until(async () => !(await sandbox.isRunning()));
  });

  test('it can be paused instead, and traffic can wake it', { timeout: PATIENCE }, async () => {
    const sandbox = await create({ lifecycle: { onTimeout: 'pause', autoResume: true } });
    served.clock.advance(60_000);
    await until(async () => (await sandbox.getInfo()).state === 'paused');
    expect((await sandbox.commands.run('echo awake')).stdout).toBe('awake\n');
    const { endAt, state } = await sandbox.getInfo();
    expect([endAt.getTime() - served.clock.now(), state]).toEqual([300_000, 'running']);
    await sandbox.kill();
  });

  test('without auto-resume only connect wakes it', { timeout: PATIENCE }, async () => {
    const sandbox = await create({ lifecycle: { onTimeout: 'pause' } });
    served.clock.advance(60_000);
    await until(async () => (await sandbox.getInfo()).state === 'paused');
    expect(await sandbox.isRunning()).toBe(false);
    await sandbox.connect({ timeoutMs: 10_000 });
    expect(await sandbox.isRunning()).toBe(true);
    served.clock.advance(10_000);
    await until(async () => (await sandbox.getInfo()).state === 'paused');
    await sandbox.kill();
  });

  test('paused sandboxes do not end', { timeout: PATIENCE }, async () => {
    const sandbox = await create();
    await sandbox.pause();
    served.clock.advance(30 * 24 * 3600_000);
    expect((await sandbox.getInfo()).state).toBe('paused');
    await sandbox.kill();
  });

  test('more than a day and less than a second are refused', async () => {
    const refused = async (timeout: number): Promise<number> =>
      (await api(served, 'POST', '/sandboxes', { templateID: 'base', timeout })).status;
    expect(await refused(24 * 3600 + 1)).toBe(400);
    expect(await refused(0)).toBe(400);
  });

  test('by the older route the default is 15 seconds', { timeout: PATIENCE }, async () => {
    const { sandboxID } = await answer<{ sandboxID: string }>(
      api(served, 'POST', '/sandboxes', { templateID: 'base' }),
      201,
    );
    const shown = await answer<{ startedAt: string; endAt: string }>(
      api(served, 'GET', `/sandboxes/${sandboxID}`),
      200,
    );
    expect(Date.parse(shown.endAt) - Date.parse(shown.startedAt)).toBe(15_000);
    await api(served, 'POST', `/sandboxes/${sandboxID}/refreshes`, { duration: 100 });
    served.clock.advance(99_000);
    expect((await api(served, 'DELETE', `/sandboxes/${sandboxID}`)).status).toBe(204);
  });
});

describe.skipIf(missing !== undefined)(`idle windows of Cube${why}`, () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve({ flavor: 'cube' });
  }, PATIENCE);
  afterAll(() => served?.close(), PATIENCE);

  const create = (options: SandboxOpts = {}): Promise<Sandbox> =>
    Sandbox.create(served.front.defaultTemplate, {
      ...served.connection,
      timeoutMs: 60_000,
      ...options,
    });

  test('every request through the proxy begins a new window', { timeout: PATIENCE }, async () => {
    const sandbox = await create();
    for (let count = 0; count < 3; count++) {
      served.clock.advance(50_000);
      expect(await sandbox.isRunning()).toBe(true);
    }
    // Asking the control plane is not activity.
    served.clock.advance(50_000);
    await sandbox.getInfo();
    served.clock.advance(10_000);
    await until(async () => !(await sandbox.kill()));
  });

  test('connect alone does not begin a new window', { timeout: PATIENCE }, async () => {
    const sandbox = await create();
    served.clock.advance(50_000);
    await sandbox.connect({ timeoutMs: 30_000 });
    served.clock.advance(10_000);
    await until(async () => !(await sandbox.kill()));
    const kept = await create();
    served.clock.advance(50_000);
    const path = `/sandboxes/${kept.sandboxId}/refreshes`;
    expect((await api(served, 'POST', path, { duration: 10 })).status).toBe(204);
    served.clock.advance(50_000);
    expect(await kept.kill()).toBe(true);
  });

  test('a busy program without requests is idle', { timeout: PATIENCE }, async () => {
    const sandbox = await create();
    await sandbox.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
    served.clock.advance(60_000);
    await until(async () => !(await sandbox.kill()));
  });

  test('traffic wakes what was paused, for a whole window', { timeout: PATIENCE }, async () => {
    const sandbox = await create({ lifecycle: { onTimeout: 'pause', autoResume: true } });
    served.clock.advance(60_000);
    await until(async () => (await sandbox.getInfo()).state === 'paused');
    expect(await sandbox.isRunning()).toBe(true);
    const { endAt, state } = await sandbox.getInfo();
    expect([endAt.getTime() - served.clock.now(), state]).toEqual([60_000, 'running']);
    await sandbox.kill();
  });
});
