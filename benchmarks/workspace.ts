import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateTree, type Tree } from './tree.ts';

/**
 * Makes the folder everything generated goes into. It is new for each run, so nothing stale is ever
 * measured, and it is gone when the process ends, also after Ctrl+C.
 */
export function openWorkspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cubeshift-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  return folder;
}

export interface TreeSpec {
  name: string;
  files: number;
  coupled: number;
  /** Whether the tree is a git repository with everything committed. */
  git: boolean;
}

/** A generated tree on disk. */
export interface PlantedTree extends Tree, Omit<TreeSpec, 'files' | 'coupled'> {}

/** Writes a tree below the workspace. */
export function plantTree(workspace: string, spec: TreeSpec): PlantedTree {
  const root = join(workspace, spec.name.replaceAll(/\W+/g, '-'));
  mkdirSync(root);
  const tree = generateTree(root, spec.files, spec.coupled);
  if (spec.git) commitAll(root);
  return { ...tree, name: spec.name, git: spec.git };
}

/** Turns a folder into a repository with one commit, whatever git settings the user has. */
function commitAll(root: string): void {
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid'];
    execFileSync('git', [...identity, '-c', 'commit.gpgsign=false', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  };
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--no-verify', '--message', 'Generated tree');
}
