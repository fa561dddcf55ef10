import { setTimeout as delay } from 'node:timers/promises';
import type { LiveSandbox } from './live-sandbox.ts';

/** So long a sandbox waits for its start command to be ready. */
const READY_MS = 20_000;
const CHECK_MS = 50;

/**
 * Runs a template's start command, and waits for its ready command to succeed. The real service
 * does both once, at the build, and keeps the memory; here it is done for every sandbox.
 */
export async function startCommand(sandbox: LiveSandbox): Promise<void> {
  const { startCmd, readyCmd, user } = sandbox.spec.template;
  if (startCmd === undefined || startCmd === '') return;
  await shell(sandbox, startCmd, user);
  if (readyCmd === undefined || readyCmd === '' || isImmediate(readyCmd)) return;
  const end = performance.now() + READY_MS;
  while (performance.now() < end) {
    const check = await shell(sandbox, readyCmd, user);
    const { exitCode } = await check.process.exit;
    if (exitCode === 0) return;
    await delay(CHECK_MS);
  }
}

function shell(
  sandbox: LiveSandbox,
  command: string,
  user: string,
): ReturnType<LiveSandbox['processes']['start']> {
  return sandbox.processes.start({
    config: { cmd: '/bin/bash', args: ['-l', '-c', command], envs: {} },
    user,
    hasStdin: false,
  });
}

/** Only waits, as `waitForTimeout` of the clients does: for a start that was long ago. */
export function isImmediate(readyCmd: string): boolean {
  return /^\s*(?:sleep\s+[\d.]+\s*)?$/.test(readyCmd);
}
