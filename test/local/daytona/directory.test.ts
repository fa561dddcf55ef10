import { expect, test } from 'vitest';
import { PATIENCE, withServer } from './support.ts';

withServer(
  'where sandboxes are only folders',
  (server) => {
    test(
      'one is made, used, stopped, started and deleted',
      async () => {
        const daytona = server().client();
        const sandbox = await daytona.create({ envVars: { OF_SANDBOX: 'yes' } });
        const told = await sandbox.process.executeCommand('echo "$OF_SANDBOX $OWN"', undefined, {
          OWN: 'own',
        });
        expect(told).toMatchObject({ exitCode: 0, result: 'yes own\n' });

        // Relative names are below the home, for files and for commands.
        await sandbox.fs.uploadFile(Buffer.from('from outside\n'), 'in.txt');
        const copied = await sandbox.process.executeCommand('cat in.txt && cp in.txt out.txt');
        expect(copied).toMatchObject({ exitCode: 0, result: 'from outside\n' });
        expect(`${await sandbox.fs.downloadFile('out.txt')}`).toBe('from outside\n');
        const names = (await sandbox.fs.listFiles('.')).map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(['in.txt', 'out.txt']));

        const code = await sandbox.process.codeRun('print(6 * 7)');
        expect(code).toMatchObject({ exitCode: 0, result: '42\n' });
        const failed = await sandbox.process.codeRun('raise ValueError("no")');
        expect(failed.exitCode).toBe(1);

        await sandbox.process.createSession('long');
        await sandbox.process.executeSessionCommand('long', {
          command: 'sleep 1000',
          runAsync: true,
        });
        await sandbox.stop();
        await sandbox.start();
        expect(await sandbox.process.listSessions()).toEqual([]);
        expect(`${await sandbox.fs.downloadFile('in.txt')}`).toBe('from outside\n');

        await sandbox.delete();
        expect(await daytona.list().next()).toMatchObject({ done: true });
        expect(server().engine.get(sandbox.id)).toBeUndefined();
      },
      PATIENCE,
    );

    test('nothing went wrong on the way', () => {
      expect(server().failures).toEqual([]);
    });
  },
  { isolation: 'directory' },
);
