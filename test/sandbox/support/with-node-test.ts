import { after, describe, it } from 'node:test';
import { conformance, describeProvider } from '@cubeshift/sandbox/conformance';
import { HostProvider } from '../../../examples/provider/host-provider.ts';

/** A few show how node:test takes cases; all of them are run by vitest. */
const TOPIC = 'files: ';

const provider = () => new HostProvider();
const others = conformance({ provider }).cases.filter(({ name }) => !name.startsWith(TOPIC));

describeProvider(
  'the example provider, by node:test',
  { provider, skips: Object.fromEntries(others.map(({ name }) => [name, 'not of this topic'])) },
  { describe, it, after },
);
