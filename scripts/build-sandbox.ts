import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import manifest from '../shims/package.json' with { type: 'json' };

/**
 * Builds the sandbox package into shims/dist/: a file for each entry, what they share in chunks, and
 * their types. Few files, since each one that is imported costs time; not minified, since people read
 * them when they debug.
 */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SHIMS = join(ROOT, 'shims');
const DIST = join(SHIMS, 'dist');

/** Sources of the entries in package.json, which say where the built ones are. */
const entries = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.default.replace(/^\.\/dist(.*)\.js$/, 'src$1.ts')],
);

rmSync(DIST, { recursive: true, force: true });
await build({
  absWorkingDir: SHIMS,
  entryPoints: entries,
  outbase: 'src',
  outdir: DIST,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'warning',
});
const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
const types = spawnSync(process.execPath, [tsc, '-p', join(SHIMS, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (types.status !== 0) throw new Error('Type declarations could not be written');
