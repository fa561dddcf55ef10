import { describeProvider } from '@cubeshift/sandbox/conformance';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { E2BProvider } from '../../shims/src/providers/e2b/index.ts';
import { type LocalServer, startLocal } from '../../src/local/index.ts';
import { fetchHere, NEAR, SKIPS } from './support/backends.ts';

let local: LocalServer;
beforeAll(async () => {
  local = await startLocal({ flavor: 'e2b' });
});
afterAll(() => local.close());

describeProvider(
  'E2B',
  {
    ...NEAR,
    fetch: fetchHere,
    skips: SKIPS,
    provider: () => {
      const { url, apiKey, templateId } = local.e2b;
      return new E2BProvider({ apiUrl: url, sandboxUrl: url, apiKey, template: templateId });
    },
  },
  { describe, it, after: afterAll },
);
