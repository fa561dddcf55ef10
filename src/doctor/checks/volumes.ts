import { type Check, type Outcome, ok, oneLine, problem, warning } from '../check.ts';
import type { Subject } from '../subject.ts';

/** Whether the server has volumes. */
export const volumes: Check<Subject> = {
  name: 'volumes',
  needs: ['api', 'key', 'server'],
  async run(subject) {
    const { rest, kind } = subject;
    const answer = await rest.ask('GET', '/volumes');
    if (answer.status < 300 && Array.isArray(answer.body)) {
      const count = answer.body.length;
      return ok(`${count === 1 ? '1 volume is' : `${count} volumes are`} there`);
    }
    if (answer.status >= 500) {
      const fix = kind === 'cube' ? DRIVER : 'Look at the log of the server';
      return problem(`the server fails when asked for them: ${said(answer.body)}`, fix);
    }
    return none(subject, answer.status);
  },
};

/** What a CubeSandbox without a driver needs. */
export const DRIVER = 'Configure a driver in volume_plugins of CubeMaster, and on each node';

async function none({ kind, server }: Subject, status: number): Promise<Outcome> {
  if (kind === 'cube' && !(await server()).hasVolumes) {
    return warning('this CubeSandbox has none', 'Upgrade to 0.6.0 or newer where you need volumes');
  }
  return warning(`not for this key (${status})`, 'Ask for access to volumes where you need them');
}

function said(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'message' in body)
    return oneLine(`${body.message}`);
  return typeof body === 'string' ? oneLine(body).slice(0, 200) : 'no reason is told';
}
