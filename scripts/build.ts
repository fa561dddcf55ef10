import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/**
 * Bundles the tool into dist/: the executable, the library and their types. Everything that is
 * needed at run time is inside, so installing cubeshift installs nothing else.
 */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
/** Output names by entry. */
const ENTRIES: Record<string, string> = {
  cli: join(ROOT, 'src/cli/main.ts'),
  'read-worker': join(ROOT, 'src/discover/read-worker.ts'),
  index: join(ROOT, 'src/index.ts'),
  local: join(ROOT, 'src/local/index.ts'),
};

/** Settings of both bundles. Names are not kept: the calls that keep them slow the compiler by half. */
const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minify: true,
  // jsonc-parser's CommonJS build finds its parts in a way no bundler follows.
  mainFields: ['module', 'main'],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The compiler is CommonJS; wrapped into an ES module it would be parsed twice. */
const COMPILER = 'typescript.cjs';

const compilerAside: Plugin = {
  name: 'compiler-aside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^typescript$/ }, () => ({ path: COMPILER, namespace: 'aside' }));
    onLoad({ filter: /.*/, namespace: 'aside' }, () => ({
      contents: `import { loadCompiler } from './src/analyze/typescript/load-compiler.ts';
        export default loadCompiler(new URL('./${COMPILER}', import.meta.url));`,
      resolveDir: ROOT,
    }));
  },
};

rmSync(DIST, { recursive: true, force: true });
const tool = await build({
  ...COMMON,
  entryPoints: ENTRIES,
  outdir: DIST,
  splitting: true,
  format: 'esm',
  plugins: [compilerAside],
  // SDKs of backends are those of the program that is checked, never our own.
  external: ['e2b', '@daytona/sdk', '@daytonaio/sdk'],
  // commander is CommonJS and asks for Node's own modules with require.
  banner: {
    js: `import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);`,
  },
});
const compiler = await build({
  ...COMMON,
  // One file, transformed in place: a bundle would wrap it in a function.
  bundle: false,
  entryPoints: ['node_modules/typescript/lib/typescript.js'],
  outfile: join(DIST, COMPILER),
  format: 'cjs',
});
const metafile: Metafile = {
  inputs: { ...tool.metafile.inputs, ...compiler.metafile.inputs },
  outputs: { ...tool.metafile.outputs, ...compiler.metafile.outputs },
};
writeFileSync(join(DIST, 'THIRD-PARTY-LICENSES.txt'), licences(bundledPackages(metafile)));
emitTypes();
report(metafile);

/** Folders of the packages whose code is in the bundle, sorted by name. */
function bundledPackages({ outputs }: Metafile): string[] {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const input of Object.keys(inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
      if (folder !== undefined) folders.add(folder);
    }
  }
  return [...folders].sort();
}

/** The licence texts that must travel with the bundle. A package without one stops the build. */
function licences(folders: readonly string[]): string {
  const parts = folders.map((folder) => {
    const path = join(ROOT, folder);
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license?: string;
    };
    const texts = readdirSync(path)
      .filter((name) => /^(?:licen[cs]e|notice|thirdpartynotice|copyright)/i.test(name))
      .sort()
      .map((name) => readFileSync(join(path, name), 'utf8').trim());
    if (texts.length === 0) throw new Error(`${manifest.name} has no licence file to bundle`);
    const title = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`;
    return [title, '-'.repeat(title.length), ...texts].join('\n\n');
  });
  const head = 'The files in this folder contain code of the following packages.';
  return `${[head, ...parts].join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

function emitTypes(): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const result = spawnSync(
    process.execPath,
    [tsc, '-p', join(ROOT, 'scripts/types.tsconfig.json')],
    {
      stdio: 'inherit',
    },
  );
  if (result.status !== 0) throw new Error('Type declarations could not be written');
}

function report({ outputs }: Metafile): void {
  for (const [file, { bytes }] of Object.entries(outputs)) {
    console.log(`${relative('dist', file).padEnd(24)} ${(bytes / 1024).toFixed(0).padStart(6)} kB`);
  }
}
