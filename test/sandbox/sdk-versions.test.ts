import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SandboxProvider } from '@cubeshift/sandbox';
import { type ConformanceOptions, describeProvider } from '@cubeshift/sandbox/conformance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CubeProvider } from '../../shims/src/providers/cube/index.ts';
import { DaytonaProvider } from '../../shims/src/providers/daytona/index.ts';
import { E2BProvider } from '../../shims/src/providers/e2b/index.ts';
import { type LocalOptions, type LocalServer, startLocal } from '../../src/local/index.ts';
import { DAYTONA_SKIPS, fetchHere, NEAR, SKIPS } from './support/backends.ts';

/**
 * The whole kit with the oldest and the newest SDK that a provider is said to work with. `.ci/run`
 * installs them, as `sdk-versions.txt` names them.
 */
const FOLDER = process.env.CUBESHIFT_TEST_SDKS;

const INSTALLED: Readonly<Record<string, { name: string; version: string }>> = Object.fromEntries(
  [
    ...readFileSync(join(import.meta.dirname, 'sdk-versions.txt'), 'utf8').matchAll(
      /^(\S+)@npm:(\S+)@(\S+)$/gm,
    ),
  ].map(([, alias = '', name = '', version = '']) => [alias, { name, version }]),
);

/** One SDK on one backend. */
interface Run {
  alias: string;
  backend: string;
  server: LocalOptions;
  make(local: LocalServer, sdk: never, version: string): SandboxProvider;
  /** What this backend or SDK cannot help, by case. */
  skips?: ConformanceOptions['skips'];
}

const E2B: Pick<Run, 'backend' | 'server' | 'make'> = {
  backend: 'E2B',
  server: { flavor: 'e2b' },
  make: ({ e2b: { url, apiKey, templateId: template } }, sdk) =>
    new E2BProvider({ apiUrl: url, sandboxUrl: url, apiKey, template, sdk }),
};

const CUBE: Pick<Run, 'backend' | 'server' | 'make'> = {
  backend: 'CubeSandbox 0.7.2',
  server: { cubeVersion: '0.7.2' },
  make: ({ e2b: { url, apiKey, templateId: template } }, sdk) =>
    new CubeProvider({ apiUrl: url, proxyUrl: url, apiKey, template, sdk }),
};

const DAYTONA: Pick<Run, 'backend' | 'server' | 'make' | 'skips'> = {
  backend: 'Daytona',
  server: {},
  skips: DAYTONA_SKIPS,
  make: ({ daytona: { url, apiKey } }, sdk, sdkVersion) =>
    new DaytonaProvider({ apiUrl: url, apiKey, sdk, sdkVersion }),
};

const E2B_2_26 = {
  'exec: letters that come in pieces': 'version 2.26 decodes every piece of output by itself',
};

const RUNS: readonly Run[] = [
  { alias: 'e2b-2.26', ...E2B, skips: E2B_2_26 },
  { alias: 'e2b-2.26', ...CUBE, skips: E2B_2_26 },
  { alias: 'e2b-2.51', ...E2B },
  { alias: 'e2b-2.51', ...CUBE },
  {
    alias: 'daytonaio-0.150',
    ...DAYTONA,
    skips: {
      ...DAYTONA.skips,
      'snapshots: one that there is not':
        'version 0.150 lists snapshots, though it can make none of a sandbox',
    },
  },
  { alias: 'daytona-0.216', ...DAYTONA },
];

it('every SDK that is installed for this is run', () => {
  expect([...new Set(RUNS.map(({ alias }) => alias))]).toEqual(Object.keys(INSTALLED));
});

for (const { alias, backend, server, make, skips } of RUNS) {
  const { name = '', version = '' } = INSTALLED[alias] ?? {};
  const title = `${name} ${version} on ${backend}`;
  if (FOLDER === undefined) {
    it.skip(`${title} (CUBESHIFT_TEST_SDKS names no folder with SDKs)`);
    continue;
  }
  describe(title, () => {
    let local: LocalServer;
    beforeAll(async () => {
      local = await startLocal(server);
    });
    afterAll(() => local.close());

    it('is the version that it is said to be', () => {
      const manifest = readFileSync(join(FOLDER, 'node_modules', alias, 'package.json'), 'utf8');
      expect(JSON.parse(manifest)).toMatchObject({ name, version });
    });

    describeProvider(
      backend,
      {
        ...NEAR,
        fetch: fetchHere,
        skips: { ...SKIPS, ...skips },
        provider: () => {
          const load = createRequire(join(FOLDER, 'package.json'));
          return make(local, load(alias) as never, version);
        },
      },
      { describe, it, after: afterAll },
    );
  });
}
