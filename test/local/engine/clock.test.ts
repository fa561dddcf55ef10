import { expect, test } from 'vitest';
import { ManualClock } from '../../../src/local/engine/clock.ts';

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
