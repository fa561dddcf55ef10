import { describe, expect, it } from 'vitest';
import { createResolver } from '../../src/discover/resolve.ts';

/** A resolver over files given by content; an empty string stands for any source. */
function resolver(contents: Readonly<Record<string, string | object>>) {
  const read = (file: string) => {
    const content = contents[file];
    return typeof content === 'object' ? JSON.stringify(content) : content;
  };
  return createResolver('/repo', Object.keys(contents).sort(), read);
}

describe('relative names', () => {
  const { resolve } = resolver({
    'src/a.ts': '',
    'src/b.tsx': '',
    'src/c.mts': '',
    'src/d.cts': '',
    'src/e/index.ts': '',
    'src/f.js': '',
    'src/g.d.ts': '',
    'src/h.test.ts': '',
    'src/data.json': '',
    'src/dup.ts': '',
    'src/dup/index.ts': '',
    'root.ts': '',
  });

  it.each([
    ['./a', 'src/a.ts'],
    ['./a.js', 'src/a.ts'],
    ['./a.ts', 'src/a.ts'],
    ['./b.js', 'src/b.tsx'],
    ['./b.jsx', 'src/b.tsx'],
    ['./c.mjs', 'src/c.mts'],
    ['./d.cjs', 'src/d.cts'],
    ['./e', 'src/e/index.ts'],
    ['./e/', 'src/e/index.ts'],
    ['./e/index.js', 'src/e/index.ts'],
    ['./f', 'src/f.js'],
    ['./f.js', 'src/f.js'],
    ['./g', 'src/g.d.ts'],
    ['./h.test', 'src/h.test.ts'],
    ['./data.json', 'src/data.json'],
    ['./a?raw', 'src/a.ts'],
    ['./dup', 'src/dup.ts'],
    ['../root.js', 'root.ts'],
    ['..', undefined],
    ['../../outside', undefined],
    ['./nope', undefined],
  ])('%s', (specifier, expected) => {
    expect(resolve(specifier, 'src/x.ts')).toBe(expected);
  });

  it('resolves a folder with an index from inside', () => {
    expect(resolve('.', 'src/e/other.ts')).toBe('src/e/index.ts');
    expect(resolve('./', 'src/e/other.ts')).toBe('src/e/index.ts');
  });
});

