import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, packRepository } from '../install.ts';
import { progress } from '../machine.ts';
import { interleave, type Job, type Spread, spread } from '../measure.ts';

/** The package as it is published. */
export interface PackageResult {
  packedKb: number;
  /** Of whole processes, in milliseconds. */
  node: Spread;
  importing: Spread;
}

/** Packs the package, installs it into an empty folder, and imports it there in fresh processes. */
export async function measurePackage(
  folder: string,
  workspace: string,
  rounds: number,
): Promise<PackageResult> {
  const tarball = packRepository(folder, workspace);
  const name = '@cubeshift/sandbox';
  // Its peers are optional, so no SDK comes with it.
  const { installed, error } = install(workspace, name, tarball);
  if (installed === undefined) throw new Error(`${name} could not be installed: ${error}`);
  const job = (file: string, program: string): Job => {
    writeFileSync(join(installed.folder, file), program);
    const args = [file];
    const { folder: cwd } = installed;
    return { name: file, command: process.execPath, args, cwd, rounds, exitCodes: [0] };
  };
  const node = job('nothing.mjs', '');
  const importing = job('importing.mjs', `import '${name}';\n`);
  const samples = await interleave([node, importing], () => undefined);
  const times = (of: Job): Spread => spread((samples.get(of) ?? []).map(({ ms }) => ms));
  progress(`imported ${rounds} times`);
  return {
    packedKb: statSync(tarball).size / 1000,
    node: times(node),
    importing: times(importing),
  };
}
