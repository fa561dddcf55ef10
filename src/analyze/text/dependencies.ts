import type { TextMatch } from './match.ts';

/** In a manifest the dependency itself is reported under another rule; its name alone is not news. */
export function isDependencyEntry(_text: string, match: TextMatch): boolean {
  return match.rule === 'DT112' || match.rule === 'DT906';
}
