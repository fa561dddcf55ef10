import { setTimeout as sleep } from 'node:timers/promises';
import { draw, type Latency, seeded } from './latency.ts';

/** Statuses that services of this kind are known to answer when they are in trouble. */
export const FAULT_STATUSES = [408, 409, 429, 500, 502, 503] as const;
export type FaultStatus = (typeof FAULT_STATUSES)[number];

/** The protocols that are served. */
export const FRONT_NAMES = ['e2b', 'daytona'] as const;
export type FrontName = (typeof FRONT_NAMES)[number];

/** What goes wrong, where and how often. Without anything to go wrong a rule only counts. */
export interface FaultRule {
  /** Requests of one protocol only. */
  front?: FrontName;
  /** `METHOD /path`, as routes are called; `*` stands for anything. All routes when left out. */
  route?: string;
  /** Of the requests that match, from 0 to 1. Defaults to 1. */
  probability?: number;
  /** Leaves the first ones alone. */
  skip?: number;
  /** Ends after so many. */
  times?: number;
  /** Waits before the request is looked at. */
  latencyMs?: Latency;
  /** Answers this instead of doing anything. */
  status?: FaultStatus;
  /** Sent with `status`, in seconds. */
  retryAfterS?: number;
  /** Breaks the connection: `before` anything is done, or `after`, so that only the answer is lost. */
  reset?: 'before' | 'after';
  /** Breaks the connection after so many bytes of the answer's body. */
  truncateBytes?: number;
}

export interface FaultPlan {
  /** The same seed and the same requests bring the same faults. Defaults to 1. */
  seed?: number;
  rules?: readonly FaultRule[];
  /** What happens to the whole server, so long after its start. */
  events?: readonly FaultEvent[];
}

/** A restart loses sandboxes that run; a jump of the clock makes lifetimes end early. */
export type FaultEvent =
  | { afterMs: number; restart: true }
  | { afterMs: number; advanceClockMs: number };

/** What one request has to suffer. */
export interface Fault {
  status: FaultStatus | undefined;
  headers: Readonly<Record<string, string>>;
  reset: 'before' | 'after' | undefined;
  truncateBytes: number | undefined;
  /** Waits as long as was drawn, or until the client has gone. */
  delay(signal: AbortSignal): Promise<void>;
}

interface Armed {
  rule: FaultRule;
  matches(route: string): boolean;
  random: () => number;
  seen: number;
  done: number;
}

/** Decides what goes wrong. Each rule draws from numbers of its own, whatever the others do. */
export class Faults {
  #armed: Armed[] = [];

  constructor(plan?: FaultPlan) {
    if (plan !== undefined) this.set(plan);
  }

  /** Replaces all rules and starts counting anew. */
  set({ seed = 1, rules = [] }: FaultPlan): void {
    this.#armed = rules.map((rule, index) => ({
      rule,
      matches: matcher(rule.route ?? '*'),
      random: seeded(seed + index * 0x9e3779b1),
      seen: 0,
      done: 0,
    }));
  }

  /** How often each rule matched and struck. */
  counts(): { rule: FaultRule; matched: number; struck: number }[] {
    return this.#armed.map(({ rule, seen, done }) => ({ rule, matched: seen, struck: done }));
  }

  /** The faults of the next request on a route, of all rules together; the first word counts. */
  next(front: FrontName, route: string): Fault | undefined {
    const struck = this.#armed.filter((armed) => strikes(armed, front, route));
    if (struck.length === 0) return undefined;
    const first = <K extends keyof FaultRule>(key: K): FaultRule[K] | undefined =>
      struck.find(({ rule }) => rule[key] !== undefined)?.rule[key];
    const waits = struck.map(({ rule, random }) => draw(rule.latencyMs ?? 0, random));
    const retryAfter = first('retryAfterS');
    return {
      status: first('status'),
      headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` },
      reset: first('reset'),
      truncateBytes: first('truncateBytes'),
      async delay(signal) {
        const ms = waits.reduce((sum, wait) => sum + wait, 0);
        if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
      },
    };
  }
}

function strikes(armed: Armed, front: FrontName, route: string): boolean {
  const { rule } = armed;
  if ((rule.front ?? front) !== front || !armed.matches(route)) return false;
  armed.seen += 1;
  if (armed.seen <= (rule.skip ?? 0) || armed.done >= (rule.times ?? Number.POSITIVE_INFINITY)) {
    return false;
  }
  // Drawn only when it can matter, so that `skip` does not change what follows.
  if (armed.random() >= (rule.probability ?? 1)) return false;
  armed.done += 1;
  return true;
}

/** Whether a route is called like that; `*` stands for anything. */
export function matcher(pattern: string): (route: string) => boolean {
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const regex = new RegExp(`^${source.join('.*')}$`);
  return (route) => regex.test(route);
}
