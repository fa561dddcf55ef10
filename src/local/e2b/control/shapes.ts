import type { LiveSandbox } from '../live-sandbox.ts';
import type { E2bServices } from '../services.ts';

/** The node of every sandbox here; E2B shows no other any more. */
const CLIENT_ID = '6532622b';

/** `Sandbox`: the answer of create and connect. The traffic token is told where it is known. */
export function sandboxShape(
  sandbox: LiveSandbox,
  { preset, domain }: E2bServices,
  { withTrafficToken }: { withTrafficToken: boolean },
): object {
  const { id, spec, envdToken, trafficToken } = sandbox;
  const isCube = preset.flavor === 'cube';
  const { alias, templateId } = spec.template;
  return {
    ...(alias === undefined || isCube ? {} : { alias }),
    clientID: CLIENT_ID,
    domain,
    ...(envdToken === undefined ? {} : { envdAccessToken: envdToken }),
    envdVersion: preset.envdVersion,
    sandboxID: id,
    templateID: templateId,
    ...(trafficToken === undefined || !withTrafficToken
      ? isCube
        ? {}
        : { trafficAccessToken: null }
      : { trafficAccessToken: trafficToken }),
  };
}

/** `ListedSandbox`. */
export function listedShape(sandbox: LiveSandbox, services: E2bServices): object {
  const { preset } = services;
  const { spec, id, startedAt, lifetime } = sandbox;
  const { template, mounts } = spec;
  const isCube = preset.flavor === 'cube';
  const metadata = shownMetadata(sandbox, services);
  const endAt = lifetime.endAt ?? (preset.quirks.omitsNever ? undefined : startedAt);
  return {
    ...(template.alias === undefined || isCube ? {} : { alias: template.alias }),
    clientID: CLIENT_ID,
    cpuCount: template.cpuCount,
    diskSizeMB: template.diskSizeMB,
    ...(endAt === undefined ? {} : { endAt: new Date(endAt).toISOString() }),
    envdVersion: preset.envdVersion,
    memoryMB: template.memoryMB,
    ...(metadata === undefined ? {} : { metadata }),
    sandboxID: id,
    startedAt: new Date(startedAt).toISOString(),
    state: shownState(sandbox, services),
    templateID: template.templateId,
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

/** `SandboxDetail`. */
export function detailShape(sandbox: LiveSandbox, services: E2bServices): object {
  const { preset, domain } = services;
  const listed = { ...listedShape(sandbox, services), domain };
  if (preset.flavor === 'cube') return listed;
  const { envdToken, allowInternet, network, spec } = sandbox;
  return {
    ...listed,
    ...(envdToken === undefined ? {} : { envdAccessToken: envdToken }),
    allowInternetAccess: allowInternet ?? null,
    network,
    lifecycle: { onTimeout: spec.onTimeout, autoResume: spec.autoResume },
  };
}

/** Undefined where the service leaves it out. */
export function shownMetadata(
  { spec, state }: LiveSandbox,
  { preset }: E2bServices,
): Readonly<Record<string, string>> | undefined {
  if (state === 'paused' && preset.quirks.losesMetadataOnPause) return undefined;
  return Object.keys(spec.metadata).length === 0 ? undefined : spec.metadata;
}

export function shownState(
  { state, transition }: LiveSandbox,
  { preset }: E2bServices,
): 'running' | 'paused' | 'pausing' {
  return transition?.to === 'paused' && preset.quirks.showsPausing ? 'pausing' : state;
}
