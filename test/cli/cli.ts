import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const CLI = join(ROOT, 'bin/cubeshift.js');

if (!existsSync(join(ROOT, 'dist/cli.js'))) {
  throw new Error('These tests run the built command line: run "npm run build" first');
}

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Variables that change what the command prints; each test sets its own. */
const NEUTRAL = { NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined };

/** Runs the built command line as users do, with stdin closed. */
export function cubeshift(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Result> {
  return collect(process.execPath, [CLI, ...args], cwd, env);
}

/** Runs a shell line in which `cubeshift` is the built command line. */
export function shell(cwd: string, line: string): Promise<Result> {
  const define = `cubeshift() { '${process.execPath}' '${CLI}' "$@"; }; `;
  return collect('bash', ['-c', define + line], cwd, {});
}

/** A command that goes on, and what it has printed at first. */
export interface Serving {
  child: ChildProcess;
  printed: string;
  /** All of it, at the end. */
  stderr: Promise<string>;
}

/** Runs the built command line with a command that serves until it is stopped. */
export async function serve(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Serving> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = text(child.stderr);
  const [printed] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, printed, stderr };
}

/** Ends a command by a signal, and answers its exit code. */
export async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  child.kill(signal);
  const [code] = await once(child, 'close');
  return code;
}

function collect(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...NEUTRAL, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder with these files, removed after the test. */
export function project(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'cubeshift-test-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.git'));
  for (const [name, text] of Object.entries(files)) write(root, name, text);
  return root;
}

export function write(root: string, name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

export function read(root: string, name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

/** Code with a few certain couplings. */
export const COUPLED = `import { Daytona } from '@daytonaio/sdk';

const daytona = new Daytona();

export async function runTests() {
  const sandbox = await daytona.create();
  const result = await sandbox.process.executeCommand('npm test');
  await sandbox.delete();
  return result;
}
`;
