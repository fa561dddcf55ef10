import type { CallOptions } from './create.ts';

/** A name and password for a remote; used for the one call and not stored. */
export interface GitCredentials {
  username?: string | undefined;
  password?: string | undefined;
}

export interface GitCloneOptions extends GitCredentials, CallOptions {
  /** Where to; the name of the repository by default. */
  path?: string | undefined;
  branch?: string | undefined;
  depth?: number | undefined;
}

export interface GitAddOptions extends CallOptions {
  files?: readonly string[] | undefined;
}

export interface GitCommitOptions extends CallOptions {
  authorName: string;
  authorEmail: string;
  allowEmpty?: boolean | undefined;
}

export interface GitPushOptions extends GitCredentials, CallOptions {
  remote?: string | undefined;
  branch?: string | undefined;
  setUpstream?: boolean | undefined;
}

export interface GitPullOptions extends GitCredentials, CallOptions {
  remote?: string | undefined;
  branch?: string | undefined;
}

/** State of one file, by the letters of `git status --porcelain`: `' '` is unchanged, `'?'` untracked. */
export interface GitFileStatus {
  readonly path: string;
  readonly index: string;
  readonly worktree: string;
  /** Where it was before a rename. */
  readonly from?: string;
}

export interface GitStatus {
  /** Unset when `detached`. */
  readonly branch?: string;
  readonly detached: boolean;
  readonly upstream?: string;
  readonly ahead: number;
  readonly behind: number;
  readonly files: readonly GitFileStatus[];
}

export interface GitBranches {
  readonly branches: readonly string[];
  /** Unset when detached. */
  readonly current?: string;
}

/** Repositories in a sandbox. A command of git that fails is the error `conflict`, with what it said. */
export interface SandboxGit {
  clone(url: string, options?: GitCloneOptions): Promise<void>;
  status(path: string, options?: CallOptions): Promise<GitStatus>;
  branches(path: string, options?: CallOptions): Promise<GitBranches>;
  createBranch(path: string, name: string, options?: CallOptions): Promise<void>;
  deleteBranch(path: string, name: string, options?: CallOptions): Promise<void>;
  /** Of a branch, a tag or a commit. */
  checkout(path: string, ref: string, options?: CallOptions): Promise<void>;
  /** All changes, or those of some files. */
  add(path: string, options?: GitAddOptions): Promise<void>;
  commit(path: string, message: string, options: GitCommitOptions): Promise<{ sha: string }>;
  push(path: string, options?: GitPushOptions): Promise<void>;
  pull(path: string, options?: GitPullOptions): Promise<void>;
}
