import type { SandboxProvider } from '@cubeshift/sandbox';
import { expect, it } from 'vitest';
import { CubeProvider } from '../../shims/src/providers/cube/index.ts';
import { DaytonaProvider } from '../../shims/src/providers/daytona/index.ts';
import { E2BProvider } from '../../shims/src/providers/e2b/index.ts';
import { type LocalServer, startLocal } from '../../src/local/index.ts';
import { faultRun, TROUBLE } from './support/fault-run.ts';

/** Enough to see every kind of trouble; CI makes 2,000, see `.ci/run`. */
const OPERATIONS = Number(process.env.CUBESHIFT_TEST_FAULT_OPERATIONS ?? 500);
const SEED = 20_261_201;

const PROVIDERS: Record<string, (local: LocalServer) => SandboxProvider> = {
  e2b: ({ e2b: { url, apiKey, templateId: template } }) =>
    new E2BProvider({ apiUrl: url, sandboxUrl: url, apiKey, template }),
  cube: ({ e2b: { url, apiKey, templateId: template } }) =>
    new CubeProvider({ apiUrl: url, proxyUrl: url, apiKey, template }),
  daytona: ({ daytona: { url, apiKey } }) => new DaytonaProvider({ apiUrl: url, apiKey }),
};

/** Tokens and ids of all sandboxes that there are, asked for without any trouble. */
async function inventory(provider: SandboxProvider): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of provider.list()) ids.push(id);
  return ids;
}

it.each(Object.entries(PROVIDERS))(
  `%s: ${OPERATIONS} calls in trouble leave no sandbox nobody knows of`,
  async (name, make) => {
    const local = await startLocal(name === 'e2b' ? { flavor: 'e2b' } : {});
    try {
      const provider = make(local);
      await provider.capabilities();
      local.faults.set(TROUBLE(SEED));
      const known = new Set<string>();
      const report = await faultRun(remembering(provider, known), {
        seed: SEED,
        operations: OPERATIONS,
        restart: () => local.restart(),
      });
      local.faults.set({});
      // What came too late is looked for once more.
      await provider.close();

      const calm = make(local);
      const left = await inventory(calm);
      expect(report.untyped).toEqual([]);
      expect(report.wronglyAbsent).toEqual([]);
      expect(left.filter((id) => !known.has(id))).toEqual([]);
      expect(report.created).toBeGreaterThan(OPERATIONS / 20);
      expect(Object.keys(report.failures).length).toBeGreaterThanOrEqual(2);
      await calm.close();
    } finally {
      await local.close();
    }
  },
  240_000,
);

/** Remembers what creations gave, also those of repeated ones. */
function remembering(provider: SandboxProvider, known: Set<string>): SandboxProvider {
  const create = provider.create.bind(provider);
  provider.create = async (...call) => {
    const sandbox = await create(...call);
    known.add(sandbox.id);
    return sandbox;
  };
  return provider;
}
