import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createEngine, type Engine } from '../../../src/local/engine/engine.ts';
import { EngineError } from '../../../src/local/engine/errors.ts';
import type { Mode } from '../../../src/local/engine/isolation/types.ts';
import type { Exit } from '../../../src/local/engine/process.ts';
import type { Sandbox, SpawnOptions } from '../../../src/local/engine/sandbox.ts';

/** For hooks, which vitest gives less time than tests. */
export const PATIENCE = 60_000;

export const IS_ROOT = process.getuid?.() === 0;

/** A way of isolation, and why this machine lacks it if it does. */
export interface ModeHere {
  mode: Mode;
  title: string;
  isMissing: boolean;
}

/** A folder that engines of one test file share; removed by {@link removeFolders}. */
const folders: string[] = [];

export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'cubeshift-engine-test-'));
  folders.push(dir);
  return dir;
}

export function removeFolders(): void {
  for (const dir of folders.splice(0)) {
    // What an engine that was killed left may be closed even to its owner.
    if (!IS_ROOT) execFileSync('chmod', ['-R', 'u+rwX', dir]);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Every mode; those this machine lacks say so in their title and are to be skipped. */
export async function modes(): Promise<ModeHere[]> {
  const engine = await createEngine({ dir: folder() });
  await engine.close();
  removeFolders();
  const isMissing = engine.isolation.mode !== 'namespaces';
  const why = isMissing ? ` (not on this machine: ${engine.isolation.reason})` : '';
  return [
    { mode: 'namespaces', title: `namespaces${why}`, isMissing },
    { mode: 'directory', title: 'directory', isMissing: false },
  ];
}

export interface Result extends Exit {
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. */
export async function run(sandbox: Sandbox, options: SpawnOptions): Promise<Result> {
  const process = await sandbox.spawn(options);
  const [stdout, stderr, exit] = await Promise.all([
    text(process.stdout),
    text(process.stderr),
    process.exit,
  ]);
  return { stdout, stderr, ...exit };
}

/** Runs a shell program to its end and gives what it prints. */
export async function sh(
  sandbox: Sandbox,
  script: string,
  options: Partial<SpawnOptions> = {},
): Promise<string> {
  const result = await run(sandbox, { ...options, argv: ['sh', '-c', script] });
  if (result.exitCode !== 0) throw new Error(`exit ${result.exitCode}: ${result.stderr}`);
  return result.stdout;
}

/** Waits for a state of the world; the test's own timeout is the limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(10);
}

/** The code of the error an operation fails with. */
export async function codeOf(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
  } catch (error) {
    if (error instanceof EngineError) return error.code;
    throw error;
  }
  return 'no error';
}

export async function content(sandbox: Sandbox, path: string): Promise<string> {
  return text((await sandbox.files.read(path)).stream);
}

export async function withEngine<T>(mode: Mode, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await createEngine({ isolation: mode, dir: folder() });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** What the host sees mounted below a folder. */
export function mountsIn(dir: string): string[] {
  if (!existsSync('/proc/mounts')) return [];
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(dir));
}

/** Host processes whose command line contains a text. */
export function running(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}
