import type { BuildInfo, SandboxRecord } from './record.ts';
import type { World } from './world.ts';

/** The daemon this front imitates; clients only show it. */
export const DAEMON_VERSION = '0.218.0';

/** A time as clients read it. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** An item of the list route, which lacks what is costly to look up (api.json `SandboxListItem`). */
export function sandboxItem(world: World, record: SandboxRecord): Record<string, unknown> {
  return {
    id: record.id,
    organizationId: world.organizationId,
    name: record.name,
    target: record.target,
    runnerId: world.runnerId,
    sandboxClass: record.sandboxClass,
    state: record.state,
    desiredState: record.desiredState,
    snapshot: record.snapshot,
    user: record.user,
    errorReason: record.errorReason,
    recoverable: record.recoverable ?? false,
    public: record.isPublic,
    networkBlockAll: record.networkBlockAll,
    networkAllowList: record.networkAllowList,
    domainAllowList: record.domainAllowList,
    cpu: record.cpu,
    gpu: record.gpu,
    spot: false,
    memory: record.memory,
    disk: record.disk,
    labels: record.labels,
    backupState: record.backupState,
    autoStopInterval: record.autoStopMin,
    autoPauseInterval: record.autoPauseMin,
    autoArchiveInterval: record.autoArchiveMin,
    autoDeleteInterval: record.autoDeleteMin,
    autoDestroyAt: record.destroyAt === undefined ? undefined : iso(record.destroyAt),
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    lastActivityAt: iso(record.lastActivityAt),
    daemonVersion: DAEMON_VERSION,
    toolboxProxyUrl: world.toolboxUrl(),
  };
}

/** A sandbox in full (api.json `Sandbox`); clients take one without `env` for a list item. */
export function sandboxDto(world: World, record: SandboxRecord): Record<string, unknown> {
  return {
    ...sandboxItem(world, record),
    env: record.env,
    volumes: record.volumes,
    buildInfo: record.buildInfo === undefined ? undefined : buildInfoDto(record.buildInfo),
    backupCreatedAt: record.backupAt === undefined ? undefined : iso(record.backupAt),
    kvm: false,
    outboundProxyUrl: record.outboundProxyUrl,
    otelEndpointOverride: record.otelEndpointOverride,
    linkedSandboxId: record.linkedSandboxId,
  };
}

export function buildInfoDto(info: BuildInfo): Record<string, unknown> {
  return {
    dockerfileContent: info.dockerfileContent,
    contextHashes: info.contextHashes,
    createdAt: iso(info.createdAt),
    updatedAt: iso(info.createdAt),
    snapshotRef: info.snapshotRef,
  };
}
