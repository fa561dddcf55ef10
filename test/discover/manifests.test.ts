import { describe, expect, it } from 'vitest';
import { GENERATIONS, generationOf } from '../../src/catalog/generations.ts';
import { findSdkUses, isManifest, manifestDetections } from '../../src/discover/manifests.ts';

const SDK = '@daytonaio/sdk';

function uses(contents: Readonly<Record<string, string | object>>, warnings: string[] = []) {
  const read = (file: string) => {
    const content = contents[file];
    return typeof content === 'object' ? JSON.stringify(content) : content;
  };
  return findSdkUses(Object.keys(contents).sort(), read, warnings);
}

const manifest = (range: string, alias = SDK) => ({
  name: 'app',
  dependencies: { [alias]: range },
});

describe('manifestDetections', () => {
  it('points at the keys of every section that installs', () => {
    const text = JSON.stringify(
      {
        name: '@daytonaio/sdk',
        keywords: ['@daytonaio/sdk'],
        dependencies: { '@daytonaio/sdk': '^0.20.0', other: '1' },
        devDependencies: { '@daytona/api-client': '1' },
        peerDependencies: { '@computesdk/daytona': '*' },
        peerDependenciesMeta: { '@daytonaio/sdk': { optional: true } },
        optionalDependencies: { box: 'npm:@daytona/sdk@0.200.0' },
        overrides: { parent: { '@daytonaio/sdk': '0.20.1' }, '@daytonaio/sdk@^0.19': '0.20.1' },
        resolutions: { 'a/@daytonaio/sdk': '0.20.1' },
        pnpm: { overrides: { 'x>@daytonaio/sdk': '0.20.1' }, other: { '@daytonaio/sdk': '1' } },
        bundledDependencies: ['@daytonaio/sdk'],
        imports: { '#x': '@daytonaio/sdk' },
      },
      null,
      2,
    );
    const found = manifestDetections('package.json', text);
    expect(found.every((d) => d.rule === 'DT111' && d.confidence === 'certain')).toBe(true);
    expect(found.map((d) => [d.scope, text.slice(d.start, d.end)])).toEqual([
      ['dependencies', '@daytonaio/sdk'],
      ['devDependencies', '@daytona/api-client'],
      ['peerDependencies', '@computesdk/daytona'],
      ['optionalDependencies', 'box'],
      ['overrides', '@daytonaio/sdk'],
      ['overrides', '@daytonaio/sdk@^0.19'],
      ['resolutions', 'a/@daytonaio/sdk'],
      ['pnpm', 'x>@daytonaio/sdk'],
      ['bundledDependencies', '@daytonaio/sdk'],
      ['peerDependenciesMeta', '@daytonaio/sdk'],
    ]);
    expect(found[2]?.message).toContain('wraps Daytona');
  });

  it('reads the import map of Deno', () => {
    const text = '{ // deno\n "imports": { "sdk": "npm:@daytonaio/sdk@0.25.5", "b": "npm:b" } }';
    const found = manifestDetections('deno.jsonc', text);
    expect(found.map((d) => text.slice(d.start, d.end))).toEqual(['sdk']);
    expect(uses({ 'deno.json': text })).toMatchObject([{ version: '0.25.5', source: 'range' }]);
  });

  it('knows the files it reads and copes with broken ones', () => {
    expect(['a/package.json', 'deno.json', 'package-lock.json'].map(isManifest)).toEqual([
      true,
      true,
      false,
    ]);
    expect(
      manifestDetections('package.json', '{"dependencies":{"@daytonaio/sdk":"^1"'),
    ).toHaveLength(1);
    expect(manifestDetections('package.json', '}{][,:"')).toEqual([]);
  });
});

