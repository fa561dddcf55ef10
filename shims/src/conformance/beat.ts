import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from '../provider/sandbox.ts';
import type { Kit } from './kit.ts';

/**
 * A program that shows whether it runs: it counts, in a file. It is a child of the command, which waits
 * for it, and counts in its memory, so a count that goes on is the same process. The file is replaced
 * as a whole, so that nobody reads it while it is empty.
 */
export function heart(file: string): string {
  const count = `echo $i > '${file}.new'; mv '${file}.new' '${file}'`;
  return `(i=0; while [ $i -lt 3000 ]; do i=$((i+1)); ${count}; sleep 0.1; done) & wait`;
}

export async function beat(sandbox: Sandbox, file: string): Promise<number> {
  const { stdout } = await sandbox.exec(`cat '${file}'`);
  return Number(stdout.trim() || 0);
}

export async function startsBeating(kit: Kit, sandbox: Sandbox, file: string): Promise<void> {
  await kit.until('it has begun to run', () => sandbox.files.exists(file));
}

export async function isBeating(sandbox: Sandbox, file: string): Promise<boolean> {
  const before = await beat(sandbox, file);
  for (const pause of [150, 850]) {
    await delay(pause);
    if ((await beat(sandbox, file)) !== before) return true;
  }
  return false;
}

/** Checks that it was ended, with what it had started. */
export async function stopsBeating(kit: Kit, sandbox: Sandbox, file: string): Promise<void> {
  assert.ok(await sandbox.files.exists(file), 'It never began to run');
  await kit.until('what it had started has ended', async () => !(await isBeating(sandbox, file)));
}
