import type { Sandbox } from './engine/sandbox.ts';

/** Processor time at the last look, which the next one is compared with. */
const looks = new WeakMap<Sandbox, { atMs: number; cpuMs: number }>();

/**
 * How much of so many processors a sandbox used since the last look, in per cent with two digits; at
 * the first look, as if the one before had been a second ago. Of real time, whatever the sandboxes'
 * clock says: processes know no other.
 */
export function cpuShare(sandbox: Sandbox, cpuMs: number, cpus: number): number {
  const atMs = performance.now();
  const last = looks.get(sandbox) ?? { atMs: atMs - 1000, cpuMs: 0 };
  looks.set(sandbox, { atMs, cpuMs });
  const share = (cpuMs - last.cpuMs) / Math.max(atMs - last.atMs, 1) / Math.max(cpus, 1);
  return Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 100;
}
