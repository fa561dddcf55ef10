import { expect, test } from 'vitest';
import { JumpClock, ManualClock, systemClock } from '../../../src/local/engine/clock.ts';

test('a manual clock runs what falls due in order, each at its time, also what is set meanwhile', () => {
  const clock = new ManualClock(0);
  const seen: string[] = [];
  const note = (name: string) => () => seen.push(`${name}@${clock.now()}`);
  clock.setTimer(20, note('b'));
  clock.setTimer(10, () => {
    note('a')();
    clock.setTimer(5, note('set by a'));
  });
  const cancel = clock.setTimer(12, note('cancelled'));
  clock.setTimer(100, note('later'));
  cancel();
  clock.advance(50);
  expect(seen).toEqual(['a@10', 'set by a@15', 'b@20']);
  expect(clock.now()).toBe(50);
});

test('a clock that jumps runs what falls due in order; the rest waits only for what is left', () => {
  const base = new ManualClock(1000);
  const clock = new JumpClock(base);
  const seen: string[] = [];
  const note = (name: string) => () => seen.push(`${name}@${clock.now()}`);
  clock.setTimer(20, note('b'));
  clock.setTimer(10, () => {
    note('a')();
    clock.setTimer(5, note('set by a'));
    clock.setTimer(60, note('also set by a'));
  });
  const cancel = clock.setTimer(12, note('cancelled'));
  const cancelLater = clock.setTimer(90, note('cancelled after the jump'));
  clock.setTimer(100, note('later'));
  cancel();
  clock.advance(50);
  expect(seen.splice(0)).toEqual(['a@1010', 'set by a@1015', 'b@1020']);
  expect([clock.now(), base.now()]).toEqual([1050, 1000]);
  base.advance(25);
  expect(seen.splice(0)).toEqual(['also set by a@1070']);
  cancelLater();
  base.advance(1000);
  expect(seen).toEqual(['later@1100']);
  expect(clock.now()).toBe(2075);
});

test('a jump goes on after a timer that fails', () => {
  const clock = new JumpClock(new ManualClock(0));
  clock.setTimer(10, () => {
    throw new Error('failed');
  });
  expect(() => clock.advance(50)).toThrow('failed');
  expect(clock.now()).toBe(50);
});

test('a clock that jumps starts as the system’s, and its timers are real', async () => {
  const clock = new JumpClock();
  expect(clock.now()).toBeGreaterThanOrEqual(systemClock.now() - 1000);
  await new Promise<void>((resolve) => {
    // The clock's own timers keep no process alive.
    const alive = setInterval(() => undefined, 1000);
    clock.setTimer(1, () => {
      clearInterval(alive);
      resolve();
    });
  });
});
