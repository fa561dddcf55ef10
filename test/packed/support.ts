import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../cli/cli.ts';

/** The compiler of this repository. */
export const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Runs a program to its end with stdin closed. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  codes: readonly number[] = [0],
  more: Readonly<Record<string, string>> = {},
): { stdout: string; stderr: string } {
  const env = { ...process.env, NO_COLOR: '1', npm_config_offline: 'true', ...more };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm is a script on Windows.
    shell: process.platform === 'win32',
  });
  expect(codes, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toContain(status);
  return { stdout, stderr };
}

/** A packed package. */
export interface Packed {
  tarball: string;
  /** In bytes. */
  size: number;
  /** What is in it, sorted. */
  paths: string[];
}

/** Packs a package as it was built. */
export function pack(folder: string, into: string): Packed {
  // No scripts: prepack would build, and replace dist/ under the tests that run beside this one.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', into];
  const [packed] = JSON.parse(run('npm', args, folder).stdout) as {
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  if (packed === undefined) throw new Error(`npm packed nothing of ${folder}`);
  const { filename, size, files } = packed;
  return { tarball: join(into, filename), size, paths: files.map(({ path }) => path).sort() };
}

/** Installs a tarball into a new folder, without a network. */
export function installInto(folder: string, tarball: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  run('npm', ['install', ...quiet, tarball], folder);
}

/** Names of the packages that are installed in a folder. */
export function packagesIn(folder: string): string[] {
  const file = join(folder, 'node_modules/.package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, unknown> };
  return Object.keys(lock.packages).map((path) => path.replace('node_modules/', ''));
}
