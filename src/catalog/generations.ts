import { compareVersions } from './targets.ts';

/** A stretch of SDK releases whose API a program can be written against without knowing more. */
export interface Generation {
  /** First release of it. */
  since: string;
  name: string;
}

/**
 * API waves of the Daytona TypeScript SDK, oldest first. A wave starts where a call changed its
 * meaning or went away; additions start none. Source: release tags and published declarations
 * 0.1.3 to 0.218.0. There are no releases between 0.27 and 0.100: numbering followed the monorepo.
 */
export const GENERATIONS: readonly Generation[] = [
  { since: '0.1.0', name: '0.1-0.10, Workspace API' },
  { since: '0.11.0', name: '0.11-0.12, first Sandbox API' },
  { since: '0.13.0', name: '0.13-0.17, env argument of executeCommand' },
  { since: '0.18.0', name: '0.18-0.20, uploads take the source first' },
  { since: '0.21.0', name: '0.21-0.26, snapshots and images, flat sandbox properties' },
  { since: '0.27.0', name: '0.27-0.107, session logs split by stream' },
  { since: '0.108.0', name: '0.108-0.152, paged list()' },
  { since: '0.153.0', name: '0.153-0.179, findOne() gone' },
  { since: '0.180.0', name: '0.180 and newer, list() iterates' },
];

/** The API wave a released version belongs to, in words; undefined for what is no version. */
export function generationOf(version: string): string | undefined {
  if (!/^\d+\.\d+/.test(version)) return undefined;
  return GENERATIONS.findLast(({ since }) => compareVersions(version, since) >= 0)?.name;
}

/**
 * The release a range starts at, when all it admits are of one minor: a caret on 0.x and a tilde
 * pin it, so the generation is known without a lockfile.
 */
export function pinnedMinor(range: string): string | undefined {
  return /^\s*(?:\^(0\.\d+(?:\.\d+)?)|~(\d+\.\d+(?:\.\d+)?))\s*$/
    .exec(range)
    ?.slice(1)
    .find(Boolean);
}