describe('installed versions', () => {
  const npm3 = { lockfileVersion: 3, packages: { [`node_modules/${SDK}`]: { version: '0.25.5' } } };

  it.each([
    ['package-lock.json', 'v3', npm3],
    ['npm-shrinkwrap.json', 'v2', { ...npm3, lockfileVersion: 2 }],
    [
      'package-lock.json',
      'v1',
      { lockfileVersion: 1, dependencies: { [SDK]: { version: '0.25.5' } } },
    ],
    [
      'pnpm-lock.yaml',
      'v5',
      `lockfileVersion: 5.4\n\nspecifiers:\n  '${SDK}': ^0.25.0\n\ndependencies:\n  '${SDK}': 0.25.5_ws@8\n\npackages:\n\n  /${SDK}/0.24.0:\n    dev: false\n`,
    ],
    [
      'pnpm-lock.yaml',
      'v6',
      `lockfileVersion: '6.0'\n\ndependencies:\n  '${SDK}':\n    specifier: ^0.25.0\n    version: 0.25.5(ws@8.0.0)\n\npackages:\n`,
    ],
    [
      'pnpm-lock.yaml',
      'v9',
      `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      '${SDK}':\n        specifier: ^0.25.0\n        version: 0.25.5\n\npackages:\n\n  '${SDK}@0.25.5':\n    resolution: {}\n`,
    ],
    [
      'yarn.lock',
      'v1',
      `# yarn lockfile v1\n\n\n"${SDK}@^0.25.0", "${SDK}@^0.25.4":\n  version "0.25.5"\n  resolved "https://x"\n\n"${SDK}@^0.24.0":\n  version "0.24.1"\n`,
    ],
    [
      'yarn.lock',
      'berry',
      `__metadata:\n  version: 6\n\n"${SDK}@npm:^0.25.0, ${SDK}@npm:^0.25.4":\n  version: 0.25.5\n  resolution: "${SDK}@npm:0.25.5"\n`,
    ],
    [
      'bun.lock',
      'text',
      `{ "lockfileVersion": 1, "packages": { "${SDK}": ["${SDK}@0.25.5", "", {}, "sha512-x"], } }`,
    ],
  ])('%s %s', (name, _version, lock) => {
    expect(uses({ 'package.json': manifest('^0.25.0'), [name]: lock })).toEqual([
      {
        package: SDK,
        manifest: 'package.json',
        range: '^0.25.0',
        version: '0.25.5',
        source: name,
        generation: expect.stringContaining('0.21-0.26'),
      },
    ]);
  });

  it('searches upward and respects what a workspace member has of its own', () => {
    const member = 'packages/a/package.json';
    const both = (lock: object | string, name: string) =>
      uses({ [member]: { ...manifest('^0.25.0'), name: 'a' }, [name]: lock })[0];
    const npm = {
      packages: {
        'packages/a': { name: 'a' },
        a: { name: 'a' },
        [`node_modules/${SDK}`]: { version: '0.20.0' },
        [`packages/a/node_modules/${SDK}`]: { version: '0.25.5' },
      },
    };
    const bun = { packages: { [SDK]: [`${SDK}@0.20.0`], [`a/${SDK}`]: [`${SDK}@0.25.5`] } };
    const importer = (path: string, version: string) =>
      `  ${path}:\n    devDependencies:\n      '${SDK}':\n        specifier: x\n        version: ${version}\n\n`;
    const pnpm = `importers:\n\n${importer('.', '0.20.0')}${importer('packages/a', '0.25.5')}packages:\n`;
    expect(both(npm, 'package-lock.json')).toMatchObject({ version: '0.25.5' });
    expect(both(bun, 'bun.lock')).toMatchObject({ version: '0.25.5' });
    expect(both(pnpm, 'pnpm-lock.yaml')).toMatchObject({ version: '0.25.5' });
    expect(both(npm, 'packages/package-lock.json')).toMatchObject({ version: '0.20.0' });
  });

  it('takes nothing from the lockfile of a workspace the package is no member of', () => {
    const example = 'examples/a/package.json';
    const locks: Record<string, object | string> = {
      'package-lock.json': {
        packages: { '': {}, 'packages/a': {}, [`node_modules/${SDK}`]: { version: '0.20.0' } },
      },
      'bun.lock': {
        workspaces: { '': {}, 'packages/a': {} },
        packages: { [SDK]: [`${SDK}@0.20.0`] },
      },
      'pnpm-lock.yaml': `importers:\n\n  .:\n    dependencies:\n      '${SDK}':\n        specifier: x\n        version: 0.20.0\n`,
    };
    for (const [name, lock] of Object.entries(locks)) {
      expect(uses({ [example]: manifest('0.153.0'), [name]: lock })).toMatchObject([
        { version: '0.153.0', source: 'range' },
      ]);
    }
  });

  it('resolves npm: aliases', () => {
    const range = 'npm:@daytonaio/sdk@^0.25.0';
    const locks: Record<string, string | object> = {
      'package-lock.json': { packages: { 'node_modules/box': { name: SDK, version: '0.25.5' } } },
      'pnpm-lock.yaml': `importers:\n\n  .:\n    dependencies:\n      box:\n        specifier: ${range}\n        version: '${SDK}@0.25.5'\n`,
      'yarn.lock': `"box@${range}":\n  version "0.25.5"\n`,
      'bun.lock': { packages: { box: [`${SDK}@0.25.5`] } },
    };
    for (const [name, lock] of Object.entries(locks)) {
      expect(uses({ 'package.json': manifest(range, 'box'), [name]: lock })).toMatchObject([
        { package: SDK, version: '0.25.5', source: name },
      ]);
    }
  });

  it('looks catalogues up when the lockfile does not tell', () => {
    const yaml = `packages:\n  - a\ncatalog:\n  '${SDK}': 0.25.5 # pinned\ncatalogs:\n  next:\n    "${SDK}": 0.200.0\n`;
    const files = { 'pnpm-workspace.yaml': yaml };
    const at = (range: string) => uses({ ...files, 'a/package.json': manifest(range) })[0];
    expect(at('catalog:')).toMatchObject({ range: 'catalog:', version: '0.25.5', source: 'range' });
    expect(at('catalog:next')).toMatchObject({ version: '0.200.0' });
    expect(at('catalog:other')).toMatchObject({ version: null, source: null });
    const bun = { name: 'root', workspaces: { packages: ['a'], catalog: { [SDK]: '0.25.5' } } };
    expect(uses({ 'package.json': bun, 'a/package.json': manifest('catalog:') })).toMatchObject([
      { manifest: 'a/package.json', version: '0.25.5' },
    ]);
  });

  it('takes a linked package for the version of its own manifest', () => {
    const files = {
      'app/package.json': manifest('workspace:*', '@acme/daytona'),
      'lib/package.json': { name: '@acme/daytona', version: '1.2.3' },
    };
    expect(uses(files)).toMatchObject([
      { package: '@acme/daytona', version: '1.2.3', source: 'lib/package.json', generation: null },
    ]);
  });

  it.each([
    ['0.25.5', '0.25.5'],
    ['=0.25.5', '0.25.5'],
    ['0.26.0-alpha.1', '0.26.0-alpha.1'],
    ['^0.25.5', null],
    ['latest', null],
    ['', null],
    ['git+https://x/y.git', null],
  ])('without a lockfile, %j tells %s', (range, version) => {
    expect(uses({ 'package.json': manifest(range) })).toMatchObject([{ version }]);
  });

  it('counts a peer range beside a dev dependency once', () => {
    const both = { peerDependencies: { [SDK]: '>=0.8' }, devDependencies: { [SDK]: '0.25.5' } };
    expect(uses({ 'package.json': both })).toMatchObject([{ range: '0.25.5' }]);
  });

  it('answers null and warns when a lockfile is broken', () => {
    const warnings: string[] = [];
    const lock = `<<<<<<< HEAD\n{ "${SDK}": `;
    expect(
      uses({ 'package.json': manifest('^0.25.0'), 'package-lock.json': lock }, warnings),
    ).toMatchObject([{ version: null, source: null }]);
    expect(warnings).toEqual(['package-lock.json could not be read as a lockfile']);
    for (const name of ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock']) {
      const found = uses({ 'package.json': manifest('^0.25.0'), [name]: lock });
      expect(found).toMatchObject([{ version: null }]);
    }
  });
});

