import { strict as assert } from 'node:assert';
import { type Case, rejects } from '../kit.ts';

/** Commands that go on beside the program. */
export const SPAWN: readonly Case[] = [
  {
    name: 'spawn: output comes while it runs',
    async run(kit) {
      const sandbox = await kit.shared();
      let heard = '';
      const handle = await sandbox.spawn(`echo first; ${kit.sleep}; echo second; exit 7`, {
        onStdout: (text) => {
          heard += text;
        },
      });
      assert.notEqual(handle.id, '');
      await kit.until('the first line has come', () => heard === 'first\n');
      assert.equal(handle.exitCode, undefined, 'Its output comes when it has ended');
      const { stdout, exitCode } = await handle.wait();
      assert.equal(stdout, 'first\nsecond\n');
      assert.equal(heard, stdout);
      assert.equal(exitCode, 7);
      assert.equal(handle.exitCode, 7);
    },
  },
  {
    name: 'spawn: read as it comes',
    async run(kit) {
      const sandbox = await kit.shared();
      const handle = await sandbox.spawn(`echo first; ${kit.sleep}; echo second; echo third`);
      let text = '';
      for await (const chunk of handle) {
        text += chunk.text;
        if (text.includes('first')) break;
      }
      assert.equal(handle.exitCode, undefined, 'Nothing came before it had ended');
      text = '';
      for await (const chunk of handle) text += chunk.text;
      assert.equal(text, 'first\nsecond\nthird\n', 'Who comes later does not read from the start');
      assert.equal(handle.exitCode, 0);
    },
  },
  {
    name: 'spawn: output that is not kept',
    async run(kit) {
      const sandbox = await kit.shared();
      let heard = '';
      const handle = await sandbox.spawn('echo said', {
        capture: false,
        onStdout: (text) => {
          heard += text;
        },
      });
      const { stdout, exitCode } = await handle.wait();
      assert.deepEqual([stdout, heard, exitCode], ['', 'said\n', 0]);
    },
  },
  {
    name: 'spawn: input',
    async run(kit) {
      const sandbox = await kit.shared();
      const start = () =>
        sandbox.spawn('while read -r l; do echo "<$l>"; done; echo end', { stdin: true });
      if (!(await kit.supports('stdin', start))) return;
      let heard = '';
      const handle = await start();
      const listen = (async () => {
        for await (const { text } of handle) heard += text;
      })();
      await handle.sendInput('one\n');
      await kit.until('the first line was answered', () => heard === '<one>\n');
      await handle.sendInput(new TextEncoder().encode('zwölf\n'));
      await kit.until('the second line was answered', () => heard === '<one>\n<zwölf>\n');
      await handle.closeInput();
      assert.equal((await handle.wait()).exitCode, 0);
      await listen;
      assert.equal(heard, '<one>\n<zwölf>\nend\n');
    },
  },
  {
    name: 'spawn: input that was not asked for',
    async run(kit) {
      const sandbox = await kit.shared();
      const handle = await sandbox.spawn(`cat; ${kit.sleep}; echo end`);
      await rejects(handle.sendInput('text'), 'invalid_argument');
      await rejects(handle.closeInput(), 'invalid_argument');
      assert.equal((await handle.wait()).stdout, 'end\n', 'It waits for input that cannot come');
    },
  },
  {
    name: 'spawn: left alone, it goes on',
    async run(kit) {
      const sandbox = await kit.shared();
      const folder = await kit.folder(sandbox);
      const handle = await sandbox.spawn(`echo begun > begun; ${kit.sleep}; echo done > done`, {
        cwd: folder,
      });
      await kit.until('it has begun', () => sandbox.files.exists(`${folder}/begun`));
      await handle.disconnect();
      await kit.until('it has done its work', () => sandbox.files.exists(`${folder}/done`));
    },
  },
];
