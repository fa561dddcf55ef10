import type { CallOptions } from '../provider/create.ts';
import { SandboxError, type SandboxErrorCode } from '../provider/errors.ts';
import type {
  GitAddOptions,
  GitBranches,
  GitCloneOptions,
  GitCommitOptions,
  GitCredentials,
  GitPullOptions,
  GitPushOptions,
  GitStatus,
  SandboxGit,
} from '../provider/git.ts';
import type { ExecResult } from '../provider/process.ts';
import { C_LOCALE, type Shell } from './command.ts';
import { parseStatus } from './git-status.ts';
import { quote, quotePath } from './quote.ts';

type Env = Readonly<Record<string, string>>;

/** It must never wait for somebody to type. */
const QUIET: Env = { ...C_LOCALE, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '' };

/** What git says, where it can mean one thing only. */
const WORDS: readonly (readonly [RegExp, SandboxErrorCode])[] = [
  [/Authentication failed for|could not read (?:Username|Password) for/, 'unauthorized'],
  [/Permission denied \(publickey/, 'unauthorized'],
  [/not a git repository/, 'not_found'],
  [/cannot change to '.*': No such file or directory/s, 'not_found'],
  [/[Rr]epository '.*' (?:not found|does not exist)/s, 'not_found'],
  [/Remote branch .* not found in upstream/s, 'not_found'],
  [/pathspec '.*' did not match any file/s, 'not_found'],
  [/branch '.*' not found/s, 'not_found'],
  [/invalid reference: /, 'not_found'],
];

/**
 * Repositories of a sandbox through its own `git`, 2.31 or newer, for backends that have no calls for
 * it. Names and passwords go to git in variables of the one command and are not stored.
 */
export class ShellGit implements SandboxGit {
  readonly #shell: Shell;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  async clone(url: string, options: GitCloneOptions = {}): Promise<void> {
    const { path, branch, depth } = options;
    const words = [
      'git clone --quiet',
      ...(branch === undefined ? [] : [`--branch ${quoteRef(branch)}`]),
      ...(depth === undefined ? [] : [`--depth ${checkDepth(depth)}`]),
      `-- ${quote(url)}`,
      ...(path === undefined ? [] : [quotePath(path)]),
    ];
    await this.#run(words.join(' '), options, credentials(options));
  }

  async status(path: string, options: CallOptions = {}): Promise<GitStatus> {
    const command = 'status --porcelain=v2 --branch --untracked-files=all -z';
    const { stdout } = await this.#in(path, command, options);
    return parseStatus(stdout);
  }

  async branches(path: string, options: CallOptions = {}): Promise<GitBranches> {
    const git = `git -C ${quotePath(path)}`;
    // The branch that is checked out need not exist yet, so it is asked for apart.
    const head = `{ ${git} symbolic-ref --quiet HEAD || :; }`;
    const all = `${git} for-each-ref --format=${quote('=%(refname)')} refs/heads`;
    const { stdout } = await this.#run(`${all} && ${head}`, options);
    const lines = stdout.split('\n');
    const branches = lines
      .filter((line) => line.startsWith('='))
      .map((line) => short(line.slice(1)));
    const current = lines.find((line) => line.startsWith(HEADS));
    return { branches, ...(current === undefined ? {} : { current: short(current) }) };
  }

  async createBranch(path: string, name: string, options: CallOptions = {}): Promise<void> {
    await this.#in(path, `branch ${quoteRef(name)}`, options);
  }

  async deleteBranch(path: string, name: string, options: CallOptions = {}): Promise<void> {
    await this.#in(path, `branch --quiet -D ${quoteRef(name)}`, options);
  }

  async checkout(path: string, ref: string, options: CallOptions = {}): Promise<void> {
    await this.#in(path, `checkout --quiet ${quoteRef(ref)} --`, options);
  }

  async add(path: string, { files, ...options }: GitAddOptions = {}): Promise<void> {
    if (files?.length === 0) return;
    const names = files === undefined ? '' : ` -- ${files.map(quote).join(' ')}`;
    await this.#in(path, `add --all${names}`, options, { GIT_LITERAL_PATHSPECS: '1' });
  }

  async commit(
    path: string,
    message: string,
    { authorName, authorEmail, allowEmpty = false, ...options }: GitCommitOptions,
  ): Promise<{ sha: string }> {
    const git = `git -C ${quotePath(path)}`;
    const commit = `${git} commit --quiet${allowEmpty ? ' --allow-empty' : ''} -m ${quote(message)}`;
    const { stdout } = await this.#run(`${commit} && ${git} rev-parse HEAD`, options, {
      GIT_AUTHOR_NAME: authorName,
      GIT_AUTHOR_EMAIL: authorEmail,
      GIT_COMMITTER_NAME: authorName,
      GIT_COMMITTER_EMAIL: authorEmail,
    });
    return { sha: stdout.trim().split('\n').at(-1) ?? '' };
  }

  async push(path: string, options: GitPushOptions = {}): Promise<void> {
    const { remote = 'origin', branch, setUpstream = false } = options;
    const what = branch === undefined ? 'HEAD' : quoteRef(branch);
    const command = `push --quiet${setUpstream ? ' --set-upstream' : ''} ${quoteRef(remote)} ${what}`;
    await this.#in(path, command, options, credentials(options));
  }

  async pull(path: string, options: GitPullOptions = {}): Promise<void> {
    const { branch, remote = branch === undefined ? undefined : 'origin' } = options;
    const from = [remote, branch].filter((name) => name !== undefined).map(quoteRef);
    const command = ['pull --quiet --no-edit', ...from].join(' ');
    await this.#in(path, command, options, credentials(options));
  }

  #in(path: string, command: string, options: CallOptions, env: Env = {}): Promise<ExecResult> {
    return this.#run(`git -C ${quotePath(path)} ${command}`, options, env);
  }

  async #run(command: string, { signal }: CallOptions, env: Env = {}): Promise<ExecResult> {
    const result = await this.#shell.exec(command, { signal, env: { ...QUIET, ...env } });
    if (result.exitCode !== 0) throw this.#error(result);
    return result;
  }

  #error({ exitCode, output }: ExecResult): SandboxError {
    const origin = { provider: this.#shell.provider, sandboxId: this.#shell.id };
    const said = output.trim();
    if (exitCode === 127 && /git: (?:command )?not found/.test(said)) {
      const told = 'There is no git in this sandbox: use a template that has it, or install it';
      return new SandboxError('unsupported', told, origin);
    }
    const code = WORDS.find(([words]) => words.test(said))?.[1] ?? 'conflict';
    const told = said === '' ? `git ended with ${exitCode} and said nothing` : said;
    return new SandboxError(code, told, { ...origin, ...(code === 'conflict' ? UNCLEAR : {}) });
  }
}

