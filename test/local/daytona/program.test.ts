import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { KEY, PATIENCE, withServer } from './support.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A program as people write it: nothing closed, nothing deleted, state read without asking for it. */
const PROGRAM = `
import { Daytona } from '@daytonaio/sdk';
const daytona = new Daytona();
const sandbox = await daytona.create({ language: 'python' });
const response = await sandbox.process.codeRun('print("Hello from the sandbox")');
console.log(response.exitCode, response.result.trim());
// Told by an event: this object never asks.
const other = await daytona.get(sandbox.id);
await sandbox.stop();
while (other.state !== 'stopped') await new Promise((resolve) => setTimeout(resolve, 5));
console.log(other.state);
`;

withServer('a program with the SDK', (server) => {
  test('finds the server by variables, hears of changes, and ends by itself', {
    timeout: PATIENCE,
  }, async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, DAYTONA_API_KEY: KEY, DAYTONA_API_URL: server().apiUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = text(child.stdout);
    const exitCode = new Promise((resolve) => child.once('exit', resolve));
    expect(await said).toBe('0 Hello from the sandbox\nstopped\n');
    expect(await exitCode).toBe(0);
  });
});
