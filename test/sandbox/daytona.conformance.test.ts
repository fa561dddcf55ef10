import { describeProvider } from '@cubeshift/sandbox/conformance';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { DaytonaProvider } from '../../shims/src/providers/daytona/index.ts';
import { type LocalServer, startLocal } from '../../src/local/index.ts';
import { DAYTONA_SKIPS, fetchHere, NEAR, SKIPS } from './support/backends.ts';

let local: LocalServer;
beforeAll(async () => {
  local = await startLocal();
});
afterAll(() => local.close());

describeProvider(
  'Daytona',
  {
    ...NEAR,
    fetch: fetchHere,
    skips: { ...SKIPS, ...DAYTONA_SKIPS },
    provider: () => {
      const { url, apiKey } = local.daytona;
      return new DaytonaProvider({ apiUrl: url, apiKey });
    },
  },
  { describe, it, after: afterAll },
);
