import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

/** What `git ls-files` knows about one work tree; paths are relative to it, unsorted, with repeats. */
export interface GitListing {
  files: string[];
  symlinks: string[];
  /** Submodules and untracked nested repositories: listed by git as one entry each. */
  nested: string[];
  /** Folders git could not look into; what they hold is unknown. */
  closed: string[];
}

const ARGUMENTS = [
  // A scanned repository is not trusted: its configuration must not start programs.
  '-c',
  'core.fsmonitor=false',
  '--literal-pathspecs',
  'ls-files',
  '-z',
  '-t',
  '--stage',
  '--cached',
  '--others',
  '--deleted',
  '--exclude-standard',
];

/** Variables a git hook sets for its own repository; they would redirect the listing of another. */
const HOOK_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
];

/** The nearest folder at or above `dir` that holds a `.git` (a folder, or a file in worktrees). */
export function findWorkTree(dir: string): string | undefined {
  for (let current = dir; ; current = dirname(current)) {
    if (existsSync(join(current, '.git'))) return current;
    if (dirname(current) === current) return undefined;
  }
}

/**
 * Lists a work tree with one git process, below the given relative paths only (none: all of it).
 * Resolves to undefined when git is missing or refuses (broken repository, "dubious ownership").
 */
export function gitList(
  top: string,
  pathspecs: readonly string[],
): Promise<GitListing | undefined> {
  return new Promise((resolve) => {
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      GIT_OPTIONAL_LOCKS: '0',
      // Of a broken repository, git would tell what the one above it says.
      GIT_CEILING_DIRECTORIES: dirname(top),
      LC_ALL: 'C',
    };
    for (const name of HOOK_VARIABLES) delete env[name];
    const child = spawn('git', [...ARGUMENTS, '--', ...pathspecs], {
      cwd: top,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const parser = new ListingParser();
    child.stdout.on('data', (chunk: Buffer) => parser.add(chunk));
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (complaints.length < MOST_COMPLAINTS) complaints += chunk;
    });
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => {
      resolve(code === 0 ? { ...parser.finish(), closed: closedFolders(complaints) } : undefined);
    });
  });
}

/** Characters of what git complains about that are kept. */
const MOST_COMPLAINTS = 1024 * 1024;

/** Git goes on past a folder it may not read and only says so. */
function closedFolders(complaints: string): string[] {
  const said = complaints.matchAll(/^warning: could not open directory '(.+)\/': /gm);
  return [...said].map((match) => match[1] ?? '');
}

/**
 * Reads `ls-files -z -t --stage` while it streams. A record is `H 100644 <id> 0<TAB>path` for an
 * index entry, `R …` once more for one whose file is gone, and `? path` for an untracked file.
 */
class ListingParser {
  readonly #decoder = new StringDecoder('utf8');
  readonly #files: string[] = [];
  readonly #symlinks: string[] = [];
  readonly #nested: string[] = [];
  readonly #deleted = new Set<string>();
  #rest = '';

  add(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  finish(): Omit<GitListing, 'closed'> {
    this.#take(this.#decoder.end());
    const deleted = this.#deleted;
    const files =
      deleted.size === 0 ? this.#files : this.#files.filter((file) => !deleted.has(file));
    return { files, symlinks: this.#symlinks, nested: this.#nested };
  }

  #take(text: string): void {
    const data = this.#rest === '' ? text : this.#rest + text;
    let start = 0;
    for (let end = data.indexOf('\0'); end >= 0; end = data.indexOf('\0', start)) {
      this.#record(data.slice(start, end));
      start = end + 1;
    }
    this.#rest = data.slice(start);
  }

  #record(record: string): void {
    if (record.startsWith('?')) {
      if (record.endsWith('/')) this.#nested.push(record.slice(2, -1));
      else this.#files.push(record.slice(2));
      return;
    }
    const path = record.slice(record.indexOf('\t') + 1);
    if (record.startsWith('R')) this.#deleted.add(path);
    else if (record.startsWith('160000', 2)) this.#nested.push(path);
    else if (record.startsWith('120000', 2)) this.#symlinks.push(path);
    else this.#files.push(path);
  }
}
