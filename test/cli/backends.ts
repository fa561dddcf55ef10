import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type LocalOptions, type LocalServer, startLocal } from '../../src/local/index.ts';
import { project, ROOT } from './cli.ts';

/** A local server that is gone after the test. */
export async function local(options: LocalOptions = {}): Promise<LocalServer> {
  const server = await startLocal(options);
  onTestFinished(() => server.close());
  return server;
}

/** What leads to the Cube side of a local server, without saying that it is one. */
export function cubeVariables({ e2b }: LocalServer): Record<string, string> {
  const { hostname, port } = new URL(e2b.url);
  return {
    CUBE_API_URL: e2b.url,
    CUBE_API_KEY: e2b.apiKey,
    CUBE_TEMPLATE_ID: e2b.templateId,
    CUBE_PROXY_NODE_IP: hostname,
    CUBE_PROXY_PORT_HTTP: port,
  };
}

/** A project with packages of ours installed, by the name they have there. */
export function projectWith(
  packages: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): string {
  const cwd = project(files);
  for (const [name, ours] of Object.entries(packages)) {
    const path = join(cwd, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', ours), path);
  }
  return cwd;
}

/** An address at which nothing listens. */
export async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}
