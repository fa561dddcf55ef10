import type { GitFileStatus, GitStatus } from '../provider/git.ts';

/** Reads `git status --porcelain=v2 --branch -z`. */
export function parseStatus(output: string): GitStatus {
  const records = output.split('\0');
  const headers = new Map<string, string>();
  const files: GitFileStatus[] = [];
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? '';
    const header = /^# branch\.(\w+) (.*)$/.exec(record);
    if (header !== null) {
      headers.set(header[1] ?? '', header[2] ?? '');
    } else if (record.startsWith('2 ')) {
      // Of a rename: what it was called before is the next record.
      at += 1;
      files.push({ ...fileOf(record), from: records[at] ?? '' });
    } else if (/^[1u?] /.test(record)) {
      files.push(fileOf(record));
    }
  }
  const head = headers.get('head');
  const upstream = headers.get('upstream');
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(headers.get('ab') ?? '') ?? [];
  const detached = head === '(detached)';
  return {
    ...(detached || head === undefined ? {} : { branch: head }),
    detached,
    ...(upstream === undefined ? {} : { upstream }),
    ahead: Number(ahead ?? 0),
    behind: Number(behind ?? 0),
    files,
  };
}

/** Fields before the path, by the kind of record. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

function fileOf(record: string): GitFileStatus {
  const [kind = '', letters = '', ...others] = record.split(' ');
  if (kind === '?') return { path: record.slice(2), index: '?', worktree: '?' };
  const path = others.slice((FIELDS[kind] ?? 0) - 2).join(' ');
  const [index = ' ', worktree = ' '] = letters.replaceAll('.', ' ');
  return { path, index, worktree };
}
