import { openSandbox } from './sandbox.ts';

/** Runs a command for the agent. Ten minutes at most, in the user's project. */
export async function run(id: string, command: string): Promise<string> {
  const sandbox = await openSandbox(id);
  const response = await sandbox.process.executeCommand(
    command,
    '/home/daytona/project',
    undefined,
    600,
  );
  if (response.exitCode !== 0) throw new Error(response.result);
  return response.result;
}

/** Starts the development server and answers with its address. */
export async function preview(id: string): Promise<string> {
  const sandbox = await openSandbox(id);
  await sandbox.process.createSession('dev');
  await sandbox.process.executeSessionCommand('dev', { command: 'npm run dev', runAsync: true });
  const { url } = await sandbox.getPreviewLink(3000);
  return url;
}
