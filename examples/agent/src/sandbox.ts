import { Daytona, type Sandbox } from '@daytonaio/sdk';

const daytona = new Daytona({ apiKey: process.env.DAYTONA_API_KEY });

/** Finds the sandbox of a conversation, or makes one. */
export async function openSandbox(id?: string): Promise<Sandbox> {
  if (id === undefined) {
    return daytona.create(
      {
        snapshot: 'agent-tools',
        envVars: { CI: '1' },
        autoStopInterval: 30,
        volumes: [{ volumeId: 'cache', mountPath: '/cache', subpath: 'npm' }],
      },
      { timeout: 90 },
    );
  }
  const sandbox = await daytona.get(id);
  if (sandbox.state === 'stopped' || sandbox.state === 'archived') await sandbox.start();
  return sandbox;
}
