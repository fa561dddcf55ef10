import { OLDEST as OLDEST_DAYTONA } from '../../../shims/src/providers/daytona/sdk.ts';
import { OLDEST as OLDEST_E2B } from '../../../shims/src/providers/e2b/sdk.ts';
import { isAtLeast, type Version } from '../../../shims/src/providers/sdk-version.ts';
import { type Check, type Outcome, ok, problem, warning } from '../check.ts';
import type { Subject } from '../subject.ts';

/** First version that creates by a route of its own, `POST /v2/sandboxes`. */
const V2_CREATE: Version = [2, 51, 0];
/** Fits every backend. */
const GOOD_E2B = 'npm install e2b@2.50.0';

/** Whether the SDK is installed, not too old, and not too new for the server. */
export const sdk: Check<Subject> = {
  name: 'sdk',
  async run(subject) {
    const { kind, sdk: installed } = subject;
    const { name, version } = installed;
    const fix = kind === 'daytona' ? 'npm install @daytona/sdk' : GOOD_E2B;
    const oldest = kind === 'daytona' ? OLDEST_DAYTONA : OLDEST_E2B;
    if (version === undefined) return problem(`the package ${name} is not installed here`, fix);
    const shown = `${name} ${version.join('.')}`;
    if (!isAtLeast(version, oldest)) {
      return problem(`${shown} is too old: ${oldest.join('.')} or newer is needed`, fix);
    }
    const isNew = kind !== 'daytona' && isAtLeast(version, V2_CREATE);
    return (isNew ? await newCreate(subject, shown) : undefined) ?? ok(shown);
  },
};

/** What is wrong when the server lacks the route by which the SDK creates. */
async function newCreate(
  { kind, server, rest }: Subject,
  shown: string,
): Promise<Outcome | undefined> {
  const found = `${shown} creates through POST /v2/sandboxes, which this server does not have`;
  if (kind === 'cube') {
    const known = await server().catch(() => undefined);
    if (known === undefined || known.hasV2Create) return undefined;
    return warning(
      `${found}: the provider "cube" translates it, programs that use e2b themselves fail`,
      `${GOOD_E2B}, or run them with: cubeshift gateway -- <command>`,
    );
  }
  // Empty, so that nothing is created. A server that cannot be asked is told of by another check.
  const answer = await rest.ask('POST', '/v2/sandboxes', { body: {} }).catch(() => undefined);
  const isAbsent = answer?.status === 405 || (answer?.status === 404 && !answer.isJson);
  return isAbsent ? problem(found, GOOD_E2B) : undefined;
}
