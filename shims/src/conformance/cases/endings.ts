import { strict as assert } from 'node:assert';
import { heart, startsBeating, stopsBeating } from '../beat.ts';
import { type Case, rejects } from '../kit.ts';

/** Commands that are not let to their end. */
export const ENDINGS: readonly Case[] = [
  {
    name: 'exec: its time is over',
    async run(kit) {
      const sandbox = await kit.shared();
      const file = `${await kit.folder(sandbox)}/beat`;
      const started = performance.now();
      await rejects(sandbox.exec(heart(file), { timeoutMs: kit.paceMs }), 'timeout');
      const ms = Math.round(performance.now() - started);
      assert.ok(ms >= kit.paceMs - 50, `It was ended after ${ms} ms already`);
      await stopsBeating(kit, sandbox, file);
      kit.seen(`${kit.paceMs} ms were over after ${ms} ms; its children had ended`);
    },
  },
  {
    name: 'exec: time that is enough',
    async run(kit) {
      const sandbox = await kit.shared();
      const { exitCode } = await sandbox.exec(`${kit.sleep}; exit 6`, { timeoutMs: 60_000 });
      assert.equal(exitCode, 6);
    },
  },
  {
    name: 'exec: aborted',
    async run(kit) {
      const sandbox = await kit.shared();
      const file = `${await kit.folder(sandbox)}/beat`;
      const stop = new AbortController();
      const reason = new Error('enough');
      const ended = sandbox.exec(heart(file), { signal: stop.signal }).catch((error) => error);
      await startsBeating(kit, sandbox, file);
      stop.abort(reason);
      assert.equal(await ended, reason, 'It does not reject with the reason of the signal');
      await stopsBeating(kit, sandbox, file);
    },
  },
  {
    name: 'exec: aborted before it began',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      const reason = new Error('never mind');
      const call = sandbox.exec('echo ran > ran', {
        cwd: folder,
        signal: AbortSignal.abort(reason),
      });
      assert.equal(await call.catch((error) => error), reason);
      assert.equal(await sandbox.files.exists(`${folder}/ran`), false, 'It ran');
    },
  },
  {
    name: 'spawn: killed with all that it started',
    async run(kit) {
      const sandbox = await kit.shared();
      const file = `${await kit.folder(sandbox)}/beat`;
      const handle = await sandbox.spawn(heart(file));
      await startsBeating(kit, sandbox, file);
      assert.equal(await handle.kill(), true);
      const { exitCode } = await handle.wait({ signal: AbortSignal.timeout(kit.settleTimeoutMs) });
      assert.notEqual(exitCode, 0, 'A command that was killed seems to have ended well');
      assert.equal(await handle.kill(), false, 'It was killed twice');
      await stopsBeating(kit, sandbox, file);
      kit.seen(`a command that was killed has the exit code ${exitCode}`);
    },
  },
  {
    name: 'spawn: its time is over',
    async run(kit) {
      const sandbox = await kit.shared();
      const file = `${await kit.folder(sandbox)}/beat`;
      const handle = await sandbox.spawn(heart(file), { timeoutMs: kit.paceMs });
      await rejects(handle.wait(), 'timeout');
      await stopsBeating(kit, sandbox, file);
    },
  },
  {
    name: 'spawn: aborted',
    async run(kit) {
      const sandbox = await kit.shared();
      const file = `${await kit.folder(sandbox)}/beat`;
      const stop = new AbortController();
      const reason = new Error('enough');
      const handle = await sandbox.spawn(heart(file), { signal: stop.signal });
      await startsBeating(kit, sandbox, file);
      stop.abort(reason);
      assert.equal(await handle.wait().catch((error) => error), reason);
      await stopsBeating(kit, sandbox, file);
    },
  },
  {
    name: 'spawn: a wait that is aborted leaves it running',
    async run(kit) {
      const sandbox = await kit.shared();
      const reason = new Error('not that long');
      const handle = await sandbox.spawn(`${kit.sleep}; exit 5`);
      const wait = handle.wait({ signal: AbortSignal.any([AbortSignal.abort(reason)]) });
      assert.equal(await wait.catch((error) => error), reason);
      assert.equal((await handle.wait()).exitCode, 5);
    },
  },
];
