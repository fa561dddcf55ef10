import { expect, test } from 'vitest';
import { Faults } from '../../../src/local/faults/faults.ts';
import { draw, seeded } from '../../../src/local/faults/latency.ts';
import { readFaultFlag, readFaultPlan } from '../../../src/local/faults/plan.ts';

test('reads plans and flags into the same rules', () => {
  const rules = [
    { route: 'POST /sandboxes', status: 503, retryAfterS: 2, times: 3, probability: 0.5 },
    { latencyMs: { kind: 'uniform', minMs: 50, maxMs: 400 } },
    { front: 'e2b', route: 'GET *', latencyMs: { kind: 'lognormal', p50Ms: 80, p99Ms: 900 } },
    { route: 'POST /sandbox', reset: 'after', skip: 1 },
    { route: 'GET /files', truncateBytes: 1024, latencyMs: 20 },
  ];
  expect(readFaultPlan({ seed: 7, rules })).toEqual({ seed: 7, rules, events: [] });
  expect(
    [
      'POST /sandboxes status=503 retryAfterS=2 times=3 probability=0.5',
      'latencyMs=50..400',
      'GET * front=e2b latencyMs=p50:80,p99:900',
      'POST /sandbox reset=after skip=1',
      'GET /files truncateBytes=1024 latencyMs=20',
    ].map(readFaultFlag),
  ).toEqual(rules);
});

test.each([
  [{ rules: [{ status: 418 }] }, 'rules[0].status: expected one of 408, 409'],
  [{ rules: [{ sttus: 500 }] }, 'unknown key "sttus". Did you mean "status"?'],
  [{ rules: {} }, 'rules: expected an array, found {}'],
  [{ rules: [{ probability: 2 }] }, 'rules[0].probability: expected 0 to 1, found 2'],
  [{ rules: [{ latencyMs: { kind: 'uniform', minMs: 9, maxMs: 1 } }] }, 'maxMs is below minMs'],
  [{ rules: [{ latencyMs: { kind: 'normal' } }] }, 'expected one of uniform, lognormal'],
  [{ events: [{ afterMs: 5 }] }, 'events[0]: expected either restart: true or advanceClockMs'],
  [{ seed: 'x' }, 'seed: expected a whole number, found "x"'],
  [[], 'plan: expected an object, found []'],
])('says what is wrong with %j', (plan, message) => {
  expect(() => readFaultPlan(plan)).toThrow(message);
});

test.each([
  ['POST /sandboxes', 'it says where but not what'],
  ['POST /sandboxes status=503 soon', 'expected setting=value, found "soon"'],
  ['reset=during', 'expected one of before, after, found "during"'],
])('says what is wrong with the flag %j', (flag, message) => {
  expect(() => readFaultFlag(flag)).toThrow(message);
});

test('the same seed brings the same faults, and another one others', () => {
  const strikes = (seed: number): boolean[] => {
    const faults = new Faults({ seed, rules: [{ probability: 0.3, status: 500 }] });
    return Array.from({ length: 200 }, () => faults.next('e2b', 'GET /') !== undefined);
  };
  expect(strikes(1)).toEqual(strikes(1));
  expect(strikes(1)).not.toEqual(strikes(2));
  const share = strikes(1).filter(Boolean).length / 200;
  expect(share).toBeGreaterThan(0.15);
  expect(share).toBeLessThan(0.45);
});

test('rules do not disturb each other, and count', () => {
  const rule = { route: 'GET /a', probability: 0.5, status: 500 } as const;
  const alone = new Faults({ seed: 3, rules: [rule] });
  const beside = new Faults({ seed: 3, rules: [rule, { route: 'GET /*', latencyMs: 0 }] });
  const statuses = (faults: Faults) =>
    Array.from({ length: 50 }, () => faults.next('e2b', 'GET /a')?.status);
  expect(statuses(beside)).toEqual(statuses(alone));
  expect(beside.counts()).toMatchObject([{ matched: 50 }, { matched: 50, struck: 50 }]);
});

test('latencies follow their distribution', () => {
  const random = seeded(5);
  const draws = Array.from({ length: 20_000 }, () =>
    draw({ kind: 'lognormal', p50Ms: 80, p99Ms: 900 }, random),
  ).sort((a, b) => a - b);
  expect(draws[10_000]).toBeGreaterThan(76);
  expect(draws[10_000]).toBeLessThan(84);
  expect(draws[19_800]).toBeGreaterThan(780);
  expect(draws[19_800]).toBeLessThan(1030);
  const uniform = Array.from({ length: 1000 }, () =>
    draw({ kind: 'uniform', minMs: 50, maxMs: 60 }, random),
  );
  expect(Math.min(...uniform)).toBeGreaterThanOrEqual(50);
  expect(Math.max(...uniform)).toBeLessThan(60);
});
