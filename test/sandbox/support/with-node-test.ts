import { after, describe, it } from 'node:test';
import { describeProvider } from '@cubeshift/sandbox/conformance';
import { HostProvider } from '../../../examples/provider/host-provider.ts';

describeProvider(
  'the example provider, by node:test',
  {
    provider: () => new HostProvider(),
    paceMs: 1_000,
    skips: { 'exec: several at once': 'to see how node:test shows it' },
  },
  { describe, it, after },
);
