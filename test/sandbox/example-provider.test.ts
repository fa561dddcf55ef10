import type { CreateSpec } from '@cubeshift/sandbox';
import { conformance, describeProvider } from '@cubeshift/sandbox/conformance';
import { afterAll, describe, expect, it } from 'vitest';
import { HostProvider } from '../../examples/provider/host-provider.ts';

/** How many sandboxes there were at the same time. */
const live = { now: 0, most: 0 };

class Counted extends HostProvider {
  protected override async createSandbox(spec: CreateSpec) {
    const sandbox = await super.createSandbox(spec);
    live.now += 1;
    live.most = Math.max(live.most, live.now);
    const remove = sandbox.delete.bind(sandbox);
    let isGone = false;
    return Object.assign(sandbox, {
      delete: async () => {
        await remove();
        if (!isGone) live.now -= 1;
        isGone = true;
      },
    });
  }
}

describeProvider(
  'the example provider',
  { provider: () => new Counted(), paceMs: 1_000 },
  { describe, it, after: afterAll },
);

it('never has more than two sandboxes, and leaves none', () => {
  expect(live).toEqual({ now: 0, most: 2 });
});

describe('skips', () => {
  const provider = () => new HostProvider();

  it('are cases with a reason', () => {
    const { cases } = conformance({ provider, skips: { 'exec: input': 'not yet' } });
    expect(cases.filter(({ skip }) => skip !== undefined)).toMatchObject([
      { name: 'exec: input', skip: 'not yet' },
    ]);
  });

  it('are refused without one, and for a case that there is not', () => {
    expect(() => conformance({ provider, skips: { 'exec: input': ' ' } })).toThrow('no reason');
    expect(() => conformance({ provider, skips: { 'exec: inputs': 'x' } })).toThrow('no such case');
  });
});

it('has a name of its own for every case', () => {
  const names = conformance({ provider: () => new HostProvider() }).cases.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
