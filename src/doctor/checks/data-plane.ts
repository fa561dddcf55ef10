import { type Check, type Outcome, ok, skipped, warning } from '../check.ts';
import { reach } from '../reach.ts';
import type { Subject } from '../subject.ts';

/** No sandbox has this id. */
const NOBODY = '0'.repeat(32);
const ENVD_PORT = 49983;

/** Whether the address that leads into sandboxes answers. */
export const dataPlane: Check<Subject> = {
  name: 'data plane',
  needs: ['api'],
  run(subject) {
    if (subject.kind === 'daytona') return daytona(subject);
    const { dataUrl } = subject;
    if (dataUrl === undefined) return skipped('the server tells it with each sandbox');
    return subject.kind === 'cube' ? cube(dataUrl) : reach(dataUrl);
  },
};

async function cube(dataUrl: NonNullable<Subject['dataUrl']>): Promise<Outcome> {
  const reached = await reach(dataUrl);
  if (reached.status !== 'ok') return reached;
  const path = `/sandbox/${NOBODY}/${ENVD_PORT}/health`;
  const status = await statusOf(`${dataUrl.value}${path}`);
  if (status === undefined || status < 300) {
    return warning(
      `${dataUrl.value} answers, but not as CubeProxy does (${status ?? 'no answer'})`,
      `Set ${dataUrl.where} to CubeProxy (0.3.0 or newer)`,
    );
  }
  return ok(`${dataUrl.value} answers (${status} for a sandbox that does not exist)`);
}

async function daytona({ rest, dataUrl }: Subject): Promise<Outcome> {
  if (dataUrl !== undefined) return reach(dataUrl);
  const { status, body } = await rest.ask('GET', '/config');
  const url = (body as { proxyToolboxUrl?: unknown } | undefined)?.proxyToolboxUrl;
  if (status >= 300 || typeof url !== 'string')
    return skipped('the server tells it with each sandbox');
  return reach({ value: url, where: 'the proxy of Daytona' });
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const { status } = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    return status;
  } catch {
    return undefined;
  }
}
