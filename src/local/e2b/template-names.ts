import { ApiError } from './errors.ts';

/** The one team of this server: what E2B puts before the names of private templates. */
export const TEAM = 'local';
export const DEFAULT_TAG = 'default';

/** `name:tag`, taken apart. */
export interface TemplateName {
  name: string;
  tag: string | undefined;
}

const PARTS = /^(?:([a-z0-9_-]+)\/)?([a-z0-9_-]+)(?::([a-z0-9_.-]+))?$/;

/**
 * Takes a reference as E2B's clients write it apart: `[team/]name[:tag]`, or an id in the place of
 * the name. Undefined: it is another team's.
 * @throws ApiError 400 for what cannot be one
 */
export function parseName(text: string, what: string): TemplateName | undefined {
  const match = PARTS.exec(text.trim().toLowerCase());
  if (match === null) {
    throw new ApiError(
      400,
      `Invalid ${what}: '${text}' may have lower-case letters, digits, '-' and '_', and a tag after ':'`,
    );
  }
  const [, team, name = '', tag] = match;
  return team === undefined || team === TEAM ? { name, tag } : undefined;
}

/** Aliases of Cube: `^[a-z0-9][a-z0-9-]{0,63}$`, not to be taken for ids. */
export function isCubeAlias(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(text) && !/^(?:tpl|snap)-/.test(text);
}
