import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

const ENTRY = fileURLToPath(new URL('../../src/rewrite/index.ts', import.meta.url));

/**
 * Bundles the public entry for the tests of a file, so that a process that imports it starts at once.
 * Returns a function that gives the path of the bundle.
 */
export function useBundle(): () => string {
  let dir = '';
  const outfile = () => join(dir, 'rewrite.mjs');
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'cubeshift-bundle-'));
    // A process may import it that runs as another user.
    chmodSync(dir, 0o755);
    await build({
      entryPoints: [ENTRY],
      outfile: outfile(),
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return outfile;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

/** A process that runs a program with what `bundle` exports as `rewrite`, and the given arguments. */
export class Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  #output = '';

  /** `wrapper` is a command that runs the rest of its arguments, e.g. in a mount namespace. */
  constructor(
    bundle: string,
    program: string,
    args: readonly string[],
    wrapper: readonly string[] = [],
  ) {
    const script = `import * as rewrite from ${JSON.stringify(bundle)};
import { readFileSync } from 'node:fs';
const args = process.argv.slice(1);
${program}`;
    const [command = process.execPath, ...rest] = [
      ...wrapper,
      process.execPath,
      '--input-type=module',
      '-e',
      script,
      '--',
      ...args,
    ];
    this.process = spawn(command, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.process.stdout?.on('data', (chunk) => {
      this.#output += chunk;
    });
    this.process.stderr?.on('data', (chunk) => {
      this.#output += chunk;
    });
    this.ended = once(this.process, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      output: this.#output,
    }));
  }

  /** Waits until it has written a line like this, or has ended without. */
  async wrote(line: RegExp): Promise<RegExpExecArray | undefined> {
    const find = () =>
      this.#output
        .split('\n')
        .slice(0, -1)
        .map((written) => line.exec(written))
        .find((match) => match !== null);
    const written = new Promise<void>((resolve) => {
      const look = () => {
        if (find() !== undefined) resolve();
      };
      this.process.stdout?.on('data', look);
      look();
    });
    await Promise.race([written, this.ended]);
    return find() ?? undefined;
  }
}
