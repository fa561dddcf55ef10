import { method } from '../define.ts';
import type { MemberEntry } from '../types.ts';
import { adapted, emulated, everywhere, native, split, unsupported } from '../verdicts.ts';

const interval = (becomes: string, extra: Partial<MemberEntry> = {}): MemberEntry =>
  method('(interval: number): Promise<void>', {
    rule: 'DT304',
    becomes,
    fix: 'review',
    verdicts: everywhere(
      emulated('Kept by the ledger: acts only while a janitor runs, in any of your processes.'),
    ),
    ...extra,
  });

const MEMORY = {
  e2b: native('Memory and disk are kept.'),
  local: emulated('Processes are frozen, not saved: a restart of the local server ends them.'),
};

const RESIZE = {
  since: '0.138.0',
  rule: 'DT311',
  becomes: null,
  fix: 'manual',
  verdicts: everywhere(
    unsupported('Size belongs to the template: build a larger one and start from it.'),
  ),
} as const;

/** Members of `Sandbox` that change what runs and how long. */
export const LIFECYCLE: Record<string, MemberEntry> = {
  start: method('(timeout?: number): Promise<void>', {
    becomes: 'sandbox.start({ timeoutMs })',
    verdicts: everywhere(
      emulated('A stopped sandbox comes back from a pause, with a fresh lifetime or idle window.'),
    ),
  }),
  stop: method('(timeout?: number, force?: boolean): Promise<void>', {
    becomes: 'sandbox.stop({ timeoutMs })',
    fix: 'review',
    verdicts: split(
      adapted('A pause without memory: the disk stays, processes end. There is no force.'),
      emulated('Commands are ended, then it is paused: what the template itself runs goes on.'),
    ),
  }),
  pause: method('(timeout?: number): Promise<void>', {
    since: '0.190.0',
    becomes: 'sandbox.pause({ timeoutMs })',
    verdicts: MEMORY,
  }),
  delete: method('(timeout?: number, wait?: boolean): Promise<void>', {
    becomes: 'sandbox.delete()',
    verdicts: everywhere(native('A sandbox that is already gone is not an error.')),
  }),
  archive: method('(): Promise<void>', {
    since: '0.12.0',
    becomes: 'sandbox.archive()',
    fix: 'review',
    verdicts: split(
      emulated('No cold tier: the sandbox stays paused.'),
      unsupported('Snapshot it and delete it: it comes back as a sandbox with a new id.'),
    ),
  }),
  recover: method('(timeout?: number): Promise<void>', {
    since: '0.125.0',
    becomes: 'sandbox.restore(snapshot)',
    fix: 'manual',
    verdicts: everywhere(unsupported('Restore the last snapshot into a new sandbox.')),
  }),
  waitUntilStarted: method('(timeout?: number): Promise<void>', {
    py: 'wait_for_sandbox_start',
    becomes: null,
    verdicts: everywhere(adapted('Goes away: create() and start() answer when it runs.')),
  }),
  waitUntilStopped: method('(timeout?: number): Promise<void>', {
    py: 'wait_for_sandbox_stop',
    becomes: null,
    verdicts: everywhere(adapted('Goes away: stop() answers when it has stopped.')),
  }),
  resize: method('(resources: Resources, timeout?: number): Promise<void>', RESIZE),
  waitForResizeComplete: method('(timeout?: number): Promise<void>', {
    ...RESIZE,
    distinctive: true,
  }),
  refreshData: method('(): Promise<void>', {
    since: '0.21.0',
    rule: 'DT314',
    becomes: 'sandbox.info()',
    fix: 'review',
    verdicts: everywhere(adapted('The answer holds the record; the object does not change.')),
  }),
  refreshActivity: method('(): Promise<void>', {
    since: '0.120.0',
    rule: 'DT314',
    becomes: 'sandbox.keepAlive(ms)',
    distinctive: true,
    verdicts: everywhere(adapted('Takes the new window in milliseconds.')),
  }),
  setAutostopInterval: interval("sandbox.setIdlePolicy({ idleTimeoutMs, onIdle: 'stop' })", {
    distinctive: true,
  }),
  setAutoPauseInterval: interval("sandbox.setIdlePolicy({ idleTimeoutMs, onIdle: 'pause' })", {
    since: '0.199.0',
    distinctive: true,
  }),
  setAutoArchiveInterval: interval('a janitor policy: archive after a stop', {
    since: '0.21.0',
    distinctive: true,
  }),
  setAutoDeleteInterval: interval('a janitor policy: delete after a stop', {
    since: '0.23.0',
    distinctive: true,
  }),
  setTtl: method('(ttlMinutes: number): Promise<void>', {
    since: '0.199.0',
    rule: 'DT304',
    becomes: 'sandbox.setLifetime(ms)',
    fix: 'review',
    verdicts: split(
      adapted('Minutes become milliseconds; counted from now, at most 24 hours.'),
      emulated('Cube counts idleness only: a janitor ends the sandbox at its deadline.'),
    ),
  }),
};
