import { spawn } from 'node:child_process';
import { Daytona } from '@daytonaio/sdk';
import { Sandbox } from 'e2b';
import type { RunningServer } from './server.ts';

/** Something commands run in. */
export interface Box {
  /** Runs a shell command to its end. @throws {Error} when it does not end with 0 */
  run(command: string): Promise<void>;
  delete(): Promise<void>;
}

/** A way to get boxes. */
export interface Backend {
  readonly name: string;
  create(): Promise<Box>;
}

/** As in a new sandbox: what a developer's own profile does on login is not to be measured. */
const BARE_LOGIN = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent' };

/** The floor: what the machine takes for the same command without any sandbox. */
export const childProcess: Backend = {
  name: 'child_process',
  async create() {
    return {
      run: (command) =>
        new Promise((resolve, reject) => {
          const child = spawn('/bin/bash', ['-l', '-c', command], { env: BARE_LOGIN });
          child.stdout.resume();
          child.stderr.resume();
          child.once('error', reject);
          child.once('close', (code) => {
            if (code === 0) resolve();
            else reject(new Error(`'${command}' ended with ${code}`));
          });
        }),
      delete: async () => undefined,
    };
  },
};

/** The unmodified E2B SDK against the server. */
export function e2b({ e2b: { url, apiKey, templateId } }: RunningServer): Backend {
  const options = { apiUrl: url, sandboxUrl: url, apiKey, timeoutMs: 3_600_000 };
  return {
    name: 'e2b SDK',
    async create() {
      const sandbox = await Sandbox.create(templateId, options);
      return {
        async run(command) {
          await sandbox.commands.run(command);
        },
        async delete() {
          await sandbox.kill();
        },
      };
    },
  };
}

/** The unmodified Daytona SDK against the server. */
export function daytona({ daytona: { url, apiKey } }: RunningServer): Backend {
  const client = new Daytona({ apiUrl: url, apiKey });
  return {
    name: 'Daytona SDK',
    async create() {
      const sandbox = await client.create();
      return {
        async run(command) {
          const { exitCode, result } = await sandbox.process.executeCommand(command);
          if (exitCode !== 0) throw new Error(`'${command}' ended with ${exitCode}: ${result}`);
        },
        async delete() {
          await sandbox.delete();
        },
      };
    },
  };
}
