import type { SandboxErrorCode } from '../../shims/src/provider/errors.ts';
import { isSandboxError } from '../../shims/src/provider/errors.ts';

/** How a check ended. A warning may bite later; a problem keeps sandboxes from working. */
export const STATUSES = ['ok', 'warning', 'problem', 'skipped'] as const;
export type Status = (typeof STATUSES)[number];

/** What a check found, in one line, and for anything wrong the one thing that puts it right. */
export type Outcome =
  | { status: 'ok' | 'skipped'; found: string }
  | { status: 'warning' | 'problem'; found: string; fix: string };

export type Result = Outcome & { name: string };

/** One question about a subject. */
export interface Check<Subject> {
  readonly name: string;
  /** Names of checks before it, without which it has nothing to go on. */
  readonly needs?: readonly string[];
  run(subject: Subject): Outcome | Promise<Outcome>;
}

export const ok = (found: string): Outcome => ({ status: 'ok', found });
export const skipped = (found: string): Outcome => ({ status: 'skipped', found });
export const warning = (found: string, fix: string): Outcome => ({ status: 'warning', found, fix });
export const problem = (found: string, fix: string): Outcome => ({ status: 'problem', found, fix });

/** Runs checks one after the other. One that throws is a problem that nobody has foreseen. */
export async function runChecks<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const check of checks) {
    const missing = check.needs?.find((name) => !holds(results, name));
    const outcome =
      missing === undefined
        ? await outcomeOf(check, subject)
        : skipped(`cannot be told without "${missing}"`);
    results.push({ name: check.name, ...outcome });
  }
  return results;
}

function holds(results: readonly Result[], name: string): boolean {
  const status = results.find((result) => result.name === name)?.status;
  return status === 'ok' || status === 'warning';
}

async function outcomeOf<Subject>(check: Check<Subject>, subject: Subject): Promise<Outcome> {
  try {
    return await check.run(subject);
  } catch (error) {
    // Anything else is a mistake in the check itself.
    if (!isSandboxError(error)) throw error;
    return problem(oneLine(error.message), FIXES[error.code]);
  }
}

/** A check that runs code of others, which may throw anything. */
export function guarded<Subject>(check: Check<Subject>): Check<Subject> {
  return {
    ...check,
    async run(subject) {
      try {
        return await check.run(subject);
      } catch (error) {
        if (isSandboxError(error)) throw error;
        return problem(oneLine(`${error}`), 'Look at the code of the provider and its SDK');
      }
    },
  };
}

/** What to do about an error of a call to the backend. */
const FIXES: Readonly<Record<SandboxErrorCode, string>> = {
  invalid_argument: 'Correct the setting that the server does not take.',
  unauthorized: 'Set the key to one that the server accepts.',
  forbidden: 'Ask for a key that may do this.',
  not_found: 'Create it, or correct its name.',
  conflict: 'Wait for what is under way, and run this again.',
  timeout: 'Look at the log of the server, and run this again.',
  rate_limited: 'Wait a minute, and run this again.',
  capacity: 'Delete sandboxes that nobody needs, or add a node.',
  unavailable: 'Look at the log of the server, and run this again.',
  unsupported: 'Upgrade the server or the SDK.',
  configuration: 'Correct the configuration as it says.',
};

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
