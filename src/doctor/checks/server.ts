import { isSandboxError } from '../../../shims/src/provider/errors.ts';
import { type Check, type Outcome, ok, problem, warning } from '../check.ts';
import type { Subject } from '../subject.ts';

/** What the server is, and of which version. */
export const server: Check<Subject> = {
  name: 'server',
  needs: ['api', 'key'],
  run(subject) {
    if (subject.kind === 'cube') return cube(subject);
    return subject.kind === 'e2b' ? e2b(subject) : daytona(subject);
  },
};

const NEXT = { '0.5.0': '0.5', '0.6.0': '0.6', '0.7.0': '0.7 or newer' } as const;

async function cube({ server, apiUrl }: Subject): Promise<Outcome> {
  try {
    const { atLeast, hasV2Create } = await server();
    const route = hasV2Create ? 'with' : 'without';
    return ok(`CubeSandbox ${NEXT[atLeast]} by its routes, ${route} POST /v2/sandboxes`);
  } catch (error) {
    if (!isSandboxError(error, 'unavailable')) throw error;
    return problem(
      'this is no CubeSandbox of 0.3.0 or newer',
      `Set ${apiUrl.where} to the address of CubeAPI (port 3000)`,
    );
  }
}

async function e2b({ rest, name }: Subject): Promise<Outcome> {
  const { status, body } = await rest.ask('GET', '/health');
  const isCube = typeof body === 'object' && body !== null && 'sandboxes' in body;
  if (isCube) {
    return warning(
      'this is a CubeSandbox, which differs from E2B',
      `Use the backend "cube" for "${name}": "use": "cube"`,
    );
  }
  return ok(status < 300 ? 'E2B' : 'answers as E2B does');
}

async function daytona({ rest }: Subject): Promise<Outcome> {
  const { version } = await rest.must<{ version?: string }>('GET', '/config');
  return ok(`Daytona ${version ?? 'of an unknown version'}`);
}
