import { existsSync } from 'node:fs';
import { describeProvider } from '@cubeshift/sandbox/conformance';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { DaytonaProvider } from '../../shims/src/providers/daytona/index.ts';
import { type LocalServer, startLocal } from '../../src/local/index.ts';
import { fetchHere, NEAR, SKIPS } from './support/backends.ts';

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
    skips: {
      ...SKIPS,
      'exec: letters that come in pieces':
        'Daytona ends every last line of a command that is followed',
      ...(existsSync('/usr/bin/sudo')
        ? {}
        : { 'exec: another account': 'programs in a sandbox are those of this machine: no sudo' }),
    },
    provider: () => {
      const { url, apiKey } = local.daytona;
      return new DaytonaProvider({ apiUrl: url, apiKey });
    },
  },
  { describe, it, after: afterAll },
);
