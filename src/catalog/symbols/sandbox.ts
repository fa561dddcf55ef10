import { fields, fixed, method, optional, property, quiet, typeOnly } from '../define.ts';
import type { MemberEntry, TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, from, native, split, unsupported } from '../verdicts.ts';

/** A field of the cached record; `info()` answers with the same meaning. */
const cached = (type: string, field: string, extra: Partial<MemberEntry> = {}): MemberEntry =>
  optional(type, {
    since: '0.21.0',
    rule: 'DT302',
    becomes: `(await sandbox.info()).${field}`,
    fix: 'review',
    verdicts: everywhere(adapted('Read from the backend or the ledger instead of a cached copy.')),
    ...extra,
  });

/** A field the targets know nothing about. */
const unknown = (type: string, instead: string, extra: Partial<MemberEntry> = {}): MemberEntry =>
  optional(type, {
    since: '0.21.0',
    rule: 'DT302',
    becomes: null,
    fix: 'manual',
    verdicts: everywhere(unsupported(instead)),
    ...extra,
  });

const SERVICE = { fix: 'automatic', rule: 'DT302' } as const;

const interval = (becomes: string, extra: Partial<MemberEntry> = {}): MemberEntry =>
  method('(interval: number): Promise<void>', {
    rule: 'DT304',
    becomes,
    fix: 'review',
    verdicts: everywhere(
      emulated('Kept by the ledger: acts only while a janitor runs, in any of your processes.'),
    ),
    ...extra,
  });

