import { findRule, RULES, type Rule } from '../catalog/rules.ts';
import { parseTarget, type Target, UnknownTargetError } from '../catalog/targets.ts';
import { ConfigError } from '../config/config.ts';
import { didYouMean } from '../config/nearest.ts';
import { ScanInputError } from '../discover/errors.ts';
import { BaselineError } from '../scan/baseline.ts';
import { UsageError } from './errors.ts';

/** Errors of inner layers that a user caused and can put right. */
const USER_ERRORS = [ConfigError, BaselineError, UnknownTargetError, ScanInputError] as const;

/** Runs something of an inner layer; what the user did wrong comes out as a {@link UsageError}. */
export async function userFacing<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const isTheirs = USER_ERRORS.some((known) => error instanceof known);
    if (!isTheirs) throw error;
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Targets by name, each once. @throws {UnknownTargetError} */
export function parseTargets(names: readonly string[]): Target[] {
  const targets = new Map<string, Target>();
  for (const name of names) {
    const target = parseTarget(name);
    targets.set(target.name, target);
  }
  return [...targets.values()];
}

/** A rule by id or name. @throws {UsageError} with the nearest one. */
export function requireRule(name: string): Rule {
  const rule = findRule(name);
  if (rule !== undefined) return rule;
  const names = RULES.flatMap((known) => [known.id, known.name]);
  throw new UsageError(
    `Unknown rule "${name}".${didYouMean(name, names)} "cubeshift rules" lists all rules.`,
  );
}
