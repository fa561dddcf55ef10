import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createProvider, type SandboxConfig } from '@cubeshift/sandbox';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CUBE_VERSIONS } from '../../src/local/e2b/presets.ts';
import { type LocalServer, startLocal } from '../../src/local/index.ts';

/**
 * A program that uses the interface and nothing else, on every backend: between two runs there is one
 * variable.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'cubeshift-agent-'));
const config = join(work, 'sandbox.config.json');
const program = join(work, 'agent.mjs');
const servers: LocalServer[] = [];

const cubeName = (version: string): string => `cube-${version.replaceAll('.', '-')}`;
const BACKENDS = ['daytona', 'e2b', ...CUBE_VERSIONS.map(cubeName)];

beforeAll(async () => {
  // Once for all runs, and only the SDKs from outside: each run starts at once.
  await build({
    entryPoints: [here('agent/main.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['e2b', '@daytona/sdk', '@daytonaio/sdk'],
  });
  symlinkSync(join(ROOT, 'node_modules'), join(work, 'node_modules'));
  const providers: NonNullable<SandboxConfig['providers']> = {};
  const e2b = await started({ flavor: 'e2b' });
  providers.e2b = { ...addressOf(e2b), sandboxUrl: e2b.e2b.url };
  const { url: apiUrl, apiKey } = e2b.daytona;
  providers.daytona = { apiUrl, apiKey };
  for (const cubeVersion of CUBE_VERSIONS) {
    const server = await started({ cubeVersion });
    providers[cubeName(cubeVersion)] = {
      use: 'cube',
      ...addressOf(server),
      proxyUrl: server.e2b.url,
    };
  }
  writeFileSync(config, JSON.stringify({ default: 'daytona', providers } satisfies SandboxConfig));
}, 60_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(work, { recursive: true, force: true });
});

async function started(options: Parameters<typeof startLocal>[0]): Promise<LocalServer> {
  const server = await startLocal(options);
  servers.push(server);
  return server;
}

function addressOf({ e2b: { url: apiUrl, apiKey, templateId: template } }: LocalServer) {
  return { apiUrl, apiKey, template };
}

/** Runs the agent in a process of its own, and gives what it prints. */
async function run(provider: string): Promise<{ shared: string; own: string[] }> {
  const args = ['--import', here('localhost-names.mjs'), program, here('agent/task/task.json')];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SANDBOX_CONFIG: config, SANDBOX_PROVIDER: provider },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ code: await ended, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  const lines = stdout.split('\n');
  return {
    shared: lines.filter((line) => !line.startsWith('~')).join('\n'),
    own: lines.filter((line) => line.startsWith('~')),
  };
}

test.concurrent.each(BACKENDS)('an agent does the same on %s', async (name) => {
  const { shared, own } = await run(name);
  expect(shared).toBe(readFileSync(here('agent/expected.txt'), 'utf8'));
  const backend = await createProvider({ config }).use(name);
  const { pause } = await backend.capabilities();
  await backend.close();
  expect(own).toEqual([
    pause.support === 'unsupported'
      ? '~ rest: stopped, the service starts again'
      : '~ rest: paused, the service goes on',
  ]);
});
