import type { Entry } from '../../engine/files.ts';

const KIND = { file: '-', directory: 'd', symlink: 'L', other: '?' } as const;

/** toolbox.json `FileInfo`: owners are numbers, times are Go's. */
export function fileInfo(entry: Entry, path?: string): Record<string, unknown> {
  const modified = new Date(entry.mtimeMs);
  return {
    name: entry.name,
    ...(path === undefined ? {} : { path }),
    size: entry.size,
    mode: modeText(entry),
    modTime: goTime(modified),
    modifiedAt: modified.toISOString(),
    isDir: entry.type === 'directory',
    owner: `${entry.uid}`,
    group: `${entry.gid}`,
    permissions: `0${(entry.mode & 0o777).toString(8).padStart(3, '0')}`,
  };
}

/** As Go writes modes: the kind, then three times `rwx`. */
function modeText({ type, mode }: Entry): string {
  const bits = [...(mode & 0o777).toString(2).padStart(9, '0')];
  const rights = bits.map((bit, index) => (bit === '1' ? 'rwx'[index % 3] : '-')).join('');
  const special = [
    [0o4000, 'u'],
    [0o2000, 'g'],
    [0o1000, 't'],
  ] as const;
  const extra = special.map(([bit, letter]) => ((mode & bit) === 0 ? '' : letter)).join('');
  const kind = KIND[type];
  // Go writes the kind only where there is something to say, and letters for special bits before.
  if (extra === '') return `${kind}${rights}`;
  return `${kind === '-' ? '' : kind}${extra}${rights}`;
}

function goTime(date: Date): string {
  const [day, time = ''] = date.toISOString().split('T');
  return `${day} ${time.replace('Z', '')} +0000 UTC`;
}

/** Go's `filepath.Match`: `*` and `?` stop at a slash, `[a-z]`, `[^a]`, backslash escapes. */
export function matches(pattern: string): (name: string) => boolean {
  let source = '';
  for (let index = 0; index < pattern.length; index++) {
    const letter = pattern[index] as string;
    if (letter === '*') source += '[^/]*';
    else if (letter === '?') source += '[^/]';
    else if (letter === '[') {
      const end = pattern.indexOf(']', index + (pattern[index + 1] === '^' ? 3 : 2));
      // A pattern that is wrong matches nothing.
      if (end < 0) return () => false;
      source += `[${pattern.slice(index + 1, end)}]`;
      index = end;
    } else {
      const literal = letter === '\\' && index + 1 < pattern.length ? pattern[++index] : letter;
      source += (literal as string).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    }
  }
  try {
    const regex = new RegExp(`^${source}$`, 'su');
    return (name) => regex.test(name);
  } catch {
    return () => false;
  }
}
