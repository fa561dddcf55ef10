import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isSandboxError, type Sandbox } from '@cubeshift/sandbox';
import { afterAll, beforeAll, expect } from 'vitest';
import { HostProvider } from '../../../examples/provider/host-provider.ts';

const provider = new HostProvider();

/** A sandbox for all tests of a file. */
export function useSandbox(): () => Sandbox {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await provider.create();
  });
  afterAll(() => sandbox?.delete());
  return () => sandbox ?? expect.fail('It is made before the tests');
}

/** The error of a call that has to fail. */
export const failing = (call: Promise<unknown>): Promise<{ code: string; message: string }> =>
  call.then(
    () => expect.fail('It did not fail'),
    (error: unknown) => (isSandboxError(error) ? error : expect.fail(String(error))),
  );

/** A sandbox in which there are a few programs only. */
export async function withPrograms(host: Sandbox, ...programs: string[]): Promise<Sandbox> {
  const made = await provider.create({ env: { PATH: join('/tmp', 'no-such-folder') } });
  const bin = join(String(made.native), 'bin');
  await mkdir(bin);
  for (const program of programs) {
    const { stdout } = await host.exec(`command -v ${program}`);
    await symlink(stdout.trim(), join(bin, program));
  }
  const exec = made.exec.bind(made);
  const spawn = made.spawn.bind(made);
  const env = { PATH: bin };
  made.exec = (command, options) => exec(command, { ...options, env: { ...options?.env, ...env } });
  made.spawn = (command, options) =>
    spawn(command, { ...options, env: { ...options?.env, ...env } });
  return made;
}
