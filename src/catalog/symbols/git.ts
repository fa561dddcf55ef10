import { fields, method, property, quiet } from '../define.ts';
import type { MemberEntry, TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, unsupported } from '../verdicts.ts';

const call = (type: string, becomes: string, note?: string, since?: string): MemberEntry =>
  method(type, {
    becomes,
    verdicts: everywhere(adapted(note)),
    ...(since === undefined ? {} : { since }),
  });

/** Calls that came in 0.194 and have no method of their own in the neutral interface. */
const command = (type: string, becomes: string): MemberEntry =>
  method(type, {
    since: '0.194.0',
    becomes,
    fix: 'review',
    verdicts: everywhere(adapted('A git command; read its output.')),
  });

const FIELD = {
  rule: 'DT602',
  fix: 'review',
  verdicts: everywhere(adapted('Same facts under the names of the neutral interface.')),
} as const;

const NONE = 'Promise<void>';

/** `sandbox.git`. Daytona needs no git binary; every target needs one in the template. */
export const GIT: readonly TypeEntry[] = [
  {
    name: 'Git',
    kind: 'class',
    exported: true,
    pyAlso: ['AsyncGit'],
    rule: 'DT601',
    becomes: 'sandbox.git',
    fix: 'automatic',
    verdicts: everywhere(adapted('The template must contain git.')),
    members: {
      clone: method(
        `(url: string, path: string, branch?: string, commitId?: string, username?: string, password?: string, insecureSkipTls?: boolean, depth?: number): ${NONE}`,
        {
          becomes: 'sandbox.git.clone(url, { path, branch, depth, username, password })',
          verdicts: everywhere(adapted('A commit id becomes a checkout after the clone.')),
        },
      ),
      add: call(`(path: string, files: string[]): ${NONE}`, 'sandbox.git.add(path, { files })'),
      branches: call('(path: string): Promise<ListBranchResponse>', 'sandbox.git.branches(path)'),
      createBranch: call(
        `(path: string, name: string): ${NONE}`,
        'sandbox.git.createBranch(path, name)',
        undefined,
        '0.21.5',
      ),
      deleteBranch: call(
        `(path: string, name: string): ${NONE}`,
        'sandbox.git.deleteBranch(path, name)',
        undefined,
        '0.21.5',
      ),
      checkoutBranch: call(
        `(path: string, branch: string): ${NONE}`,
        'sandbox.git.checkoutBranch(path, branch)',
        undefined,
        '0.21.5',
      ),
      commit: method(
        '(path: string, message: string, author: string, email: string, allowEmpty?: boolean): Promise<GitCommitResponse>',
        {
          becomes: 'sandbox.git.commit(path, message, { authorName, authorEmail, allowEmpty })',
          verdicts: everywhere(adapted('The commit id comes from a rev-parse afterwards.')),
        },
      ),
      push: call(
        `(path: string, username?: string, password?: string, branch?: string, remote?: string, setUpstream?: boolean): ${NONE}`,
        'sandbox.git.push(path, { username, password, branch, remote, setUpstream })',
      ),
      pull: call(
        `(path: string, username?: string, password?: string, branch?: string, remote?: string): ${NONE}`,
        'sandbox.git.pull(path, { username, password, branch, remote })',
        'May merge where Daytona only fast-forwards.',
      ),
      status: call('(path: string): Promise<GitStatus>', 'sandbox.git.status(path)'),
      init: command(
        `(path: string, bare?: boolean, initialBranch?: string): ${NONE}`,
        "sandbox.exec('git init …', { cwd })",
      ),
      reset: command(
        `(path: string, mode?: string, target?: string, files?: string[]): ${NONE}`,
        "sandbox.exec('git reset …', { cwd })",
      ),
      restore: command(
        `(path: string, files: string[], staged?: boolean, worktree?: boolean, source?: string): ${NONE}`,
        "sandbox.exec('git restore …', { cwd })",
      ),
      remoteAdd: command(
        `(path: string, name: string, url: string, fetch?: boolean, overwrite?: boolean): ${NONE}`,
        "sandbox.exec('git remote add …', { cwd })",
      ),
      remotes: command(
        '(path: string): Promise<ListRemotesResponse>',
        "sandbox.exec('git remote -v', { cwd })",
      ),
      remoteGet: command(
        '(path: string, name: string): Promise<string>',
        "sandbox.exec('git remote get-url …', { cwd })",
      ),
      setConfig: command(
        `(key: string, value: string, scope?: string, path?: string): ${NONE}`,
        "sandbox.exec('git config …')",
      ),
      getConfig: command(
        '(key: string, scope?: string, path?: string): Promise<string>',
        "sandbox.exec('git config --get …')",
      ),
      configureUser: command(
        `(name: string, email: string, scope?: string, path?: string): ${NONE}`,
        "sandbox.exec('git config user.name …')",
      ),
      dangerouslyAuthenticate: method(
        `(username: string, password: string, host?: string, protocol?: string): ${NONE}`,
        {
          since: '0.194.0',
          becomes: "sandbox.exec('git credential approve')",
          fix: 'manual',
          distinctive: true,
          verdicts: everywhere(
            emulated('Writes the password in plain text into the sandbox, as on Daytona.'),
          ),
        },
      ),
    },
  },
  {
    name: 'GitStatus',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    ...FIELD,
    becomes: 'GitStatus',
    members: {
      currentBranch: property('string', { becomes: 'branch', fix: 'automatic' }),
      fileStatus: property('FileStatus[]', { becomes: 'files' }),
      ahead: property('number', { becomes: 'ahead', fix: 'automatic' }),
      behind: property('number', { becomes: 'behind', fix: 'automatic' }),
      branchPublished: property('boolean', { becomes: 'upstream !== undefined' }),
      detached: property('boolean', {
        since: '0.194.0',
        becomes: 'detached',
        fix: 'automatic',
      }),
      upstream: property('string', { since: '0.194.0', becomes: 'upstream', fix: 'automatic' }),
    },
  },
  {
    name: 'FileStatus',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    ...FIELD,
    becomes: 'GitFileStatus',
    members: {
      ...fields('string', 'name', 'extra'),
      staging: quiet('Status'),
      worktree: quiet('Status'),
    },
  },
  {
    name: 'ListBranchResponse',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    ...FIELD,
    becomes: 'GitBranches',
    members: { branches: property('string[]', { becomes: 'branches' }), current: quiet('string') },
  },
  {
    name: 'GitCommitResponse',
    kind: 'interface',
    exported: false,
    ...FIELD,
    becomes: '{ sha }',
    since: '0.12.0',
    members: { sha: property('string', { becomes: 'sha', fix: 'automatic' }) },
  },
  {
    name: 'ListRemotesResponse',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    since: '0.194.0',
    ...FIELD,
    becomes: null,
    fix: 'manual',
    verdicts: everywhere(unsupported('Parse the output of git remote -v.')),
    members: { remotes: quiet('GitRemote[]') },
  },
  {
    name: 'GitRemote',
    kind: 'interface',
    exported: false,
    client: 'toolbox-api-client',
    since: '0.194.0',
    ...FIELD,
    becomes: null,
    fix: 'manual',
    verdicts: everywhere(unsupported('Parse the output of git remote -v.')),
    members: fields('string', 'name', 'url'),
  },
];
