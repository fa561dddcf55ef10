import { method } from '../define.ts';
import type { MemberEntry } from '../types.ts';
import { adapted, emulated, everywhere, from, split, unsupported } from '../verdicts.ts';

/** SSH access has one fate, whatever part of it is used. */
export const SSH = {
  since: '0.27.0',
  rule: 'DT308',
  becomes: 'sandbox.pty.create({ cols, rows, onData })',
  fix: 'manual',
  verdicts: everywhere(
    unsupported('Open a pseudo-terminal, or run your own SSH server in the template.'),
  ),
} as const;

const SIGNED_FILE = {
  since: '0.201.0',
  rule: 'DT315',
  fix: 'manual',
  verdicts: split(
    adapted('E2B signs such URLs as well; seconds become milliseconds.'),
    unsupported('Cube has no signed file URLs: send the bytes through your own server.'),
  ),
} as const;

const SNAPSHOT = {
  e2b: adapted('Holds memory as well as files; the answer is an id to start from.'),
  cube: adapted('Holds memory as well as files; private to the node unless on the s3 backend.'),
  local: emulated('Holds files only; processes are not part of it.'),
};

/** The other calls on `Sandbox`: labels, snapshots, ports, access, network, environment. */
export const CALLS: Record<string, MemberEntry> = {
  setLabels: method('(labels: Record<string, string>): Promise<Record<string, string>>', {
    rule: 'DT305',
    becomes: 'sandbox.setLabels(labels)',
    verdicts: everywhere(
      emulated('Metadata is fixed at creation: changes live in the ledger and only there.'),
    ),
  }),
  createSnapshot: method('(name: string, timeout?: number): Promise<void>', {
    since: '0.202.0',
    rule: 'DT306',
    becomes: 'sandbox.snapshot({ name })',
    fix: 'review',
    verdicts: SNAPSHOT,
  }),
  _experimental_createSnapshot: method('(name: string, timeout?: number): Promise<void>', {
    since: '0.166.0',
    replacedBy: 'Sandbox.createSnapshot',
    distinctive: true,
  }),
  fork: method('(params?: ForkSandboxParams, timeout?: number): Promise<Sandbox>', {
    since: '0.202.0',
    rule: 'DT306',
    becomes: 'sandbox.fork()',
    fix: 'review',
    verdicts: split(
      adapted('The copy has its own lifetime; a name goes to the ledger.'),
      emulated('Cube has no fork: a snapshot and a create, which pauses the source briefly.'),
    ),
  }),
  _experimental_fork: method('(params?: ForkSandboxParams, timeout?: number): Promise<Sandbox>', {
    since: '0.166.0',
    replacedBy: 'Sandbox.fork',
    distinctive: true,
  }),
  getPreviewLink: method('(port: number): Promise<PortPreviewUrl>', {
    since: '0.12.0',
    rule: 'DT307',
    becomes: 'sandbox.portUrl(port)',
    distinctive: true,
    verdicts: split(
      adapted('Headers replace the token; it stays valid across restarts.'),
      adapted('The port must be exposed by the template, three at most besides the built-in one.'),
    ),
  }),
  getSignedPreviewUrl: method(
    '(port: number, expiresInSeconds?: number): Promise<SignedPortPreviewUrl>',
    {
      since: '0.132.0',
      py: 'create_signed_preview_url',
      rule: 'DT307',
      becomes: 'sandbox.portUrl(port)',
      fix: 'manual',
      distinctive: true,
      verdicts: everywhere(
        unsupported('No expiring URLs: proxy the port and check access in your own server.'),
      ),
    },
  ),
  expireSignedPreviewUrl: method('(port: number, token: string): Promise<void>', {
    since: '0.132.0',
    rule: 'DT307',
    becomes: null,
    fix: 'manual',
    distinctive: true,
    verdicts: everywhere(
      unsupported('No expiring URLs: proxy the port and check access in your own server.'),
    ),
  }),
  downloadUrl: method('(path: string, ttlSeconds?: number): Promise<string>', {
    ...SIGNED_FILE,
    becomes: 'sandbox.native.downloadUrl(path)',
  }),
  uploadUrl: method('(path: string, ttlSeconds?: number): Promise<string>', {
    ...SIGNED_FILE,
    becomes: 'sandbox.native.uploadUrl(path)',
  }),
  rotateSigningKey: method('(): Promise<void>', {
    ...SIGNED_FILE,
    becomes: null,
    verdicts: everywhere(unsupported('Signed URLs cannot be revoked: keep their lifetime short.')),
  }),
  createSshAccess: method('(expiresInMinutes?: number): Promise<SshAccessDto>', {
    ...SSH,
    distinctive: true,
  }),
  revokeSshAccess: method('(token: string): Promise<void>', { ...SSH, distinctive: true }),
  validateSshAccess: method('(token: string): Promise<SshAccessValidationDto>', {
    ...SSH,
    distinctive: true,
  }),
  updateNetworkSettings: method('(settings: UpdateSandboxNetworkSettings): Promise<void>', {
    since: '0.169.0',
    rule: 'DT309',
    becomes: 'sandbox.native.updateNetwork({ … })',
    fix: 'review',
    verdicts: {
      e2b: adapted('Replaces the whole policy: send every key.'),
      cube: from(
        '0.7.0',
        adapted('Replaces the whole policy: send every key.'),
        unsupported('Set the policy at creation; changes need Cube 0.7.0.'),
      ),
      local: emulated('Recorded and reported, not enforced.'),
    },
  }),
  updateEnv: method(
    '(env: Record<string, string>, options?: { unset?: string[] }): Promise<void>',
    {
      since: '0.196.0',
      rule: 'DT312',
      becomes: 'sandbox.exec(cmd, { env })',
      fix: 'manual',
      verdicts: everywhere(unsupported('Pass env with each command.')),
    },
  ),
  updateSecrets: method('(secrets: Record<string, string>): Promise<void>', {
    since: '0.196.0',
    rule: 'DT312',
    becomes: 'sandbox.exec(cmd, { env })',
    fix: 'manual',
    verdicts: everywhere(unsupported('Pass env with each command; the value is then visible.')),
  }),
  getMetrics: method('(start?: Date, end?: Date): Promise<SandboxMetrics[]>', {
    since: '0.199.0',
    rule: 'DT310',
    becomes: 'sandbox.native.getMetrics({ start, end })',
    fix: 'manual',
    verdicts: split(
      adapted('Nearly the same fields.'),
      unsupported("Read the node's Prometheus endpoint; the API has no metrics."),
    ),
  }),
  getMetricsLatest: method('(): Promise<SandboxMetrics>', {
    since: '0.199.0',
    rule: 'DT310',
    becomes: 'sandbox.native.getMetrics()',
    fix: 'manual',
    distinctive: true,
    verdicts: split(
      adapted('Take the last entry.'),
      unsupported("Read the node's Prometheus endpoint; the API has no metrics."),
    ),
  }),
  getUserHomeDir: method('(): Promise<string>', {
    since: '0.103.0',
    rule: 'DT313',
    becomes: "(await sandbox.exec('echo ~')).stdout.trim()",
    fix: 'review',
    verdicts: everywhere(adapted('Another user and home: /home/user by default.')),
  }),
  getWorkDir: method('(): Promise<string>', {
    since: '0.103.0',
    rule: 'DT313',
    becomes: "(await sandbox.exec('pwd')).stdout.trim()",
    fix: 'review',
    verdicts: everywhere(adapted('The home of the user, not the WORKDIR of the image.')),
  }),
  getUserRootDir: method('(): Promise<string>', {
    since: '0.12.0',
    replacedBy: 'Sandbox.getUserHomeDir',
    distinctive: true,
  }),
  getWorkspaceRootDir: method('(): Promise<string>', {
    until: '0.21.0',
    replacedBy: 'Sandbox.getUserHomeDir',
    distinctive: true,
  }),
  createLspServer: method(
    '(languageId: LspLanguageId | string, pathToProject: string): Promise<LspServer>',
    {
      rule: 'DT707',
      becomes: 'sandbox.spawn(serverCommand, { stdin: true })',
      fix: 'manual',
      distinctive: true,
      verdicts: everywhere(
        unsupported('Start the language server as a process and speak the protocol over it.'),
      ),
    },
  ),
  info: method('(): Promise<SandboxInfo>', {
    until: '0.21.0',
    replacedBy: 'Sandbox.refreshData',
    becomes: 'sandbox.info()',
  }),
};
