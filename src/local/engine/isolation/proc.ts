import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The same on every Linux that programs see. */
const MS_PER_TICK = 10;

/** Numbers of all processes the host shows. */
export function hostPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Processes of a pid namespace, parents before children. */
export function pidsInNamespace(init: number): number[] {
  const space = linkOf(`/proc/${init}/ns/pid`);
  if (space === undefined) return [];
  const pids = hostPids().filter((pid) => linkOf(`/proc/${pid}/ns/pid`) === space);
  return parentsFirst(pids);
}

/** Processes started with a variable (`KEY=value`) that passes the test, parents before children. */
export function pidsWithEnv(test: (pair: string) => boolean): number[] {
  const pids = hostPids().filter((pid) => textOf(`/proc/${pid}/environ`)?.split('\0').some(test));
  return parentsFirst(pids);
}

/** When a process began, in a form only good for comparing; undefined when it is gone. */
export function startOf(pid: number): string | undefined {
  const fields = statFields(pid);
  // A zombie is as good as gone.
  return fields === undefined || fields[0] === 'Z' ? undefined : fields[19];
}

/**
 * Whether a process is stopped because its only child was, and has not noticed that the child ended
 * meanwhile. `nsenter` is so: it stops when its child does.
 */
export function hasMissedItsEnd(pid: number): boolean {
  if (statFields(pid)?.[0] !== 'T') return false;
  const children = hostPids().map(statFields);
  return children.every((child) => child?.[1] !== `${pid}` || child[0] === 'Z');
}

/** Whether a process has its files and mounts still. One that has not may wait long to be reaped. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/root/`);
}

/** What a process has used of processors and holds of memory; undefined when it is gone. */
export function costOf(pid: number): { cpuMs: number; memoryBytes: number } | undefined {
  const fields = statFields(pid);
  if (fields === undefined || fields[0] === 'Z') return undefined;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const held = /^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`) ?? '')?.[1];
  return { cpuMs: ticks * MS_PER_TICK, memoryBytes: Number(held ?? 0) * 1024 };
}

/** Fields of /proc/<pid>/stat after the name, which may itself contain spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * A shell that sees its child stop takes it for suspended, so parents must stop before their
 * children and go on after them.
 */
function parentsFirst(pids: readonly number[]): number[] {
  const parents = new Map(pids.map((pid) => [pid, Number(statFields(pid)?.[1] ?? 0)]));
  const depth = (pid: number): number => {
    const parent = parents.get(pid);
    return parent === undefined ? 0 : 1 + depth(parent);
  };
  return [...pids].sort((a, b) => depth(a) - depth(b));
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
