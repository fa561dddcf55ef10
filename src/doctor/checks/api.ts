import type { Check } from '../check.ts';
import { reach } from '../reach.ts';
import type { Subject } from '../subject.ts';

/** Whether the control plane can be reached at all. */
export const api: Check<Subject> = {
  name: 'api',
  async run({ apiUrl, isLocalServer }) {
    const reached = await reach(apiUrl);
    const isMissing = isLocalServer && reached.status === 'problem';
    return isMissing ? { ...reached, fix: 'npx cubeshift local' } : reached;
  },
};
