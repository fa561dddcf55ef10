import { didYouMean } from '../../config/nearest.ts';
import {
  expected,
  isObject,
  oneOf,
  Problem,
  positiveInteger,
  type Read,
  text,
} from '../../config/read.ts';
import {
  FAULT_STATUSES,
  type FaultEvent,
  type FaultPlan,
  type FaultRule,
  FRONT_NAMES,
  matcher,
} from './faults.ts';
import type { Latency } from './latency.ts';

/** A plan of faults that cannot be used; the message says where and what is wrong. */
export class FaultPlanError extends Error {
  override name = 'FaultPlanError';
}

const RULE_READERS: { [K in keyof FaultRule]-?: Read<NonNullable<FaultRule[K]>> } = {
  front: oneOf(FRONT_NAMES),
  route: text,
  probability: between(0, 1),
  skip: between(0, Number.MAX_SAFE_INTEGER),
  times: positiveInteger,
  latencyMs: latency,
  status: (value, at) => {
    const found = FAULT_STATUSES.find((status) => status === value);
    if (found !== undefined) return found;
    throw new Problem(at, `${expected(`one of ${FAULT_STATUSES.join(', ')}`, value)}.`);
  },
  retryAfterS: between(0, Number.MAX_SAFE_INTEGER),
  reset: oneOf(['before', 'after']),
  truncateBytes: between(0, Number.MAX_SAFE_INTEGER),
};

/**
 * Checks a plan that came from a file or a request.
 * @throws FaultPlanError
 */
export function readFaultPlan(value: unknown): FaultPlan {
  return checked(() => {
    const plan = objectWith(value, 'plan', ['seed', 'rules', 'events']);
    return {
      ...(plan.seed === undefined ? {} : { seed: integer(plan.seed, 'seed') }),
      rules: list(plan.rules, 'rules').map((rule, i) => readRule(rule, `rules[${i}]`)),
      events: list(plan.events, 'events').map((event, i) => readEvent(event, `events[${i}]`)),
    };
  });
}

/**
 * Reads a rule as given on a command line: a route, then settings, as in
 * `POST /sandboxes status=503 times=2` or `* latencyMs=p50:80,p99:900`.
 * @throws FaultPlanError
 */
export function readFaultFlag(flag: string): FaultRule {
  const words = flag.trim().split(/\s+/);
  const first = words.findIndex((word) => /^[A-Za-z]+=/.test(word));
  const route = (first < 0 ? words : words.slice(0, first)).join(' ');
  const settings = first < 0 ? [] : words.slice(first);
  return checked(() => {
    if (settings.length === 0) {
      throw new Problem(flag, 'it says where but not what, e.g. "POST /sandboxes status=503".');
    }
    const pairs = settings.map((word): [string, unknown] => {
      const mark = word.indexOf('=');
      if (mark < 0) throw new Problem(flag, `expected setting=value, found "${word}".`);
      return [word.slice(0, mark), flagValue(word.slice(mark + 1))];
    });
    const rule = { ...(route === '' ? {} : { route }), ...Object.fromEntries(pairs) };
    return readRule(rule, flag);
  });
}

/**
 * A rule for a route that does not exist would never do anything.
 * @throws FaultPlanError
 */
export function checkRoutes({ rules = [] }: FaultPlan, routes: readonly string[]): void {
  for (const { route } of rules) {
    if (route === undefined || routes.some(matcher(route))) continue;
    throw new FaultPlanError(
      `no route is called "${route}".${didYouMean(route, routes)} ` +
        'GET /_cubeshift/status lists them all.',
    );
  }
}

function readRule(value: unknown, at: string): FaultRule {
  const entries = Object.entries(objectWith(value, at, Object.keys(RULE_READERS)));
  return Object.fromEntries(
    entries.map(([key, one]) => {
      const read = RULE_READERS[key as keyof FaultRule];
      return [key, read(one, `${at}.${key}`)];
    }),
  );
}

function readEvent(value: unknown, at: string): FaultEvent {
  const event = objectWith(value, at, ['afterMs', 'restart', 'advanceClockMs']);
  const afterMs = milliseconds(event.afterMs, `${at}.afterMs`);
  if (event.restart === true && event.advanceClockMs === undefined)
    return { afterMs, restart: true };
  if (event.restart === undefined && event.advanceClockMs !== undefined) {
    const advanceClockMs = milliseconds(event.advanceClockMs, `${at}.advanceClockMs`);
    return { afterMs, advanceClockMs };
  }
  throw new Problem(at, 'expected either restart: true or advanceClockMs.');
}

function latency(value: unknown, at: string): Latency {
  if (typeof value === 'number') return milliseconds(value, at);
  if (!isObject(value)) throw new Problem(at, `${expected('a time or a distribution', value)}.`);
  const kind = oneOf(['uniform', 'lognormal'] as const)(value.kind, `${at}.kind`);
  const [low, high] =
    kind === 'uniform' ? (['minMs', 'maxMs'] as const) : (['p50Ms', 'p99Ms'] as const);
  const known = objectWith(value, at, ['kind', low, high]);
  const from = milliseconds(known[low], `${at}.${low}`);
  const to = milliseconds(known[high], `${at}.${high}`);
  if (to < from) throw new Problem(at, `${high} is below ${low}.`);
  if (kind === 'uniform') return { kind, minMs: from, maxMs: to };
  if (from === 0) throw new Problem(`${at}.${low}`, 'expected a time above 0.');
  return { kind, p50Ms: from, p99Ms: to };
}

/** `200`, `50..400` or `p50:80,p99:900` of a flag as the value it has in a file. */
function flagValue(word: string): unknown {
  const uniform = /^([\d.]+?)\.\.([\d.]+)$/.exec(word);
  if (uniform) return { kind: 'uniform', minMs: Number(uniform[1]), maxMs: Number(uniform[2]) };
  const lognormal = /^p50:([\d.]+),p99:([\d.]+)$/.exec(word);
  if (lognormal) {
    return { kind: 'lognormal', p50Ms: Number(lognormal[1]), p99Ms: Number(lognormal[2]) };
  }
  return word !== '' && Number.isFinite(Number(word)) ? Number(word) : word;
}

function milliseconds(value: unknown, at: string): number {
  return between(0, Number.MAX_SAFE_INTEGER)(value, at);
}

function between(low: number, high: number): Read<number> {
  const what = high === Number.MAX_SAFE_INTEGER ? `a number from ${low}` : `${low} to ${high}`;
  return (value, at) => {
    if (typeof value === 'number' && value >= low && value <= high) return value;
    throw new Problem(at, `${expected(what, value)}.`);
  };
}

function integer(value: unknown, at: string): number {
  if (Number.isSafeInteger(value)) return Number(value);
  throw new Problem(at, `${expected('a whole number', value)}.`);
}

function list(value: unknown, at: string): unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new Problem(at, `${expected('an array', value)}.`);
}

function objectWith(value: unknown, at: string, keys: readonly string[]): Record<string, unknown> {
  if (!isObject(value)) throw new Problem(at, `${expected('an object', value)}.`);
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    throw new Problem(
      at,
      `unknown key "${key}".${didYouMean(key, keys)} Allowed: ${keys.join(', ')}.`,
    );
  }
  return value;
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new FaultPlanError(`${error.at}: ${error.message}`);
  }
}
