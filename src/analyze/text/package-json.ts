import { matchPackage } from '../../catalog/packages.ts';
import { jsonStrings } from '../../jsonc.ts';
import { matchText, type TextMatch } from './match.ts';

/** Sections that describe the package or list others; dependencies are read with the manifests. */
const QUIET =
  /^(?:name|version|description|keywords|author|contributors|maintainers|repository|homepage|bugs|funding|license|(?:dev|peer|optional)?[dD]ependencies(?:Meta)?|bundle(?:d)?Dependencies|overrides|resolutions|pnpm|catalogs?|workspaces|exports|imports|files|bin|main|module|types)$/;

/** Couplings of a package.json outside its dependency lists: scripts and tool settings. */
export function packageJsonMatches(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  for (const { path, text: value, start, end, isKey } of jsonStrings(text)) {
    if (!/daytona/i.test(value) || QUIET.test(path[0] ?? (isKey ? value : ''))) continue;
    if (matchPackage(value) !== undefined) {
      found.push({ rule: 'DT112', start, end, confidence: 'likely' });
    } else if (path[0] !== 'scripts' || !isKey) {
      const inside = matchText(value, 'file');
      for (const match of inside) {
        found.push({ ...match, start: match.start + start, end: match.end + start });
      }
    }
  }
  return found;
}
