import { type Check, ok, problem } from '../check.ts';
import type { Subject } from '../subject.ts';

/** A list of nothing much, which everyone with a key may read. */
const LISTS: Readonly<Record<Subject['kind'], string>> = {
  cube: '/v2/sandboxes?limit=1',
  e2b: '/v2/sandboxes?limit=1',
  daytona: '/snapshots?limit=1',
};

/** Whether the server takes the key, and is the one it should be. */
export const key: Check<Subject> = {
  name: 'key',
  needs: ['api'],
  async run({ kind, rest, apiKey, apiUrl }) {
    const { status, isJson } = await rest.ask('GET', LISTS[kind]);
    if (status === 401 || status === 403) {
      return apiKey.value === undefined
        ? problem('the server asks for a key, and none is set', `Set ${apiKey.where}`)
        : problem(`the server does not accept the key (${status})`, `Correct ${apiKey.where}`);
    }
    if (status < 300 && isJson) {
      return ok(apiKey.value === undefined ? 'the server asks for none' : 'accepted');
    }
    if (status >= 500) {
      return problem(`the server fails (${status})`, 'Look at the log of the server');
    }
    const path = kind === 'daytona' ? ', which ends with /api' : '';
    return problem(
      `this is not the API: it answers ${status} when asked for a list`,
      `Set ${apiUrl.where} to the address of the API${path}`,
    );
  },
};
