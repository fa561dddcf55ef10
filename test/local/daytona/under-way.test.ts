import { once } from 'node:events';
import { DaytonaBadGatewayError, DaytonaConnectionError } from '@daytonaio/sdk';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { failureOf, KEY, PATIENCE, withServer } from './support.ts';

withServer('what is under way when its sandbox goes', (server) => {
  test.each(['stop', 'delete', 'restart'] as const)(
    'ends, by a %s',
    {
      timeout: PATIENCE,
    },
    async (how) => {
      const sandbox = await server().client().create({ autoStopInterval: 0 });
      const { process, codeInterpreter } = sandbox;
      const replace = (argv: string) => `import os; os.execvp("sleep", ["sleep", "${argv}"])`;
      await process.createSession('waiting');
      await process.createSession('followed');
      const { cmdId } = await process.executeSessionCommand('followed', {
        command: 'echo so far; exec sleep 2001',
        runAsync: true,
      });
      let said = '';
      const note = (chunk: string): void => {
        said += chunk;
      };
      const entrypoint = new WebSocket(
        `${server().origin.replace('http', 'ws')}/toolbox/${sandbox.id}/process/session/entrypoint/logs?follow=true`,
        { headers: { authorization: `Bearer ${KEY}` } },
      );
      await once(entrypoint, 'open');
      const pty = await process.createPty({ id: 'pty', onData: () => undefined });
      await pty.sendInput('sleep 2002\n');

      const requests = [
        process.executeCommand('echo begun; sleep 2003'),
        process.executeCommand('sleep 2004', undefined, undefined, 3600),
        process.codeRun(replace('2005')),
        process.executeSessionCommand('waiting', { command: 'sleep 2006' }),
      ].map((request) => failureOf(request));
      const running = failureOf(
        codeInterpreter.runCode('import subprocess; subprocess.run(["sleep", "2007"])'),
      );
      const streams = [
        process.getSessionCommandLogs('followed', cmdId, note, note),
        once(entrypoint, 'close'),
        pty.wait(),
      ] as const;
      const count = async () =>
        (await process.executeCommand('pgrep -fxc "sleep 200[1-7]"')).result.trim();
      await expect.poll(count, { timeout: PATIENCE }).toBe('7');
      await expect.poll(() => said).toBe('so far\n');

      if (how === 'restart') await server().front.restart();
      else await sandbox[how]();
      // Their processes were killed, but no client may take that for an answer of theirs.
      for (const error of await Promise.all(requests)) {
        expect(error).toBeInstanceOf(DaytonaBadGatewayError);
      }
      expect(await running).toBeInstanceOf(DaytonaConnectionError);
      const [, [code], { exitCode }] = await Promise.all(streams);
      expect({ said, code, exitCode }).toEqual({
        said: 'so far\n',
        code: 1006,
        exitCode: undefined,
      });

      const late = await failureOf(process.executeCommand('true'));
      expect(late).toMatchObject({ statusCode: how === 'delete' ? 404 : 400 });
      if (how === 'delete') return;
      await sandbox.start();
      expect((await process.executeCommand('pgrep -c sleep')).result).toBe('0\n');
      await sandbox.delete();
    },
  );

  test('nothing went wrong on the way', () => {
    expect(server().failures).toEqual([]);
  });
});
