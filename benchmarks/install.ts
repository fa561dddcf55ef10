import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What installing a package puts on a disk. */
export interface Installed {
  /** The folder it was installed into. */
  folder: string;
  version: string;
  packages: number;
  mb: number;
  /** Packages that run something while being installed. */
  withScripts: string[];
  ms: number;
}

/** An attempt to install; `error` says why there is nothing to measure. */
export type InstallResult = { name: string } & (
  | { installed: Installed; error?: never }
  | { installed?: never; error: string }
);

interface Lockfile {
  packages: Record<string, { version?: string; hasInstallScript?: boolean }>;
}

/** Packs the repository, which builds it first. Returns the tarball. */
export function packRepository(repository: string, workspace: string): string {
  const folder = join(workspace, 'pack');
  mkdirSync(folder);
  npm(['pack', '--pack-destination', folder], repository);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  return join(folder, tarball);
}

/** Installs a package into an empty folder below the workspace, as a user would. */
export function install(workspace: string, name: string, spec: string): InstallResult {
  const folder = join(workspace, `install-${name.replaceAll(/\W+/g, '-')}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const started = performance.now();
  try {
    npm(['install', '--no-audit', '--no-fund', spec], folder);
  } catch (error) {
    return { name, error: firstNpmError(error) };
  }
  const ms = performance.now() - started;
  return { name, installed: { ...measureInstall(folder, name), folder, ms } };
}

function measureInstall(folder: string, name: string): Omit<Installed, 'folder' | 'ms'> {
  const { packages } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  ) as Lockfile;
  const locations = Object.keys(packages).filter((location) => location !== '');
  return {
    version: packages[`node_modules/${name}`]?.version ?? '?',
    packages: locations.length,
    mb: bytesBelow(join(folder, 'node_modules')) / 1e6,
    withScripts: locations.filter((location) => packages[location]?.hasInstallScript === true),
  };
}

/** Sum of the sizes of the files below a folder; links are not followed. */
function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesBelow(path);
    else if (entry.isFile()) bytes += statSync(path).size;
  }
  return bytes;
}

/** Runs npm quietly. @throws {Error} with npm's own words in its message. */
function npm(args: readonly string[], cwd: string): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
}

function firstNpmError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n').filter((line) => line.startsWith('npm error'));
  return lines.at(-1) === undefined ? message : lines.slice(0, 2).join('; ');
}
