import { describeProvider } from '@cubeshift/sandbox/conformance';
import { afterAll, describe, it } from 'vitest';
import { FullProvider } from './support/full-provider.ts';

/** What the kit asks of a backend can be met: one that can do nearly everything passes. */
describeProvider(
  'a provider that can do nearly everything',
  { provider: () => new FullProvider(), template: 'base', paceMs: 1_000 },
  { describe, it, after: afterAll },
);
