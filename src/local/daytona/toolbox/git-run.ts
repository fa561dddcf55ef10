import { EngineError } from '../../engine/errors.ts';
import { DaytonaFailure } from '../errors.ts';
import type { Box } from './box.ts';
import { textOf } from './output.ts';

export interface GitOptions {
  /** Folder of the repository. */
  path: string;
  /** For a remote that asks who one is. */
  username?: string | undefined;
  password?: string | undefined;
  skipTls?: boolean | undefined;
  input?: string;
}

/** What clients can tell apart (toolbox.json `DaemonErrorCode`), by what git says; the first counts. */
const FAILURES: readonly (readonly [RegExp, number, string])[] = [
  [/not a git repository|no such repo/i, 404, 'GIT_REPO_NOT_FOUND'],
  [/returned error: 403/i, 403, 'FORBIDDEN'],
  [
    /authentication failed|could not read (?:user|pass)|returned error: 401|permission denied \(publickey/i,
    401,
    'GIT_AUTH_FAILED',
  ],
  [/remote branch .* not found|couldn't find remote ref/i, 404, 'GIT_BRANCH_NOT_FOUND'],
  [
    /repository .*not found|does not appear to be a git repository|repository .*does not exist|no such remote/i,
    404,
    'GIT_REPO_NOT_FOUND',
  ],
  [
    /could not resolve host|failed to connect|couldn't connect|connection (?:refused|timed out)|ssl|tls|unable to access/i,
    502,
    'GIT_TRANSPORT_FAILED',
  ],
  [/hook declined|remote rejected/i, 422, 'GIT_REMOTE_REJECTED'],
  [
    /non-fast-forward|fetch first|\[rejected\]|not possible to fast-forward|diverging/i,
    409,
    'GIT_PUSH_REJECTED',
  ],
  [/would be overwritten|local changes|uncommitted changes|unstaged/i, 409, 'GIT_DIRTY_WORKTREE'],
  [/^conflict|merge conflict|unmerged/im, 409, 'GIT_MERGE_CONFLICT'],
  [/a branch named .* already exists/i, 409, 'GIT_BRANCH_EXISTS'],
  [/already exists|not an empty directory/i, 409, 'CONFLICT'],
  [/nothing to commit|nothing added to commit|no changes added/i, 409, 'CONFLICT'],
  [
    /branch .*not found|did not match any|unknown revision|not a valid (?:object|ref|branch)|invalid reference|bad revision|does not have any commits/i,
    404,
    'GIT_BRANCH_NOT_FOUND',
  ],
];

/**
 * Runs git in the sandbox, as its user. Arguments are never read by a shell, and credentials are
 * variables, so that no list of processes shows them.
 * @returns its standard output
 */
export async function git(box: Box, args: readonly string[], options: GitOptions): Promise<string> {
  const outcome = await tryGit(box, args, options);
  if (outcome.exitCode === 0) return outcome.stdout;
  throw gitFailure(outcome.stderr || outcome.stdout);
}

export async function tryGit(
  box: Box,
  args: readonly string[],
  options: GitOptions,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const process = await box
    .spawn({
      argv: ['git', ...args],
      cwd: options.path,
      env: { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...configEnv(configOf(options)) },
      stdin: true,
    })
    .catch((error: unknown) => {
      if (error instanceof EngineError && error.code === 'bad-cwd') {
        throw new DaytonaFailure(404, 'repository does not exist', 'GIT_REPO_NOT_FOUND');
      }
      throw error;
    });
  process
    .write(options.input ?? '')
    .then(() => process.closeStdin())
    .catch(() => undefined);
  const [stdout, stderr] = await Promise.all([textOf(process.stdout), textOf(process.stderr)]);
  return { exitCode: (await process.exit).exitCode, stdout, stderr };
}

function configOf({ username, password, skipTls }: GitOptions): [string, string][] {
  // The service's own git does not look at who owns a repository.
  const config: [string, string][] = [['safe.directory', '*']];
  if (skipTls === true) config.push(['http.sslVerify', 'false']);
  if (username !== undefined || password !== undefined) {
    const pair = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
    config.push(['http.extraHeader', `Authorization: Basic ${pair}`]);
  }
  return config;
}

function configEnv(config: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: `${config.length}`, ...Object.fromEntries(pairs) };
}

function gitFailure(said: string): DaytonaFailure {
  const message = said.trim() || 'git failed without saying why';
  const known = FAILURES.find(([pattern]) => pattern.test(message));
  return new DaytonaFailure(known?.[1] ?? 500, message, known?.[2]);
}