const SSH = {
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

const MEMORY = {
  e2b: native('Memory and disk are kept.'),
  local: emulated('Processes are frozen, not saved: a restart of the local server ends them.'),
};

const SNAPSHOT = {
  e2b: adapted('Holds memory as well as files; the answer is an id to start from.'),
  cube: adapted('Holds memory as well as files; private to the node unless on the s3 backend.'),
  local: emulated('Holds files only; processes are not part of it.'),
};

const RESIZE = {
  since: '0.138.0',
  rule: 'DT311',
  becomes: null,
  fix: 'manual',
  verdicts: everywhere(
    unsupported('Size belongs to the template: build a larger one and start from it.'),
  ),
} as const;

const LIFECYCLE: Record<string, MemberEntry> = {
  start: method('(timeout?: number): Promise<void>', {
    becomes: 'sandbox.start({ timeoutMs })',
    verdicts: everywhere(
      emulated('A stopped sandbox comes back from a pause: an E2B lifetime starts anew.'),
    ),
  }),
  stop: method('(timeout?: number, force?: boolean): Promise<void>', {
    becomes: 'sandbox.stop({ timeoutMs })',
    fix: 'review',
    verdicts: split(
      adapted('A pause without memory: the disk stays, processes end. There is no force.'),
      emulated('Cube always keeps memory, so processes continue after the next start.'),
    ),
  }),
  pause: method('(timeout?: number): Promise<void>', {
    since: '0.190.0',
    becomes: 'sandbox.pause({ timeoutMs })',
    verdicts: MEMORY,
  }),
  delete: method('(timeout?: number, wait?: boolean): Promise<void>', {
    becomes: 'sandbox.delete()',
    verdicts: everywhere(native('A sandbox that is already gone is not an error.')),
  }),
  archive: method('(): Promise<void>', {
    since: '0.12.0',
    becomes: 'sandbox.archive()',
    fix: 'review',
    verdicts: split(
      emulated('No cold tier: the sandbox stays paused.'),
      emulated('A snapshot and a delete: the sandbox gets a new id when it comes back.'),
    ),
  }),
  recover: method('(timeout?: number): Promise<void>', {
    since: '0.125.0',
    becomes: 'sandbox.restore(snapshot)',
    fix: 'manual',
    verdicts: everywhere(unsupported('Restore the last snapshot into a new sandbox.')),
  }),
  waitUntilStarted: method('(timeout?: number): Promise<void>', {
    py: 'wait_for_sandbox_start',
    becomes: null,
    verdicts: everywhere(adapted('Goes away: create() and start() answer when it runs.')),
  }),
  waitUntilStopped: method('(timeout?: number): Promise<void>', {
    py: 'wait_for_sandbox_stop',
    becomes: null,
    verdicts: everywhere(adapted('Goes away: stop() answers when it has stopped.')),
  }),
  resize: method('(resources: Resources, timeout?: number): Promise<void>', RESIZE),
  waitForResizeComplete: method('(timeout?: number): Promise<void>', {
    ...RESIZE,
    distinctive: true,
  }),
  refreshData: method('(): Promise<void>', {
    since: '0.21.0',
    rule: 'DT314',
    becomes: 'sandbox.info()',
    fix: 'review',
    verdicts: everywhere(adapted('The answer holds the record; the object does not change.')),
  }),
  refreshActivity: method('(): Promise<void>', {
    since: '0.120.0',
    rule: 'DT314',
    becomes: 'sandbox.keepAlive(ms)',
    distinctive: true,
    verdicts: everywhere(adapted('Takes the new window in milliseconds.')),
  }),
  setAutostopInterval: interval("sandbox.setIdlePolicy({ idleTimeoutMs, onIdle: 'stop' })", {
    distinctive: true,
  }),
  setAutoPauseInterval: interval("sandbox.setIdlePolicy({ idleTimeoutMs, onIdle: 'pause' })", {
    since: '0.199.0',
    distinctive: true,
  }),
  setAutoArchiveInterval: interval('a janitor policy: archive after a stop', {
    since: '0.21.0',
    distinctive: true,
  }),
  setAutoDeleteInterval: interval('a janitor policy: delete after a stop', {
    since: '0.23.0',
    distinctive: true,
  }),
  setTtl: method('(ttlMinutes: number): Promise<void>', {
    since: '0.199.0',
    rule: 'DT304',
    becomes: 'sandbox.setLifetime(ms)',
    fix: 'review',
    verdicts: split(
      adapted('Minutes become milliseconds; counted from now, at most 24 hours.'),
      emulated('Cube counts idleness only: a janitor ends the sandbox at its deadline.'),
    ),
  }),
};

const CONTENT: Record<string, MemberEntry> = {
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

const RECORD: Record<string, MemberEntry> = {
  id: optional('string', {
    becomes: 'sandbox.id',
    rule: 'DT302',
    verdicts: everywhere(native('Another format: stored ids of Daytona sandboxes do not resolve.')),
  }),
  name: cached('string', 'name', { since: '0.110.0' }),
  state: cached('SandboxState', 'state', {
    rule: 'DT303',
    verdicts: everywhere(adapted('Fewer states under other names; see SandboxState.')),
  }),
  labels: cached('Record<string, string>', 'labels', {
    rule: 'DT305',
    verdicts: everywhere(adapted('Without the label that holds the language.')),
  }),
  createdAt: cached('string', 'createdAt'),
  snapshot: cached('string', 'template'),
  user: cached('string', 'user'),
  env: cached('Record<string, string>', 'env', {
    verdicts: everywhere(emulated('Known only for sandboxes this ledger has seen created.')),
  }),
  public: cached('boolean', 'public'),
  cpu: cached('number', 'resources.cpu'),
  memory: cached('number', 'resources.memoryMb', {
    verdicts: everywhere(adapted('MiB instead of GiB.')),
  }),
  disk: cached('number', 'resources.diskMb', {
    verdicts: split(adapted('MiB instead of GiB.'), emulated('Cube reports 0.')),
  }),
  volumes: cached('VolumeMount[]', 'volumes'),
  autoStopInterval: cached('number', 'idleTimeoutMs'),
  autoPauseInterval: cached('number', 'idleTimeoutMs', { since: '0.199.0' }),
  autoArchiveInterval: cached('number', 'policy'),
  autoDeleteInterval: cached('number', 'policy', { since: '0.23.0' }),
  autoDestroyAt: cached('string', 'endsAt', { since: '0.199.0' }),
  networkBlockAll: cached('boolean', 'network', { since: '0.27.0' }),
  networkAllowList: cached('string', 'network', { since: '0.27.0' }),
  domainAllowList: cached('string', 'network', { since: '0.190.0' }),
  updatedAt: unknown('string', 'The targets keep no such time; the ledger has the last use.'),
  lastActivityAt: unknown('string', 'Read the last use from the ledger.', { since: '0.169.0' }),
  desiredState: unknown('SandboxDesiredState', 'Await the lifecycle call instead.', {
    since: '0.207.0',
  }),
  errorReason: unknown('string', 'Catch the SandboxError of the call that failed.'),
  recoverable: unknown('boolean', 'Restore the last snapshot instead.', { since: '0.125.0' }),
  backupState: unknown('SandboxBackupStateEnum', 'Take snapshots on a schedule instead.', {
    since: '0.21.0',
  }),
  backupCreatedAt: unknown('string', 'List the snapshots of the sandbox instead.', {
    since: '0.21.0',
  }),
  organizationId: unknown('string', 'An API key belongs to one team.'),
  target: unknown('string', 'There are no regions.'),
  gpu: unknown('number', 'The targets have no GPUs.'),
  gpuType: unknown('GpuType', 'The targets have no GPUs.', { since: '0.207.0' }),
  spot: unknown('boolean', 'There are no spot sandboxes.', { since: '0.205.0' }),
  spotEvictedAt: unknown('string', 'There are no spot sandboxes.', { since: '0.205.0' }),
  kvm: unknown('boolean', 'Nested virtualisation is not offered.', { since: '0.218.0', py: null }),
  buildInfo: unknown('BuildInfo', 'Look at the template instead.'),
  outboundProxyUrl: unknown('string', 'Keep the setting in your own configuration.', {
    since: '0.204.0',
  }),
  otelEndpointOverride: unknown('string', 'Keep the setting in your own configuration.', {
    since: '0.207.0',
  }),
  linkedSandboxId: unknown('string', 'Sandboxes are not linked.', { since: '0.183.0' }),
  sandboxClass: unknown('SandboxClass', 'All sandboxes are Linux microVMs.', { since: '0.207.0' }),
  warmPoolId: unknown('string', 'There are no warm pools.', { since: '0.207.0' }),
  daemonVersion: unknown('string', 'Feature checks go through provider.capabilities.', {
    since: '0.207.0',
  }),
  toolboxProxyUrl: unknown('string', 'Use the SDK of the target instead of raw HTTP.', {
    since: '0.148.0',
  }),
  runnerDomain: unknown('string', 'Build URLs with sandbox.portUrl(port).', {
    since: '0.21.0',
    until: '0.111.0',
  }),
  instance: optional('SandboxInstance', {
    until: '0.21.0',
    replacedBy: 'Sandbox',
    rule: 'DT302',
    becomes: 'sandbox.info()',
    fix: 'review',
    verdicts: everywhere(adapted('Read from the backend instead of a cached copy.')),
  }),
  sandboxApi: unknown('SandboxApi', 'Use the SDK of the target instead of the REST client.', {
    since: '0.12.0',
    until: '0.21.0',
  }),
  workspaceApi: unknown('any', 'Use the SDK of the target instead of the REST client.', {
    since: '0.9.2',
    until: '0.12.0',
  }),
  toolboxApi: unknown('any', 'Use the SDK of the target instead of the REST client.', {
    since: '0.9.2',
    until: '0.21.0',
  }),
};

/** The sandbox object: services, lifecycle and the cached record. */
export const SANDBOX: readonly TypeEntry[] = [
  {
    name: 'Sandbox',
    kind: 'class',
    exported: true,
    since: '0.12.0',
    formerly: [
      { name: 'Workspace', until: '0.21.0' },
      { name: 'SandboxListItem', since: '0.180.0', client: 'api-client' },
    ],
    pyAlso: ['AsyncSandbox', 'AsyncWorkspace'],
    rule: 'DT301',
    becomes: 'Sandbox',
    fix: 'automatic',
    verdicts: everywhere(adapted('The neutral sandbox; its own object is sandbox.native.')),
    members: {
      fs: property('FileSystem', { ...SERVICE, becomes: 'sandbox.files' }),
      process: property('Process', { ...SERVICE, becomes: 'sandbox.exec and its kin' }),
      git: property('Git', { ...SERVICE, becomes: 'sandbox.git' }),
      codeInterpreter: property('CodeInterpreter', {
        ...SERVICE,
        since: '0.120.0',
        rule: 'DT407',
        becomes: 'sandbox.runCode',
        fix: 'review',
      }),
      computerUse: property('ComputerUse', {
        ...SERVICE,
        since: '0.23.0',
        rule: 'DT708',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('Use @e2b/desktop on E2B, or a template with a display and VNC.'),
        ),
      }),
      ...LIFECYCLE,
      ...CONTENT,
      ...RECORD,
      toSandboxInfo: fixed('(instance: any): SandboxInfo', {
        until: '0.21.0',
        replacedBy: 'Sandbox.refreshData',
        py: null,
      }),
      toWorkspaceInfo: fixed('(instance: any): SandboxInfo', {
        until: '0.21.0',
        replacedBy: 'Sandbox.refreshData',
        py: null,
      }),
    },
  },
  {
    name: 'SandboxInstance',
    kind: 'interface',
    exported: false,
    until: '0.21.0',
    replacedBy: 'Sandbox',
    heritage: "extends Omit<Sandbox, 'info'>",
    formerly: [{ name: 'WorkspaceInstance', until: '0.21.0' }],
    ...typeOnly('SandboxInfo', 'review'),
    rule: 'DT302',
    since: '0.12.0',
    members: { info: optional('SandboxInfo', { replacedBy: 'Sandbox' }) },
  },
  {
    name: 'SandboxInfo',
    kind: 'interface',
    exported: false,
    until: '0.21.0',
    replacedBy: 'Sandbox',
    heritage: "extends Omit<Sandbox, 'info' | 'target'>",
    formerly: [{ name: 'WorkspaceInfo', until: '0.21.0' }],
    ...typeOnly('SandboxInfo', 'review'),
    rule: 'DT302',
    since: '0.12.0',
    members: {
      target: optional('string', { replacedBy: 'Sandbox.target' }),
      image: optional('string', { replacedBy: 'Sandbox.snapshot' }),
      resources: optional('SandboxResourcesInfo', {
        becomes: '(await sandbox.info()).resources',
        verdicts: everywhere(adapted('Numbers instead of strings.')),
      }),
      snapshotState: optional('string', { replacedBy: 'Sandbox.backupState' }),
      snapshotStateCreatedAt: optional('string', {
        until: '0.13.0',
        replacedBy: 'Sandbox.backupCreatedAt',
      }),
      snapshotCreatedAt: optional('string', {
        since: '0.13.0',
        replacedBy: 'Sandbox.backupCreatedAt',
      }),
      lastSnapshot: optional('string', { replacedBy: 'Sandbox.backupCreatedAt' }),
      nodeDomain: optional('string', { replacedBy: 'Sandbox.runnerDomain' }),
      region: optional('string', { replacedBy: 'Sandbox.target' }),
      class: optional('string', { replacedBy: 'Sandbox.sandboxClass' }),
      providerMetadata: optional('string', {
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('Parse nothing: use the fields of sandbox.info().')),
      }),
    },
  },
  {
    name: 'SandboxMetrics',
    kind: 'interface',
    exported: true,
    since: '0.199.0',
    rule: 'DT310',
    becomes: 'SandboxMetrics (of e2b)',
    fix: 'manual',
    verdicts: split(
      adapted('Nearly the same fields.'),
      unsupported("Read the node's Prometheus endpoint; the API has no metrics."),
    ),
    members: {
      ...fields('number', 'cpuCount', 'cpuUsedPct', 'diskTotal', 'diskUsed'),
      ...fields('number', 'memTotal', 'memUsed', 'memCache'),
      timestamp: quiet('Date'),
    },
  },
  {
    name: 'PortPreviewUrl',
    kind: 'interface',
    exported: false,
    client: 'api-client',
    since: '0.14.0',
    rule: 'DT307',
    becomes: '{ url, headers }',
    fix: 'review',
    verdicts: everywhere(adapted('Headers replace the token.')),
    members: {
      url: property('string', { becomes: 'url' }),
      token: property('string', {
        becomes: 'headers',
        fix: 'review',
        verdicts: everywhere(adapted('Send the given headers instead of x-daytona-preview-token.')),
      }),
      sandboxId: quiet('string'),
    },
  },
  {
    name: 'SignedPortPreviewUrl',
    kind: 'interface',
    exported: false,
    client: 'api-client',
    since: '0.132.0',
    rule: 'DT307',
    becomes: '{ url, headers }',
    fix: 'manual',
    verdicts: everywhere(
      unsupported('No expiring URLs: proxy the port and check access in your own server.'),
    ),
    members: {
      url: property('string', { becomes: 'url' }),
      ...fields('string', 'token', 'sandboxId'),
      port: quiet('number'),
    },
  },
  {
    name: 'SshAccessDto',
    kind: 'interface',
    exported: false,
    client: 'api-client',
    ...SSH,
    becomes: null,
    members: {
      ...fields('string', 'id', 'sandboxId', 'token', 'sshCommand'),
      ...fields('Date', 'expiresAt', 'createdAt', 'updatedAt'),
    },
  },
  {
    name: 'SshAccessValidationDto',
    kind: 'interface',
    exported: false,
    client: 'api-client',
    ...SSH,
    becomes: null,
    members: { valid: quiet('boolean'), sandboxId: quiet('string') },
  },
  {
    name: 'UpdateSandboxNetworkSettings',
    kind: 'interface',
    exported: false,
    client: 'api-client',
    since: '0.169.0',
    py: null,
    rule: 'DT309',
    becomes: 'NetworkOptions',
    fix: 'review',
    verdicts: everywhere(adapted('Replaces the whole policy: send every key.')),
    members: {
      networkBlockAll: quiet('boolean'),
      networkAllowList: quiet('string'),
      domainAllowList: quiet('string', { since: '0.190.0' }),
    },
  },
  {
    name: 'BuildInfo',
    kind: 'interface',
    exported: false,
    client: 'api-client',
    ...typeOnly(),
    members: {
      dockerfileContent: quiet('string'),
      contextHashes: quiet('string[]'),
      snapshotRef: quiet('string'),
      ...fields('Date', 'createdAt', 'updatedAt'),
    },
  },
];