/** Whether git would fail again is not known. */
const UNCLEAR = { retryable: 'unknown' } as const;

const HEADS = 'refs/heads/';
const short = (ref: string): string => ref.slice(HEADS.length);

/**
 * Gives git a name and password through variables. Helpers of the template are left out: they would
 * keep what worked.
 */
function credentials({ username, password }: GitCredentials): Env {
  if (username === undefined && password === undefined) return {};
  const answer = `printf 'username=%s\\npassword=%s\\n' "$CUBESHIFT_GIT_NAME" "$CUBESHIFT_GIT_PASSWORD"`;
  return {
    CUBESHIFT_GIT_NAME: username ?? 'git',
    CUBESHIFT_GIT_PASSWORD: password ?? '',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'credential.helper',
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: 'credential.helper',
    GIT_CONFIG_VALUE_1: `!f() { if [ "$1" = get ]; then ${answer}; fi; }; f`,
  };
}

/** @throws {SandboxError} `invalid_argument` for what git would take for an option */
function quoteRef(name: string): string {
  if (name !== '' && !name.startsWith('-')) return quote(name);
  throw new SandboxError('invalid_argument', `"${name}" cannot name a branch, commit or remote`);
}

function checkDepth(depth: number): number {
  if (Number.isInteger(depth) && depth > 0) return depth;
  throw new SandboxError('invalid_argument', `depth is ${depth}: give a whole number from 1 on`);
}
