import { type Check, ok, problem } from '../check.ts';
import { type Subject, shownSettings } from '../subject.ts';

/** What is configured, and whether anything is missing without which nothing can be asked. */
export const settings: Check<Subject> = {
  name: 'settings',
  run(subject) {
    const { kind, apiKey, isLocalServer } = subject;
    const { apiUrl, dataUrl, template } = shownSettings(subject);
    const needsKey = kind !== 'cube' || isLocalServer;
    if (needsKey && apiKey.value === undefined) {
      return problem(`${apiUrl}, but no key is set`, `Set ${apiKey.where}`);
    }
    const parts = [
      apiUrl,
      ...(dataUrl === null || dataUrl === apiUrl ? [] : [`sandboxes through ${dataUrl}`]),
      `template ${template ?? 'not set'}`,
      `key ${apiKey.value === undefined ? 'not set' : 'set'}`,
    ];
    return ok(parts.join(', '));
  },
};
