/** How long to wait: always the same, between two times, or as the slow end of a real service. */
export type Latency =
  | number
  | { kind: 'uniform'; minMs: number; maxMs: number }
  /** Log-normal: half are below `p50Ms`, one in a hundred above `p99Ms`. */
  | { kind: 'lognormal'; p50Ms: number; p99Ms: number };

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.3263478740408408;

/** Draws a time in milliseconds; `random` gives numbers from 0 up to, not including, 1. */
export function draw(latency: Latency, random: () => number): number {
  if (typeof latency === 'number') return latency;
  if (latency.kind === 'uniform') {
    return latency.minMs + random() * (latency.maxMs - latency.minMs);
  }
  // Box-Muller; the argument of the logarithm must not be 0.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return latency.p50Ms * Math.exp((normal * Math.log(latency.p99Ms / latency.p50Ms)) / Z99);
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
