import { spawn } from 'node:child_process';
import { dirname, join, relative } from 'node:path';
import { findWorkTree } from '../discover/git.ts';
import { toSlashes } from '../discover/paths.ts';
import { realName, realRoot } from './paths.ts';

/** Why git could not give back what a file holds now. */
export type DirtyState = 'modified' | 'staged' | 'unmerged' | 'untracked' | 'ignored';

export interface GitCheck {
  /** Files with content that is in no commit. */
  dirty: { file: string; state: DirtyState }[];
  /**
   * Files of which git says nothing. `no-repository`: they are in none. `no-answer`: git is missing,
   * or it refuses to look into the repository.
   */
  unknown: { file: string; reason: 'no-repository' | 'no-answer' }[];
}

/**
 * Asks git which of some files have changes that are in no commit. Of files that are in neither list
 * git has all that they hold.
 * @throws {RewriteError} `refused` for a path that leads out of the root.
 */
export async function checkCommitted(root: string, files: readonly string[]): Promise<GitCheck> {
  const real = realRoot(root);
  const check: GitCheck = { dirty: [], unknown: [] };
  for (const [top, members] of byWorkTree(real, files)) {
    const states = top === undefined ? undefined : await statesIn(top, [...members.keys()]);
    const reason = top === undefined ? 'no-repository' : 'no-answer';
    for (const [name, file] of members) {
      const state = states?.get(name);
      if (states === undefined) check.unknown.push({ file, reason });
      else if (state !== undefined) check.dirty.push({ file, state });
    }
  }
  return check;
}

/** For each work tree, which may be nested in another, the names of its files and their own. */
function byWorkTree(
  root: string,
  files: readonly string[],
): Map<string | undefined, Map<string, string>> {
  const trees = new Map<string | undefined, Map<string, string>>();
  for (const file of files) {
    const path = join(root, realName(root, file));
    const top = findWorkTree(dirname(path));
    const members = trees.get(top) ?? new Map<string, string>();
    members.set(toSlashes(relative(top ?? root, path)), file);
    trees.set(top, members);
  }
  return trees;
}

async function statesIn(
  top: string,
  names: readonly string[],
): Promise<Map<string, DirtyState> | undefined> {
  const states = new Map<string, DirtyState>();
  for (const part of inParts(names)) {
    const output = await gitStatus(top, part);
    if (output === undefined) return undefined;
    for (const [name, state] of parseStatus(output)) states.set(name, state);
  }
  return states;
}

/** What one command line takes on every system, with room for the program and its options. */
const MOST_CHARACTERS = 20_000;

/** `git status` reads no list of paths from a file, so long ones are cut into several commands. */
function* inParts(names: readonly string[]): Generator<string[]> {
  let part: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length + 1;
    if (length > MOST_CHARACTERS && part.length > 0) {
      yield part;
      part = [];
      length = name.length + 1;
    }
    part.push(name);
  }
  if (part.length > 0) yield part;
}

const ARGUMENTS = [
  // As when files are listed: the repository's configuration must not start programs.
  '-c',
  'core.fsmonitor=false',
  '--literal-pathspecs',
  'status',
  '--porcelain=v2',
  '-z',
  '--untracked-files=all',
  '--ignored=traditional',
];

/** Resolves to undefined when git is missing or refuses. */
function gitStatus(top: string, names: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    // What a hook sets for its own repository would redirect the question to that one.
    const kept = Object.entries(process.env).filter(([name]) => !/^GIT_(?!CONFIG)/.test(name));
    const child = spawn('git', [...ARGUMENTS, '--', ...names], {
      cwd: top,
      env: {
        ...Object.fromEntries(kept),
        GIT_OPTIONAL_LOCKS: '0',
        // Of a broken repository, git would tell what the one above it says.
        GIT_CEILING_DIRECTORIES: dirname(top),
        LC_ALL: 'C',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => resolve(code === 0 ? output : undefined));
  });
}

/** How many fields stand before the path in a record of a file that git tracks. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

/** Reads the records of `git status --porcelain=v2 -z`. */
function* parseStatus(output: string): Generator<[string, DirtyState]> {
  const records = output.split('\0');
  for (let i = 0; i < records.length; i++) {
    const record = records[i] ?? '';
    const kind = record.charAt(0);
    if (kind === '?') yield [record.slice(2), 'untracked'];
    else if (kind === '!') yield [record.slice(2), 'ignored'];
    const fields = FIELDS[kind];
    if (fields === undefined) continue;
    const path = record.split(' ').slice(fields).join(' ');
    const inWorkTree = record.charAt(3) !== '.';
    yield [path, kind === 'u' ? 'unmerged' : inWorkTree ? 'modified' : 'staged'];
    // A record of a renamed file is followed by its old name.
    if (kind === '2') i++;
  }
}