describe('tsconfig', () => {
  it('uses paths, the longest prefix first, and reads comments and trailing commas', () => {
    const { resolve, warnings } = resolver({
      'tsconfig.json':
        '\ufeff{\n // aliases\n "compilerOptions": { "paths": { "@/*": ["./src/*"], "@/ui/*": ["./ui/*", "./ui2/*"], "one": ["src/one.ts"], /* x */ }, },\n}',
      'src/a.ts': '',
      'src/one.ts': '',
      'ui2/b.tsx': '',
      'src/url//x.ts': '',
    });
    expect(resolve('@/a', 'src/x.ts')).toBe('src/a.ts');
    expect(resolve('@/ui/b', 'src/x.ts')).toBe('ui2/b.tsx');
    expect(resolve('one', 'src/x.ts')).toBe('src/one.ts');
    expect(resolve('one/more', 'src/x.ts')).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('resolves bare names against baseUrl', () => {
    const { resolve } = resolver({
      'app/tsconfig.json': { compilerOptions: { baseUrl: './src' } },
      'app/src/lib/a.ts': '',
      'lib/a.ts': '',
    });
    expect(resolve('lib/a', 'app/src/x.ts')).toBe('app/src/lib/a.ts');
    expect(resolve('lib/a', 'other/x.ts')).toBeUndefined();
  });

  it('follows extends through chains, arrays and workspace packages', () => {
    const { resolve, warnings } = resolver({
      'package.json': { workspaces: ['packages/*'] },
      'packages/config/package.json': { name: '@acme/config' },
      'packages/config/base.json': { compilerOptions: { paths: { '#x/*': ['../x/*'] } } },
      'packages/x/a.ts': '',
      'packages/app/package.json': { name: 'app' },
      'packages/app/tsconfig.json': { extends: ['./tsconfig.mid', '@acme/config/base.json'] },
      'packages/app/tsconfig.mid.json': { extends: '../../tsconfig.root.json' },
      'tsconfig.root.json': { compilerOptions: { paths: { gone: ['gone.ts'] } } },
      'packages/web/tsconfig.json': { extends: './tsconfig.mid.json' },
      'packages/web/tsconfig.mid.json': { extends: '../../tsconfig.abs.json' },
      'tsconfig.abs.json': { compilerOptions: { paths: { '~/*': [`\${configDir}/src/*`] } } },
      'packages/web/src/b.ts': '',
    });
    expect(resolve('#x/a', 'packages/app/src/m.ts')).toBe('packages/x/a.ts');
    expect(resolve('~/b', 'packages/web/src/m.ts')).toBe('packages/web/src/b.ts');
    expect(warnings).toEqual([]);
  });

  it('warns about an absent base and goes on with the rest', () => {
    const { resolve, warnings } = resolver({
      'tsconfig.json': {
        extends: '@tsconfig/node20/tsconfig.json',
        compilerOptions: { paths: { '@/*': ['./src/*'] } },
      },
      'src/a.ts': '',
    });
    expect(resolve('@/a', 'src/x.ts')).toBe('src/a.ts');
    expect(warnings).toEqual([expect.stringContaining('@tsconfig/node20')]);
  });

  it('warns about a broken file and ignores it', () => {
    const { resolve, warnings } = resolver({
      'tsconfig.json': '{ "compilerOptions": {',
      'a.ts': '',
    });
    expect(resolve('./a', 'x.ts')).toBe('a.ts');
    expect(resolve('a', 'x.ts')).toBeUndefined();
    expect(warnings).toEqual(['tsconfig.json is not valid JSON and was ignored']);
  });

  it('survives a cycle of extends', () => {
    const { resolve } = resolver({
      'tsconfig.json': { extends: './other.json', compilerOptions: { paths: { a: ['a.ts'] } } },
      'other.json': { extends: './tsconfig.json' },
      'a.ts': '',
    });
    expect(resolve('a', 'x.ts')).toBe('a.ts');
  });

  it('looks into the configurations a solution file references', () => {
    const { resolve } = resolver({
      'tsconfig.json': {
        files: [],
        references: [
          { path: './tsconfig.app.json' },
          { path: './tsconfig.node.json' },
          { path: './lib' },
        ],
      },
      'tsconfig.app.json': { compilerOptions: { paths: { '@/*': ['./src/*'] } } },
      'tsconfig.node.json': { compilerOptions: { paths: { '$/*': ['./scripts/*'] } } },
      'lib/tsconfig.json': { compilerOptions: { paths: { '@/*': ['./lib-only/*'] } } },
      'src/a.ts': '',
      'scripts/b.ts': '',
      'lib/lib-only/c.ts': '',
    });
    expect(resolve('@/a', 'src/x.ts')).toBe('src/a.ts');
    expect(resolve('$/b', 'vite.config.ts')).toBe('scripts/b.ts');
    expect(resolve('@/c', 'src/x.ts')).toBeUndefined();
    expect(resolve('@/c', 'lib/x.ts')).toBe('lib/lib-only/c.ts');
  });

  it('takes the nearest configuration only, jsconfig included', () => {
    const { resolve } = resolver({
      'tsconfig.json': { compilerOptions: { paths: { '@/*': ['./src/*'] } } },
      'app/jsconfig.json': { compilerOptions: { paths: { '~/*': ['./*'] } } },
      'src/a.ts': '',
      'app/b.js': '',
    });
    expect(resolve('~/b', 'app/x.js')).toBe('app/b.js');
    expect(resolve('@/a', 'app/x.js')).toBeUndefined();
  });
});

describe('packages of the repository', () => {
  it.each([
    ['npm and yarn', { 'package.json': { workspaces: ['packages/*', '!packages/old'] } }],
    [
      'bun and yarn 1',
      { 'package.json': { workspaces: { packages: ['./packages/*/', '!packages/old'] } } },
    ],
    [
      'pnpm',
      {
        'pnpm-workspace.yaml': `# all\npackages:\n  - 'packages/*' # here\n  - "!packages/old"\ncatalog:\n  a: 1\n`,
      },
    ],
    ['pnpm, flow style', { 'pnpm-workspace.yaml': `packages: ["packages/*", '!packages/old']\n` }],
    ['pnpm, no indent', { 'pnpm-workspace.yaml': 'packages:\n- packages/**\n- "!packages/old"\n' }],
    ['lerna', { 'lerna.json': { packages: ['packages/*', '!packages/old'] } }],
  ])('%s', (_name, extra) => {
    const { resolve, packageNameOf } = resolver({
      ...extra,
      'packages/a/package.json': { name: '@acme/a', main: 'dist/index.js' },
      'packages/a/src/index.ts': '',
      'packages/old/package.json': { name: 'old' },
      'packages/old/index.ts': '',
      'examples/express/package.json': { name: 'express' },
      'examples/express/index.js': '',
      'app/x.ts': '',
    });
    expect(resolve('@acme/a', 'app/x.ts')).toBe('packages/a/src/index.ts');
    expect(resolve('old', 'app/x.ts')).toBeUndefined();
    expect(resolve('express', 'app/x.ts')).toBeUndefined();
    expect(packageNameOf('packages/a/src/deep/x.ts')).toBe('@acme/a');
    expect(packageNameOf('app/x.ts')).toBeUndefined();
  });

  it('follows exports: conditions, sub-paths, patterns, and outputs back to sources', () => {
    const { resolve } = resolver({
      'package.json': { workspaces: ['p'] },
      'p/package.json': {
        name: 'p',
        exports: {
          '.': {
            types: './dist/index.d.ts',
            import: { node: './dist/index.mjs' },
            default: './x.js',
          },
          './client': { '@acme/source': './src/client/main.ts', default: './dist/client.js' },
          './features/*': './dist/features/*.js',
          './features/private/*': null,
          './internal/*.js': ['./build/esm/internal/*.js'],
          './styles/': './assets/',
        },
      },
      'p/src/index.ts': '',
      'p/src/client/main.ts': '',
      'p/src/features/a/b.tsx': '',
      'p/src/internal/z.ts': '',
      'p/assets/s.ts': '',
    });
    expect(resolve('p', 'x.ts')).toBe('p/src/index.ts');
    expect(resolve('p/client', 'x.ts')).toBe('p/src/client/main.ts');
    expect(resolve('p/features/a/b', 'x.ts')).toBe('p/src/features/a/b.tsx');
    expect(resolve('p/internal/z.js', 'x.ts')).toBe('p/src/internal/z.ts');
    expect(resolve('p/styles/s', 'x.ts')).toBe('p/assets/s.ts');
    expect(resolve('p/nope', 'x.ts')).toBeUndefined();
  });

  it('reads conditions without a dot and a single string as the root', () => {
    const { resolve } = resolver({
      'package.json': { workspaces: ['*'] },
      'a/package.json': { name: 'a', exports: { import: './lib/a.mjs', require: './lib/a.cjs' } },
      'a/lib/a.mts': '',
      'b/package.json': { name: 'b', exports: './index.js' },
      'b/index.ts': '',
      'c/package.json': { name: 'c', types: 'types/c.d.ts', module: './esm/c.js' },
      'c/src/c.ts': '',
      'd/package.json': { name: 'd' },
      'd/src/util/x.ts': '',
    });
    expect(resolve('a', 'x.ts')).toBe('a/lib/a.mts');
    expect(resolve('b', 'x.ts')).toBe('b/index.ts');
    expect(resolve('c', 'x.ts')).toBe('c/src/c.ts');
    expect(resolve('d/util/x', 'x.ts')).toBe('d/src/util/x.ts');
  });

  it('prefers a listed output to its source', () => {
    const { resolve } = resolver({
      'package.json': { workspaces: ['p'] },
      'p/package.json': { name: 'p', main: './dist/index.js' },
      'p/dist/index.js': '',
      'p/src/index.ts': '',
    });
    expect(resolve('p', 'x.ts')).toBe('p/dist/index.js');
  });

  it('resolves a relative path into an output that is not built', () => {
    const { resolve } = resolver({ 'p/package.json': { name: 'p' }, 'p/src/index.ts': '' });
    expect(resolve('../p/dist/index.js', 'test/x.ts')).toBe('p/src/index.ts');
  });

  it('knows #aliases, self references, and linked packages', () => {
    const { resolve } = resolver({
      'package.json': {
        name: 'root',
        imports: { '#db': { default: './src/db.ts' }, '#lib/*': './dist/lib/*.js' },
        exports: { './api': './src/api.ts' },
        dependencies: { linked: 'file:./vendor/linked', protocol: 'workspace:*' },
      },
      'src/db.ts': '',
      'src/lib/a.ts': '',
      'src/api.ts': '',
      'vendor/linked/package.json': { name: 'linked' },
      'vendor/linked/index.js': '',
      'deep/down/package.json': { name: 'protocol', source: 'main.ts' },
      'deep/down/main.ts': '',
    });
    expect(resolve('#db', 'src/x.ts')).toBe('src/db.ts');
    expect(resolve('#lib/a', 'src/x.ts')).toBe('src/lib/a.ts');
    expect(resolve('#nope', 'src/x.ts')).toBeUndefined();
    expect(resolve('root/api', 'src/x.ts')).toBe('src/api.ts');
    expect(resolve('linked', 'src/x.ts')).toBe('vendor/linked/index.js');
    expect(resolve('protocol', 'src/x.ts')).toBe('deep/down/main.ts');
  });

  it('warns about a broken package.json', () => {
    const { resolve, warnings } = resolver({ 'package.json': '{', 'a.ts': '' });
    expect(resolve('./a', 'x.ts')).toBe('a.ts');
    expect(warnings).toEqual(['package.json is not valid JSON and was ignored']);
  });
});
