import type { GitStatus as NativeStatus } from '@daytonaio/sdk';
import type { CallOptions } from '../../provider/create.ts';
import { unsupported } from '../../provider/errors.ts';
import type {
  GitAddOptions,
  GitBranches,
  GitCloneOptions,
  GitCommitOptions,
  GitFileStatus,
  GitPullOptions,
  GitPushOptions,
  GitStatus,
  SandboxGit,
} from '../../provider/git.ts';
import type { Use } from './files.ts';

/** Repositories by Daytona's own service, for which the template needs no git. */
export class DaytonaGit implements SandboxGit {
  readonly #provider: string;
  readonly #use: Use;
  readonly #absolute: (path: string) => Promise<string>;
  readonly #takesBranches: boolean;

  constructor(
    provider: string,
    use: Use,
    absolute: (path: string) => Promise<string>,
    takesBranches: boolean,
  ) {
    this.#provider = provider;
    this.#use = use;
    this.#absolute = absolute;
    this.#takesBranches = takesBranches;
  }

  async clone(url: string, options: GitCloneOptions = {}): Promise<void> {
    const { branch, depth, username, password, signal } = options;
    const at = await this.#absolute(options.path ?? nameOf(url));
    await this.#use(signal, ({ git }) =>
      git.clone(url, at, branch, undefined, username, password, undefined, depth),
    );
  }

  async status(path: string, { signal }: CallOptions = {}): Promise<GitStatus> {
    const at = await this.#absolute(path);
    return statusOf(await this.#use(signal, ({ git }) => git.status(at)));
  }

  async branches(path: string, { signal }: CallOptions = {}): Promise<GitBranches> {
    const at = await this.#absolute(path);
    const { branches } = await this.#use(signal, ({ git }) => git.branches(at));
    const { branch } = await this.status(path, { signal });
    return { branches, ...(branch === undefined ? {} : { current: branch }) };
  }

  async createBranch(path: string, name: string, { signal }: CallOptions = {}): Promise<void> {
    const at = await this.#absolute(path);
    await this.#use(signal, ({ git }) => git.createBranch(at, name));
  }

  async deleteBranch(path: string, name: string, { signal }: CallOptions = {}): Promise<void> {
    const at = await this.#absolute(path);
    await this.#use(signal, ({ git }) => git.deleteBranch(at, name));
  }

  async checkout(path: string, ref: string, { signal }: CallOptions = {}): Promise<void> {
    const at = await this.#absolute(path);
    await this.#use(signal, ({ git }) => git.checkoutBranch(at, ref));
  }

  async add(path: string, { files = ['.'], signal }: GitAddOptions = {}): Promise<void> {
    const at = await this.#absolute(path);
    await this.#use(signal, ({ git }) => git.add(at, [...files]));
  }

  async commit(
    path: string,
    message: string,
    { authorName, authorEmail, allowEmpty, signal }: GitCommitOptions,
  ): Promise<{ sha: string }> {
    const at = await this.#absolute(path);
    const { sha } = await this.#use(signal, ({ git }) =>
      git.commit(at, message, authorName, authorEmail, allowEmpty),
    );
    return { sha };
  }

  async push(path: string, options: GitPushOptions = {}): Promise<void> {
    const { username, password, branch, remote, setUpstream, signal } = options;
    const at = await this.#absolute(path);
    this.#checkKnown('push', [branch, remote, setUpstream]);
    await this.#use(signal, ({ git }) =>
      git.push(at, username, password, branch, remote, setUpstream),
    );
  }

  async pull(path: string, options: GitPullOptions = {}): Promise<void> {
    const { username, password, branch, remote, signal } = options;
    const at = await this.#absolute(path);
    this.#checkKnown('pull', [branch, remote]);
    await this.#use(signal, ({ git }) => git.pull(at, username, password, branch, remote));
  }

  /** Versions before 0.194 drop what they do not know, and would take another branch. */
  #checkKnown(call: 'push' | 'pull', options: readonly unknown[]): void {
    if (this.#takesBranches || options.every((option) => option === undefined)) return;
    const instead = 'Use version 0.194 or newer, or exec() with git.';
    throw unsupported(this.#provider, `a branch or remote for ${call} with this SDK`, instead);
  }
}

function nameOf(url: string): string {
  const last = url.replace(/\/+$/, '').split(/[/:]/).pop() ?? '';
  return last.replace(/\.git$/, '') || 'repository';
}

/** Words of Daytona for what git writes as a letter. */
const LETTERS: Readonly<Record<string, string>> = {
  Unmodified: ' ',
  Untracked: '?',
  Modified: 'M',
  Added: 'A',
  Deleted: 'D',
  Renamed: 'R',
  Copied: 'C',
  'Updated but unmerged': 'U',
};

function statusOf(native: NativeStatus): GitStatus {
  const { currentBranch, ahead = 0, behind = 0, fileStatus } = native;
  const detached = native.detached ?? currentBranch === 'HEAD';
  const upstream = native.upstream;
  return {
    detached,
    ahead,
    behind,
    files: fileStatus.map(fileOf).sort((a, b) => (a.path < b.path ? -1 : 1)),
    ...(detached || currentBranch === '' ? {} : { branch: currentBranch }),
    ...(upstream === undefined || upstream === '' ? {} : { upstream }),
  };
}

function fileOf({
  name,
  staging,
  worktree,
  extra,
}: NativeStatus['fileStatus'][number]): GitFileStatus {
  return {
    path: name,
    index: LETTERS[staging] ?? staging,
    worktree: LETTERS[worktree] ?? worktree,
    ...(extra === undefined || extra === '' ? {} : { from: extra }),
  };
}
