/** Words for the letters of git, as the daemon has them from go-git (toolbox.json `Status`). */
const WORDS: Readonly<Record<string, string>> = {
  '.': 'Unmodified',
  M: 'Modified',
  T: 'Modified',
  A: 'Added',
  D: 'Deleted',
  R: 'Renamed',
  C: 'Copied',
  U: 'Updated but unmerged',
  '?': 'Untracked',
};

export interface FileStatus {
  name: string;
  staging: string;
  worktree: string;
  /** The former name of what was renamed. */
  extra: string;
}

export interface GitStatus {
  currentBranch: string;
  detached: boolean;
  upstream?: string;
  branchPublished: boolean;
  ahead?: number;
  behind?: number;
  fileStatus: FileStatus[];
}

/** Reads `git status --porcelain=v2 --branch -z`. */
export function parseStatus(output: string): GitStatus {
  const status: GitStatus = {
    currentBranch: '',
    detached: false,
    branchPublished: false,
    fileStatus: [],
  };
  const lines = output.split('\0');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.startsWith('# ')) header(status, line.slice(2));
    else if (line.startsWith('? ')) status.fileStatus.push(file('??', line.slice(2)));
    else {
      // How many fields stand before the name depends on the kind of line.
      const fields = { '1': 8, '2': 9, u: 10 }[line[0] ?? ''];
      if (fields === undefined) continue;
      const words = line.split(' ');
      const name = words.slice(fields).join(' ');
      const isRenamed = line[0] === '2';
      status.fileStatus.push(file(words[1] ?? '..', name, isRenamed ? lines[++index] : ''));
    }
  }
  return status;
}

function header(status: GitStatus, line: string): void {
  const [key = '', ...rest] = line.split(' ');
  const value = rest.join(' ');
  if (key === 'branch.head') {
    status.detached = value === '(detached)';
    status.currentBranch = status.detached ? 'HEAD' : value;
  } else if (key === 'branch.upstream') {
    status.upstream = value;
  } else if (key === 'branch.ab') {
    // Only there when the upstream is known here, too.
    status.branchPublished = true;
    const [ahead = '0', behind = '0'] = rest;
    status.ahead = Number(ahead);
    status.behind = Math.abs(Number(behind));
  }
}

function file(letters: string, name: string, extra = ''): FileStatus {
  const [staging = '.', worktree = '.'] = letters;
  return {
    name,
    staging: WORDS[staging] ?? 'Unmodified',
    worktree: WORDS[worktree] ?? 'Unmodified',
    extra,
  };
}
