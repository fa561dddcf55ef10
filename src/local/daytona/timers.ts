import { archive, destroy, pause, stop } from './lifecycle.ts';
import { isEphemeral, type SandboxRecord } from './record.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;

/** The longest a sandbox stays stopped before it is archived, also when it was told `never`. */
export const MAX_AUTO_ARCHIVE_MIN = 43_200;

interface Due {
  at: number;
  run: () => Promise<unknown>;
}

/**
 * Sets the timer for the next thing that happens to a sandbox by itself. Called whenever its state
 * or an interval changes. Activity does not move the timer: when it fires too early it is set anew.
 */
export function schedule(world: World, record: SandboxRecord): void {
  record.cancelTimer?.();
  delete record.cancelTimer;
  if (record.isChanging) return;
  const due = nextDue(world, record);
  if (due === undefined) return;
  const { clock } = world.context.engine;
  record.cancelTimer = clock.setTimer(due.at - clock.now(), () => fire(world, record));
}

function fire(world: World, record: SandboxRecord): void {
  if (record.isChanging) return;
  if (record.openCalls > 0 && record.state === 'started') world.sandboxes.touch(record);
  const due = nextDue(world, record);
  if (due === undefined) return;
  if (due.at > world.now()) schedule(world, record);
  else due.run().catch(world.context.onError);
}

function nextDue(world: World, record: SandboxRecord): Due | undefined {
  const dues = [...candidates(world, record)];
  return dues.reduce<Due | undefined>(
    (first, due) => (first === undefined || due.at < first.at ? due : first),
    undefined,
  );
}

function* candidates(world: World, record: SandboxRecord): Generator<Due> {
  const { state } = record;
  const minutes = (from: number, count: number): number => from + count * MINUTE;
  if (state === 'destroyed' || state === 'destroying') return;
  if (record.destroyAt !== undefined) {
    yield { at: record.destroyAt, run: () => destroy(world, record) };
  }
  if (state === 'started') {
    const idleSince = record.lastActivityAt;
    if (record.autoStopMin > 0) {
      // A virtual machine that is told to stop keeps its memory; the idle timer means a real stop.
      yield {
        at: minutes(idleSince, record.autoStopMin),
        run: () => stop(world, record, { memory: 'lost' }),
      };
    }
    if (record.autoPauseMin > 0) {
      yield { at: minutes(idleSince, record.autoPauseMin), run: () => pause(world, record) };
    }
  }
  const { stoppedAt } = record;
  if (stoppedAt === undefined) return;
  if (state === 'stopped' && !isEphemeral(record)) {
    const interval = record.autoArchiveMin === 0 ? MAX_AUTO_ARCHIVE_MIN : record.autoArchiveMin;
    yield { at: minutes(stoppedAt, interval), run: () => archive(world, record) };
  }
  if ((state === 'stopped' || state === 'archived') && record.autoDeleteMin >= 0) {
    yield { at: minutes(stoppedAt, record.autoDeleteMin), run: () => destroy(world, record) };
  }
}
