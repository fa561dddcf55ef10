import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { EngineError } from './errors.ts';
import { type Limits, MIN_PIDS, type Mount } from './isolation/types.ts';

/** A mount as the isolation may rely on it: real folder, clean absolute path that is not the root. */
export async function checkMount({ hostDir, path, readOnly = false }: Mount): Promise<Mount> {
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  if (!path.startsWith('/') || clean === '/' || clean.includes('\0')) {
    throw new EngineError('invalid', `'${path}' cannot be mounted on: an absolute path is needed`);
  }
  const isFolder = await stat(hostDir).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new EngineError('not-found', `'${hostDir}' is not a folder of this host`);
  return { hostDir: realpathSync(hostDir), path: clean, readOnly };
}

export function checkLimits({ memoryMb, pids }: Limits): void {
  if (memoryMb !== undefined && !(memoryMb >= 1 && Number.isInteger(memoryMb))) {
    throw new EngineError('invalid', `memoryMb is ${memoryMb}: a whole number from 1 on is needed`);
  }
  if (pids !== undefined && !(pids >= MIN_PIDS && Number.isInteger(pids))) {
    throw new EngineError(
      'invalid',
      `pids is ${pids}: a whole number from ${MIN_PIDS} on is needed`,
    );
  }
}
