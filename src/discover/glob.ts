/**
 * Builds a test for a workspace pattern as npm, yarn and pnpm write them: `*` within a folder name,
 * `**` for any depth, `{a,b}`; a leading `./` and a trailing slash mean nothing.
 */
export function workspaceGlob(pattern: string): RegExp {
  const clean = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  let source = '';
  for (const part of clean.split(/(\*\*\/?|\*|\?|[{},])/)) {
    if (part === '**/') source += '(?:.*/)?';
    else if (part === '**') source += '.*';
    else if (part === '*') source += '[^/]*';
    else if (part === '?') source += '[^/]';
    else if (part === '{') source += '(?:';
    else if (part === '}') source += ')';
    else if (part === ',') source += '|';
    else source += part.replace(/[.+^$()|[\]\\]/g, '\\$&');
  }
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return /(?!)/;
  }
}
