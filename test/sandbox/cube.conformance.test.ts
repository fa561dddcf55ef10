import { describeProvider } from '@cubeshift/sandbox/conformance';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { CubeProvider } from '../../shims/src/providers/cube/index.ts';
import { CUBE_VERSIONS } from '../../src/local/e2b/presets.ts';
import { type LocalServer, startLocal } from '../../src/local/index.ts';
import { fetchHere, NEAR, SKIPS } from './support/backends.ts';

for (const cubeVersion of CUBE_VERSIONS) {
  describe(`cube@${cubeVersion}`, () => {
    let local: LocalServer;
    beforeAll(async () => {
      local = await startLocal({ cubeVersion });
    });
    afterAll(() => local.close());

    describeProvider(
      'CubeSandbox',
      {
        ...NEAR,
        fetch: fetchHere,
        skips: SKIPS,
        provider: () => {
          const { url, apiKey, templateId } = local.e2b;
          const at = { apiUrl: url, proxyUrl: url, apiKey, template: templateId };
          return new CubeProvider({ ...at, pauseWithVolumes: true });
        },
      },
      { describe, it, after: afterAll },
    );
  });
}
