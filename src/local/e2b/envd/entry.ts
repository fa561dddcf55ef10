import { posix } from 'node:path';
import type { Entry } from '../../engine/files.ts';
import type { LiveSandbox } from '../live-sandbox.ts';

/** `filesystem.EntryInfo`, in protobuf's JSON. */
export interface EntryInfo {
  name: string;
  type?: 'FILE_TYPE_FILE' | 'FILE_TYPE_DIRECTORY' | 'FILE_TYPE_SYMLINK';
  path: string;
  size: string;
  mode: number;
  permissions: string;
  owner: string;
  group: string;
  modifiedTime: string;
  symlinkTarget?: string;
  metadata?: Readonly<Record<string, string>>;
}

/**
 * Describes an entry as envd does: of a link the type and mode are those of what it leads to, and
 * its target is the end of the chain, or itself when there is none.
 */
export async function entryInfo(sandbox: LiveSandbox, entry: Entry): Promise<EntryInfo> {
  const target = entry.type === 'symlink' ? await follow(sandbox, entry) : entry;
  const metadata = sandbox.metadata.get(entry.path);
  const type = target === undefined ? {} : typeOf(target);
  return {
    name: entry.name,
    ...type,
    path: entry.path,
    size: `${entry.size}`,
    mode: target?.mode === undefined ? 0 : target.mode & 0o777,
    permissions: permissions(entry),
    owner: entry.owner,
    group: entry.group,
    modifiedTime: new Date(entry.mtimeMs).toISOString(),
    ...(entry.type === 'symlink' ? { symlinkTarget: target?.path ?? entry.path } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

const MAX_LINKS = 40;

async function follow(sandbox: LiveSandbox, link: Entry): Promise<Entry | undefined> {
  let entry = link;
  for (let count = 0; entry.symlinkTarget !== undefined; count++) {
    if (count === MAX_LINKS) return undefined;
    const next = posix.resolve(posix.dirname(entry.path), entry.symlinkTarget);
    try {
      entry = await sandbox.engine.files.stat(next);
    } catch {
      return undefined;
    }
  }
  return entry;
}

function typeOf({ type }: Entry): { type?: NonNullable<EntryInfo['type']> } {
  if (type === 'file') return { type: 'FILE_TYPE_FILE' };
  if (type === 'directory') return { type: 'FILE_TYPE_DIRECTORY' };
  return type === 'symlink' ? { type: 'FILE_TYPE_SYMLINK' } : {};
}

/** As Go's `FileMode` prints them: an `L` for links, not the `l` of `ls`. */
function permissions({ type, mode }: Entry): string {
  const kind = { file: '-', directory: 'd', symlink: 'L', other: '-' }[type];
  const bits = [...'rwxrwxrwx'].map((letter, index) => (mode & (1 << (8 - index)) ? letter : '-'));
  return `${kind}${bits.join('')}`;
}
