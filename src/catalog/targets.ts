import type { VerdictNote } from '../model/finding.ts';
import type { SymbolVerdicts } from './types.ts';

/**
 * CubeSandbox releases a target may name, oldest first. Source: the changelog index of
 * TencentCloud/CubeSandbox. The toolkit supports 0.5.1 and newer; older ones are refused.
 */
export const CUBE_VERSIONS = ['0.5.1', '0.6.0', '0.7.0', '0.7.1', '0.7.2'] as const;
export type CubeRelease = (typeof CUBE_VERSIONS)[number];

const NEWEST_CUBE = CUBE_VERSIONS[CUBE_VERSIONS.length - 1] as string;

export interface Target {
  /** As shown in reports: `e2b`, `cube@0.7.2`, `local`. */
  name: string;
  kind: 'e2b' | 'cube' | 'local';
  /** Server release; only for `cube`. */
  version?: string;
}

/** Thrown for a target that does not exist; the message lists those that do. */
export class UnknownTargetError extends Error {
  override name = 'UnknownTargetError';
}

/**
 * Reads `e2b`, `local`, `cube` (the newest known release) or `cube@<release>`.
 * @throws {UnknownTargetError} for anything else.
 */
export function parseTarget(text: string): Target {
  const [kind, version] = text.split('@', 2);
  if (version === undefined && (kind === 'e2b' || kind === 'local')) return { name: kind, kind };
  if (kind === 'cube') {
    const release = version ?? NEWEST_CUBE;
    const known = CUBE_VERSIONS.find((candidate) => candidate === release);
    if (known !== undefined) return { name: `cube@${known}`, kind, version: known };
  }
  throw new UnknownTargetError(
    `Unknown target "${text}". Use e2b, local, cube, or cube@ with one of ${CUBE_VERSIONS.join(', ')}.`,
  );
}

/** Picks the verdict of a symbol for one target. */
export function verdictFor(verdicts: SymbolVerdicts, target: Target): VerdictNote {
  if (target.kind === 'local') return verdicts.local ?? verdicts.e2b;
  if (target.kind === 'e2b' || verdicts.cube === undefined) return verdicts.e2b;
  const cube = verdicts.cube;
  if (!('since' in cube)) return cube;
  return compareVersions(target.version ?? NEWEST_CUBE, cube.since) >= 0 ? cube.then : cube.before;
}

/** Compares dotted numeric versions; a pre-release suffix is ignored. */
export function compareVersions(a: string, b: string): number {
  const left = numbers(a);
  const right = numbers(b);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbers(version: string): number[] {
  return (version.split(/[-+]/, 1)[0] ?? '').split('.').map(Number);
}
