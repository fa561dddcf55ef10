import type { Sandbox } from './engine/sandbox.ts';
import type { SpawnInSandbox } from './kernels/index.ts';

/** Lets kernels run in a sandbox of the engine. */
export function kernelSpawn(sandbox: Sandbox): SpawnInSandbox {
  return async ({ argv, cwd, env, user }) => {
    const process = await sandbox.spawn({
      argv,
      stdin: true,
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(user === undefined ? {} : { user }),
    });
    return {
      stdout: process.stdout,
      stderr: process.stderr,
      exit: process.exit,
      write: (data) => process.write(data),
      closeStdin: () => process.closeStdin(),
      async signal(name) {
        await process.signal(name, { group: true });
      },
    };
  };
}