describe('a manifest without a lockfile', () => {
  it.each([
    ['^0.22.1', '0.21-0.26'],
    ['~0.16.0', '0.13-0.17'],
  ])('tells the generation of %s, which pins the minor', (range, generation) => {
    const [use] = uses({ 'package.json': manifest(range) });
    expect(use?.version).toBeNull();
    expect(use?.generation).toContain(generation);
  });

  it.each(['*', '>=0.20', 'latest', '^1.0.0'])('tells nothing of %s', (range) => {
    expect(uses({ 'package.json': manifest(range) })).toMatchObject([
      { version: null, generation: null },
    ]);
  });
});

describe('generationOf', () => {
  it.each([
    ['0.1.3', '0.1-0.10'],
    ['0.12.4', '0.11-0.12'],
    ['0.20.1', '0.18-0.20'],
    ['0.27.0', '0.27-0.107'],
    ['0.107.9', '0.27-0.107'],
    ['0.108.0-alpha.1', '0.108-0.152'],
    ['0.179.0', '0.153-0.179'],
    ['0.218.0', '0.180 and newer'],
    ['1.0.0', '0.180 and newer'],
  ])('%s is %s', (version, name) => {
    expect(generationOf(version)).toContain(name);
  });

  it('knows nothing about what is no version', () => {
    expect(generationOf('latest')).toBeUndefined();
    expect(generationOf('0.0.1')).toBeUndefined();
  });

  it('is ordered', () => {
    const firsts = GENERATIONS.map(({ since }) => Number(since.split('.')[1]));
    expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
  });
});
