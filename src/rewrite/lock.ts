import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../config/read.ts';
import { startOf } from '../local/engine/isolation/proc.ts';
import { codeOf, RewriteError, systemError } from './errors.ts';
import { makeOwnFolder, ownPath } from './folder.ts';
import { OWN_FOLDER } from './paths.ts';

/** Whose the lock is. Numbers of processes come again, so the start of the process counts too. */
interface Owner {
  host: string;
  pid: number;
  /** Null where it cannot be told. */
  start: string | null;
}

const OWNER = 'owner.json';
const FREE = 'free';

/**
 * Runs an action while no other process can run one in the same root. The lock of a process that is
 * gone is taken over.
 * @throws {RewriteError} `locked` naming the process that has it.
 */
export function withLock<T>(root: string, action: () => T): T {
  makeOwnFolder(root);
  let held: string;
  try {
    held = acquire(ownPath.lock(root));
  } catch (error) {
    throw systemError(`${OWN_FOLDER}/lock`, error);
  }
  try {
    return action();
  } finally {
    release(held);
  }
}

/*
 * The lock is the folder with the highest number, and free when it holds no owner or a dead one. To
 * take it is to make the next higher one, which only one process can: a folder that holds its owner
 * already is renamed to it, and none is ever empty, so that it could be renamed over. Folders go when
 * there is a higher one, so who makes one of these again, having looked too early, sees that.
 */
function acquire(dir: string): string {
  for (;;) {
    const last = highest(dir);
    const owner = readOwner(join(dir, `${last}`));
    if (owner !== undefined && isAlive(owner)) throw locked(owner);
    const held = join(dir, `${last + 1}`);
    if (!claim(dir, held)) continue;
    if (highest(dir) > last + 1) {
      removeQuietly(held);
      continue;
    }
    for (const name of readdirSync(dir)) {
      if (name !== `${last + 1}`) removeQuietly(join(dir, name));
    }
    return held;
  }
}

/** Makes a lock folder with this process in it; false when another process was faster. */
function claim(dir: string, held: string): boolean {
  const draft = join(dir, `draft-${randomBytes(6).toString('hex')}`);
  const owner: Owner = { host: hostname(), pid: process.pid, start: startedAt(process.pid) };
  try {
    mkdirSync(draft);
    writeFileSync(join(draft, OWNER), JSON.stringify(owner));
    renameSync(draft, held);
    return true;
  } catch (error) {
    removeQuietly(draft);
    // The draft is gone when the faster one has tidied up. Windows has a code of its own.
    const lost = ['EEXIST', 'ENOTEMPTY', 'ENOENT'].includes(codeOf(error) ?? '');
    if (lost || (process.platform === 'win32' && codeOf(error) === 'EPERM')) return false;
    throw error;
  }
}

function release(held: string): void {
  try {
    writeFileSync(join(held, FREE), '');
    rmSync(join(held, OWNER));
  } catch {
    // The lock is free at the latest when this process ends.
  }
}

/** What stays is the next one's to remove: it is no lock once it is not the highest, or we are gone. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Nothing that was asked for depends on it.
  }
}

function highest(dir: string): number {
  const numbers = readdirSync(dir).filter((name) => /^\d+$/.test(name));
  return Math.max(0, ...numbers.map(Number));
}

/** Undefined when the lock is free. What a power cut left of an owner is nobody's. */
function readOwner(held: string): Owner | undefined {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(join(held, OWNER), 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (!isObject(data)) return undefined;
  const { host, pid, start } = data;
  if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
  return { host, pid, start: typeof start === 'string' ? start : null };
}

function isAlive({ host, pid, start }: Owner): boolean {
  // Of another machine, or another container, nothing can be told.
  if (host !== hostname()) return true;
  if (start !== null) return startedAt(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function startedAt(pid: number): string | null {
  return process.platform === 'linux' ? (startOf(pid) ?? null) : null;
}

function locked({ host, pid }: Owner): RewriteError {
  const where = host === hostname() ? '' : ` on ${host}`;
  return new RewriteError(
    'locked',
    `Another cubeshift is changing files here (process ${pid}${where})`,
    `Wait until it is done. If there is no such process, delete ${OWN_FOLDER}/lock.`,
  );
}
