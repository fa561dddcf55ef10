import { type Check, ok, skipped, warning } from '../check.ts';
import type { Subject } from '../subject.ts';

const MOST_S = 30;

/** How far the clock of the server is from this one. */
export const clock: Check<Subject> = {
  name: 'clock',
  needs: ['api'],
  async run({ rest }) {
    const before = Date.now();
    const { headers } = await rest.ask('GET', '/health');
    const here = (before + Date.now()) / 2;
    const there = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(there)) return skipped('the server does not tell its time');
    // The header has whole seconds, cut.
    const apart = Math.round((there + 500 - here) / 1000);
    if (Math.abs(apart) <= MOST_S) return ok(`${Math.abs(apart)} s from the server`);
    const direction = apart > 0 ? 'behind' : 'ahead of';
    return warning(
      `this machine is ${Math.abs(apart)} s ${direction} the server`,
      'Synchronise both: timedatectl set-ntp true',
    );
  },
};
