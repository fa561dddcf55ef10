import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { KEY, PATIENCE, withServer } from './support.ts';

/** An interpreter that can import `daytona`. */
const PYTHON = process.env.CUBESHIFT_TEST_PYTHON;

/** The basic life of a sandbox, by the Python SDK. */
const PROGRAM = `
import os
from daytona import CreateSandboxFromSnapshotParams, Daytona, DaytonaConfig, DaytonaNotFoundError

daytona = Daytona(DaytonaConfig(api_key=os.environ['KEY'], api_url=os.environ['URL'], target='us'))
sandbox = daytona.create(CreateSandboxFromSnapshotParams(language='python', env_vars={'A': 'b'}))
print(sandbox.process.exec('echo $A; pwd').result, end='')
sandbox.fs.upload_file(b'by Python', 'file.txt')
print(sandbox.fs.download_file('file.txt').decode())
print(sandbox.process.code_run('print(6 * 7)').result, end='')
print(len([one for one in daytona.list()]))
sandbox.stop()
print(sandbox.state.value)
sandbox.delete()
try:
    daytona.get(sandbox.id)
except DaytonaNotFoundError:
    print('gone')
`;

withServer('the Python SDK', (server) => {
  const title = 'creates, runs, keeps files, stops and deletes';
  test.skipIf(PYTHON === undefined)(
    PYTHON === undefined ? `${title} (skipped: CUBESHIFT_TEST_PYTHON names no interpreter)` : title,
    { timeout: PATIENCE },
    async () => {
      const child = spawn(PYTHON ?? '', ['-c', PROGRAM], {
        env: { PATH: process.env.PATH, KEY, URL: server().apiUrl },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      expect(await text(child.stdout)).toBe('b\n/home/daytona\nby Python\n42\n1\nstopped\ngone\n');
    },
  );
});
