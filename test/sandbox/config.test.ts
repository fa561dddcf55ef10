import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProvider, isSandboxError, type SandboxConfig } from '@cubeshift/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { rolledOutTo } from '../../shims/src/config/rollout.ts';
import { FullProvider } from './support/full-provider.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The error that is thrown, now or later. */
async function problem(make: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await make();
  } catch (error) {
    if (isSandboxError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('It went well');
}

function two(more: Partial<SandboxConfig> = {}): SandboxConfig {
  return {
    default: 'old',
    providers: { old: new FullProvider('old'), new: new FullProvider('new') },
    ...more,
  };
}

describe('createProvider', () => {
  it('takes an argument before SANDBOX_PROVIDER, and that before the file', async () => {
    const config = two();
    const bySwitch = createProvider({ config }, { SANDBOX_PROVIDER: 'new' });
    const byFile = createProvider({ config }, {});
    for (const [provider, name] of [
      [bySwitch, 'new'],
      [byFile, 'old'],
    ] as const) {
      const sandbox = await provider.create();
      expect(sandbox.provider).toBe(name);
      await sandbox.delete();
      await provider.close();
    }
    const byArgument = createProvider({ provider: 'e2b', apiKey: '' }, { SANDBOX_PROVIDER: 'new' });
    expect((await byArgument.use()).name).toBe('e2b');
  });

  it('sends what has an id where the id says, after the switch too', async () => {
    const config = two();
    const before = createProvider({ config }, {});
    const sandbox = await before.create({ labels: { a: 'b' } });
    const after = createProvider({ config: { ...config, default: 'new' } }, {});
    expect((await after.get(sandbox.id)).id).toBe(sandbox.id);
    expect(await after.find(sandbox.nativeId)).toBeUndefined();
    const legacy = createProvider({ config: { ...config, default: 'new', unnamedIds: 'old' } }, {});
    expect((await legacy.get(sandbox.nativeId)).id).toBe(sandbox.id);
    const ids: string[] = [];
    for await (const one of after.list({ labels: { a: 'b' } })) ids.push(one.id);
    expect(ids).toEqual([sandbox.id]);
    await after.delete(sandbox.id);
    expect(await before.find(sandbox.id)).toBeUndefined();
  });

  it('takes another provider for one call', async () => {
    const provider = createProvider({ config: two() }, {});
    const sandbox = await provider.create({}, { provider: 'new' });
    expect(sandbox.provider).toBe('new');
    await sandbox.delete();
    expect(await problem(() => provider.create({}, { provider: 'none' }))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('"old", "new"'),
    });
  });

  it('reads a file, and says what is wrong with it', async () => {
    const file = join(folder, 'sandbox.config.json');
    const read = async (text: string) => {
      writeFileSync(file, text);
      return problem(() => createProvider({ config: file }, {}).create());
    };
    expect((await read('{')).message).toContain('is not JSON');
    expect((await read('[]')).message).toContain('"default"');
    expect((await read('{"default":"x"}')).message).toContain('names the provider "x"');
    expect((await read('{"default":"e2b","extra":1}')).message).toContain('"extra" is unknown');
    expect((await read('{"default":"a","providers":{"a":{}}}')).message).toContain('"use"');
    expect((await read('{"default":"a","providers":{"a":{"use":"b"}}}')).message).toContain(
      'uses "b"',
    );
    const rule = '{"provider":"e2b","percent":60,"key":"t"}';
    expect((await read(`{"default":"e2b","rollout":[${rule},${rule}]}`)).message).toContain(
      '120 percent',
    );
    expect((await read('{"default":"A b","providers":{"A b":{}}}')).message).toContain('"A b"');
    expect(
      await problem(() => createProvider({ config: join(folder, 'no.json') }, {}).create()),
    ).toMatchObject({ code: 'configuration', message: expect.stringContaining('does not exist') });
  });

  it('runs a file that is a program', async () => {
    const file = join(folder, 'sandbox.config.mjs');
    writeFileSync(file, 'export default { default: "e2b", providers: { e2b: { apiKey: "" } } };');
    const provider = createProvider({ config: file }, {});
    expect((await provider.use()).name).toBe('e2b');
    writeFileSync(join(folder, 'bad.mjs'), 'throw new Error("of its own");');
    const bad = createProvider({ config: join(folder, 'bad.mjs') }, {});
    expect((await problem(() => bad.create())).message).toContain('of its own');
  });

  it('refuses what says nothing', async () => {
    expect(await problem(() => createProvider({}, { SANDBOX_CONFIG: '' }))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('SANDBOX_PROVIDER'),
    });
  });

  const nobody = { provider: 'nobody', percent: 10, key: 'tenant' };
  const unnamed = { default: 'nobody', providers: {} };
  it.each<[string, () => unknown]>([
    ['as its argument', () => createProvider({ provider: 'nobody' as 'e2b' })],
    ['in SANDBOX_PROVIDER', () => createProvider({}, { SANDBOX_PROVIDER: 'nobody' })],
    [
      'in SANDBOX_PROVIDER, beside a configuration',
      () => createProvider({ config: two() }, { SANDBOX_PROVIDER: 'nobody' }).create(),
    ],
    ['as the default of a configuration', () => createProvider({ config: unnamed }, {})],
    ['in a rule', () => createProvider({ config: two({ rollout: [nobody] }) }, {})],
    ['for ids', () => createProvider({ config: two({ unnamedIds: 'nobody' }) }, {})],
    ['of a call', () => createProvider({ config: two() }, {}).create({}, { provider: 'nobody' })],
  ])('a name that no provider has, %s: it lists those that there are', async (_where, make) => {
    const { code, message } = await problem(make);
    expect(code).toBe('configuration');
    for (const name of ['nobody', 'daytona', 'e2b', 'cube']) expect(message).toContain(`${name}"`);
  });

  it.each(['find', 'get', 'delete'] as const)(
    '%s: an id of a provider it has not',
    async (verb) => {
      const call = (): unknown => createProvider({ config: two() }, {})[verb]('elsewhere:1');
      expect(await problem(call)).toMatchObject({
        code: 'configuration',
        message: expect.stringMatching(/"elsewhere".*"old", "new"/),
      });
    },
  );
});

