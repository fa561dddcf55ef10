import { describe, expect, test } from 'vitest';
import {
  assignments,
  DockerfileError,
  execForm,
  parseDockerfile,
  words,
} from '../../../src/local/daytona/dockerfile.ts';
import { isOlder } from '../../../src/local/daytona/sdk-version.ts';
import { fileInfo, matches } from '../../../src/local/daytona/toolbox/file-info.ts';
import { parseStatus } from '../../../src/local/daytona/toolbox/git-status.ts';
import { split, unmarked, unmarker } from '../../../src/local/daytona/toolbox/log-format.ts';
import { quoted } from '../../../src/local/daytona/toolbox/session-script.ts';

describe('Dockerfiles', () => {
  test('are taken apart by instruction, whatever runs over several lines', () => {
    const parsed = parseDockerfile(
      [
        '# a comment',
        'from --platform=linux/amd64 debian:12 AS base',
        '',
        'RUN echo one \\',
        '  # inside',
        '',
        '  && echo two',
        'COPY --chown=1:2 <<A <<"B C" /x/',
        'no',
        'A',
        'RUN <<-END',
        '\t\techo $HOME',
        '\tEND',
        'CMD ["a", "b"]',
      ]
        .join('\r\n')
        // What is quoted and no name is no here-document.
        .replace('<<"B C"', 'file'),
    );
    expect(parsed).toEqual([
      {
        name: 'FROM',
        rest: 'debian:12 AS base',
        flags: { platform: 'linux/amd64' },
        documents: [],
      },
      { name: 'RUN', rest: 'echo one   && echo two', flags: {}, documents: [] },
      { name: 'COPY', rest: '<<A file /x/', flags: { chown: '1:2' }, documents: ['no\n'] },
      { name: 'RUN', rest: '<<-END', flags: {}, documents: ['echo $HOME\n'] },
      { name: 'CMD', rest: '["a", "b"]', flags: {}, documents: [] },
    ]);
    expect(execForm('["a", "b"]')).toEqual(['a', 'b']);
    expect(execForm('[ -f x ] && echo')).toBeUndefined();
  });

  test('that are not what they should be are refused', () => {
    expect(() => parseDockerfile('RUN <<EOF\nnever ends')).toThrow(DockerfileError);
    expect(() => parseDockerfile('{ "json": 1 }')).toThrow(DockerfileError);
  });

  test('words and variables are read as Docker reads them', () => {
    const known = { A: 'one two', EMPTY: '' };
    expect(
      words(`plain "$A" '$A' $A\\ x "\\$A" \${EMPTY:-other} \${A:+set} \${NONE}`, known),
    ).toEqual(['plain', 'one two', '$A', 'one two x', '$A', 'other', 'set', '']);
    expect(assignments(`K='v 1' L="$A" M=`, known)).toEqual([
      ['K', 'v 1'],
      ['L', 'one two'],
      ['M', ''],
    ]);
    expect(assignments('OLD form  of $A', known)).toEqual([['OLD', 'form  of one two']]);
  });
});

test('names match as in Go', () => {
  const matching = (pattern: string, ...names: string[]): string[] =>
    names.filter(matches(pattern));
  expect(matching('*.txt', 'a.txt', '.txt', 'a.txt.gz')).toEqual(['a.txt', '.txt']);
  expect(matching('file-[0-9]?', 'file-1x', 'file-a1', 'file-1')).toEqual(['file-1x']);
  expect(matching('[^a]*', 'ab', 'ba')).toEqual(['ba']);
  expect(matching('a\\*(b)+$', 'a*(b)+$', 'aX(b)+$')).toEqual(['a*(b)+$']);
  expect(matching('?', 'é', '名', '😀', 'ab')).toEqual(['é', '名', '😀']);
  expect(matching('[', '[')).toEqual([]);
});

test('modes are written as by Go', () => {
  const mode = (type: 'file' | 'directory' | 'symlink', bits: number): unknown => {
    const entry = { name: 'n', path: '/n', type, size: 0, mode: bits, uid: 1, gid: 2, owner: 'o' };
    return fileInfo({ ...entry, group: 'g', mtimeMs: 0 }).mode;
  };
  expect(mode('file', 0o644)).toBe('-rw-r--r--');
  expect(mode('directory', 0o755)).toBe('drwxr-xr-x');
  expect(mode('directory', 0o1777)).toBe('dtrwxrwxrwx');
  expect(mode('file', 0o4755)).toBe('urwxr-xr-x');
});

test('logs are taken apart by their marks', () => {
  const log = Buffer.from('lost\x01\x01\x01out\n\x02\x02\x02err\n\x01\x01\x01more\n');
  expect(split(log)).toMatchObject({ stdout: 'out\nmore\n', stderr: 'err\n' });
  expect(unmarked(log).toString()).toBe('lostout\nerr\nmore\n');
  for (let cut = 0; cut <= log.length; cut++) {
    const take = unmarker();
    const pieces = [log.subarray(0, cut), log.subarray(cut)].map(take);
    expect(Buffer.concat(pieces).toString()).toBe('lostout\nerr\nmore\n');
  }
  expect(split(Buffer.alloc(0))).toEqual({ output: '', stdout: '', stderr: '' });
});

test('the state of a repository is read from what git prints', () => {
  const lines = [
    '# branch.oid 0123',
    '# branch.head (detached)',
    '1 .M N... 100644 100644 100644 a b with space',
    '2 R. N... 100644 100644 100644 a b R100 new',
    'old name',
    'u UU N... 100644 100644 100644 100644 a b c both',
    '? un tracked',
    '',
  ];
  expect(parseStatus(lines.join('\0'))).toEqual({
    currentBranch: 'HEAD',
    detached: true,
    branchPublished: false,
    fileStatus: [
      { name: 'with space', staging: 'Unmodified', worktree: 'Modified', extra: '' },
      { name: 'new', staging: 'Renamed', worktree: 'Unmodified', extra: 'old name' },
      {
        name: 'both',
        staging: 'Updated but unmerged',
        worktree: 'Updated but unmerged',
        extra: '',
      },
      { name: 'un tracked', staging: 'Untracked', worktree: 'Untracked', extra: '' },
    ],
  });
});

test('words for shells and versions of SDKs', () => {
  expect(quoted("it's")).toBe("'it'\\''s'");
  expect(isOlder([0, 99, 9], [0, 132, 0])).toBe(true);
  expect(isOlder([0, 132, 0], [0, 132, 0])).toBe(false);
  expect(isOlder([1, 0, 0], [0, 132, 0])).toBe(false);
});
