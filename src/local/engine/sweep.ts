import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolders } from '../../folders.ts';
import { EngineError } from './errors.ts';
import { removeControlGroups } from './isolation/cgroup.ts';
import { pidsWithEnv, startOf } from './isolation/proc.ts';
import { send } from './isolation/signals.ts';
import { removeFolder } from './remove.ts';

const PREFIX = 'cubeshift-local-';
const OWNER = 'owner.json';

/** Whose an engine's folder is. Numbers of processes come again, so their start counts too. */
interface Owner {
  pid: number;
  start: string;
}

/** The folder of an engine and the word that marks what belongs to it elsewhere on the host. */
export interface EngineFolder {
  dir: string;
  token: string;
}

/**
 * Makes the folder engines work in, and gives its real name: it is put into mount options, and hidden
 * in sandboxes.
 */
export function makeParent(parent: string): string {
  try {
    makeFolders(resolve(parent));
    return realpathSync(parent);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EngineError('denied', `the folder '${parent}' cannot be used: ${why}`, {
      cause: error,
    });
  }
}

/** Makes a folder for an engine of this process. It appears with its owner in it, or not at all. */
export function claimFolder(parent: string): EngineFolder {
  const draft = mkdtempSync(join(parent, '.cubeshift-new-'));
  const owner: Owner = { pid: process.pid, start: processStart(process.pid) ?? '' };
  writeFileSync(join(draft, OWNER), JSON.stringify(owner));
  const token = randomBytes(6).toString('hex');
  const dir = join(parent, `${PREFIX}${token}`);
  renameSync(draft, dir);
  return { dir, token };
}

/**
 * Removes what engines left behind whose process is gone. Folders of others, of live engines and
 * whatever cannot be understood are left alone.
 */
export async function sweep(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const dir = join(parent, name);
    if (!isOurs(dir) || isAlive(dir)) continue;
    const token = name.slice(PREFIX.length);
    if (process.platform === 'linux') {
      const isMarked = (pair: string): boolean => pair.startsWith(`CUBESHIFT_SANDBOX=${token}-`);
      for (const pid of pidsWithEnv(isMarked)) send(pid, 'SIGKILL');
    }
    removeControlGroups(token);
    await removeFolder(dir).catch(() => undefined);
  }
}

function isOurs(dir: string): boolean {
  const stats = lstatSync(dir, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid);
}

function isAlive(dir: string): boolean {
  try {
    const owner = JSON.parse(readFileSync(join(dir, OWNER), 'utf8')) as Owner;
    return processStart(owner.pid) === owner.start;
  } catch {
    return true;
  }
}

function processStart(pid: number): string | undefined {
  if (process.platform === 'linux') return startOf(pid);
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
