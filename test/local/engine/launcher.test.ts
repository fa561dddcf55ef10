import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/local/engine/engine.ts';
import {
  codeOf,
  content,
  folder,
  modes,
  mountsIn,
  PATIENCE,
  removeFolders,
  running,
  sh,
  until,
  withEngine,
} from './support.ts';

afterAll(removeFolders, PATIENCE);

/** Unlike any other on this machine, so that it can be told in a list of processes. */
const SLEEP = ['sleep', '98763'];

describe.each(await modes())('launcher: $title', ({ mode, isMissing }) => {
  const cannotLook = !existsSync('/proc/self');

  test.skipIf(isMissing || cannotLook)(
    'killed, it takes along what it started, and the engine goes on',
    async () => {
      const dir = folder();
      const engine = await createEngine({ isolation: mode, dir, spares: 1 });
      const sandbox = await engine.create({ id: 'running' });
      const paused = await engine.create({ id: 'paused' });
      await sh(sandbox, 'echo kept > file');
      const sleepers = await Promise.all(
        [sandbox, paused].map((one) => one.spawn({ argv: SLEEP })),
      );
      await paused.pause();

      process.kill(launcher(), 'SIGKILL');
      for (const { exit } of sleepers) expect((await exit).signal).toBe('SIGKILL');
      await until(() => running(SLEEP.join('\0')).length === 0);
      if (mode === 'namespaces') {
        await until(() => sandbox.state === 'stopped' && paused.state === 'stopped');
        expect(await codeOf(sandbox.spawn({ argv: ['true'] }))).toBe('not-running');
        expect(await codeOf(paused.resume())).toBe('not-running');
      }

      // Its disk is still there.
      for (const one of [sandbox, paused]) {
        await one.stop();
        await one.start();
      }
      expect(await content(sandbox, 'file')).toBe('kept\n');
      expect(await sh(paused, 'echo awake')).toBe('awake\n');
      const created = await engine.create({ id: 'new' });
      expect(await sh(created, 'echo fine')).toBe('fine\n');

      await created.spawn({ argv: SLEEP });
      await engine.close();
      expect(readdirSync(dir)).toEqual([]);
      expect(mountsIn(dir)).toEqual([]);
      await until(() => running(SLEEP.join('\0')).length === 0);
      await until(() => running(dir).length === 0);
    },
  );

  test.skipIf(isMissing || cannotLook)('a command that is too long harms nobody else', async () => {
    await withEngine(mode, async (engine) => {
      const sandbox = await engine.create({ id: 'long' });
      const before = launcher();
      const failed = sandbox.spawn({ argv: ['echo', 'x'.repeat(200_000)] });
      await expect(failed).rejects.toMatchObject({
        code: 'spawn-failed',
        message: "'echo' could not be started: argument list too long",
      });
      expect(launcher()).toBe(before);
      expect(await sh(sandbox, 'echo fine')).toBe('fine\n');
    });
  });
});

/** The process that starts all others for the engines of this one. */
function launcher(): number {
  const own = running("require('node:child_process')").filter((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid;
  });
  expect(own).toHaveLength(1);
  return own[0] as number;
}
