import { optional } from '../define.ts';
import type { MemberEntry } from '../types.ts';
import { adapted, emulated, everywhere, native, split, unsupported } from '../verdicts.ts';

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

/** The cached record on a `Sandbox` object. */
export const RECORD: Record<string, MemberEntry> = {
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
    replacedBy: 'Sandbox.refreshData',
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