describe('rollout', () => {
  const tenants = Array.from({ length: 2_000 }, (_, i) => `tenant-${i}`);
  const taken = (percent: number): Set<string> =>
    new Set(
      tenants.filter((tenant) =>
        rolledOutTo([{ provider: 'new', percent, key: 'tenant' }], { tenant }),
      ),
    );

  it('takes about as many as it says, and keeps them when it takes more', () => {
    const few = taken(10);
    const more = taken(30);
    expect(few.size).toBeGreaterThan(140);
    expect(few.size).toBeLessThan(260);
    expect([...few].every((tenant) => more.has(tenant))).toBe(true);
    expect(taken(0).size).toBe(0);
    expect(taken(100).size).toBe(tenants.length);
  });

  it('lays rules with one key side by side', () => {
    const rules = [
      { provider: 'a', percent: 50, key: 'tenant' },
      { provider: 'b', percent: 50, key: 'tenant' },
    ];
    const sent = tenants.map((tenant) => rolledOutTo(rules, { tenant }));
    expect(new Set(sent)).toEqual(new Set(['a', 'b']));
  });

  it('leaves alone what has no such label', () => {
    const rules = [{ provider: 'new', percent: 100, key: 'tenant' }];
    expect(rolledOutTo(rules, { other: 'x' })).toBeUndefined();
  });

  it('is what create goes by, unless the switch is set', async () => {
    const config = two({ rollout: [{ provider: 'new', percent: 100, key: 'tenant' }] });
    const made: string[] = [];
    for (const env of [{}, { SANDBOX_PROVIDER: 'old' }]) {
      const provider = createProvider({ config }, env);
      for (const labels of [{ tenant: 't' }, {}]) {
        const sandbox = await provider.create({ labels });
        made.push(sandbox.provider);
        await sandbox.delete();
      }
    }
    expect(made).toEqual(['new', 'old', 'old', 'old']);
  });
});

it('volumes, snapshots and templates are those of the default provider', async () => {
  const config = two();
  const provider = createProvider({ config }, {});
  const volume = await provider.volumes.create('shared');
  expect(await (await provider.use('old')).volumes.list()).toEqual([volume]);
  expect(await (await provider.use('new')).volumes.list()).toEqual([]);
  await provider.volumes.delete('shared');
});
