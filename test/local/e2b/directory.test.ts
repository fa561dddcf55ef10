import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandExitError, Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalServer, startLocal } from '../../../src/local/index.ts';
import { failure, PATIENCE } from './support.ts';

describe('where sandboxes are only folders', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cubeshift-e2b-test-'));
  const failures: unknown[] = [];
  let server: LocalServer;
  let connection: { apiUrl: string; sandboxUrl: string; apiKey: string };

  beforeAll(async () => {
    const onError = (error: unknown): void => void failures.push(error);
    server = await startLocal({ flavor: 'e2b', isolation: 'directory', dir, onError });
    const { url, apiKey } = server.e2b;
    connection = { apiUrl: url, sandboxUrl: url, apiKey };
  }, PATIENCE);

  afterAll(async () => {
    await server?.close();
    expect(readdirSync(dir)).toEqual([]);
    rmSync(dir, { recursive: true });
    expect(failures).toEqual([]);
  }, PATIENCE);

  test('one is made, used, paused, resumed and ended', { timeout: PATIENCE }, async () => {
    expect(server.isolation.mode).toBe('directory');
    const sandbox = await Sandbox.create({ ...connection, envs: { OF_SANDBOX: 'yes' } });
    const told = await sandbox.commands.run('echo "$OF_SANDBOX $OWN"; echo oops >&2', {
      envs: { OWN: 'own' },
    });
    expect(told).toMatchObject({ stdout: 'yes own\n', stderr: 'oops\n', exitCode: 0 });
    const failed = await failure(sandbox.commands.run('exit 3'));
    expect(failed).toBeInstanceOf(CommandExitError);
    expect(failed).toMatchObject({ exitCode: 3 });

    // Relative names are below the home, for files and for commands.
    await sandbox.files.write('in.txt', 'from outside\n');
    await sandbox.files.makeDir('folder');
    const copied = await sandbox.commands.run('cat in.txt && cat in.txt > folder/out.txt');
    expect(copied.stdout).toBe('from outside\n');
    expect(await sandbox.files.read('/home/user/folder/out.txt')).toBe('from outside\n');
    const names = (await sandbox.files.list('.')).map(({ name }) => name);
    expect(names.sort()).toEqual(['folder', 'in.txt']);
    expect(await sandbox.files.exists('folder/in.txt')).toBe(false);

    // What runs is kept; whoever listened has to come back.
    const { pid } = await sandbox.commands.run('cat', { background: true, stdin: true });
    await sandbox.pause();
    expect((await sandbox.getInfo()).state).toBe('paused');
    await sandbox.connect();
    expect((await sandbox.getInfo()).state).toBe('running');
    expect(await sandbox.files.read('in.txt')).toBe('from outside\n');
    const cat = await sandbox.commands.connect(pid);
    await cat.sendStdin('still here\n');
    await cat.closeStdin();
    expect((await cat.wait()).stdout).toBe('still here\n');

    expect(await sandbox.kill()).toBe(true);
    expect(await sandbox.isRunning()).toBe(false);
    expect(await Sandbox.list(connection).nextItems()).toEqual([]);
  });
});
