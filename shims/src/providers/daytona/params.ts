import type { CreateSandboxFromSnapshotParams } from '@daytonaio/sdk';
import { SandboxError } from '../../provider/errors.ts';
import type { CreateSpec } from '../../provider/provider.ts';

const MINUTE_MS = 60_000;

/** Whole minutes, rounded up; 0 is never. */
export function minutesOf(ms: number | null): number {
  return ms === null ? 0 : Math.max(1, Math.ceil(ms / MINUTE_MS));
}

/** What Daytona is asked for. A new object each time: the SDK changes it. */
export function paramsOf(
  provider: string,
  spec: CreateSpec,
  template: string | undefined,
): CreateSandboxFromSnapshotParams {
  const { name, env, user, lifetimeMs, volumes, idleTimeoutMs, onIdle } = spec;
  const snapshot = spec.template ?? template;
  const minutes = minutesOf(idleTimeoutMs);
  return {
    labels: { ...spec.labels },
    public: spec.public === true,
    ...(onIdle === 'pause' ? { autoPauseInterval: minutes } : { autoStopInterval: minutes }),
    ...(onIdle === 'delete' ? { ephemeral: true } : {}),
    ...(lifetimeMs === undefined ? {} : { ttlMinutes: minutesOf(lifetimeMs) }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(name === undefined ? {} : { name }),
    ...(env === undefined ? {} : { envVars: { ...env } }),
    ...(user === undefined ? {} : { user }),
    ...(volumes === undefined
      ? {}
      : {
          volumes: volumes.map(({ volume, path, subpath }) => ({
            volumeId: volume,
            mountPath: path,
            ...(subpath === undefined ? {} : { subpath }),
          })),
        }),
    ...networkOf(provider, spec),
  };
}

function networkOf(
  provider: string,
  { network = {} }: CreateSpec,
): Pick<
  CreateSandboxFromSnapshotParams,
  'networkBlockAll' | 'networkAllowList' | 'domainAllowList'
> {
  const { internet, allow, deny } = network;
  if (deny !== undefined && deny.length > 0) {
    const told = `${provider} has no list of what may not be reached: name what may be in network.allow`;
    throw new SandboxError('unsupported', told, { provider });
  }
  if (allow === undefined) return internet === false ? { networkBlockAll: true } : {};
  const addresses = allow.filter((one) => /^[\d.]+(?:\/\d+)?$/.test(one));
  const names = allow.filter((one) => !addresses.includes(one));
  return {
    ...(addresses.length === 0
      ? {}
      : {
          networkAllowList: addresses
            .map((one) => (one.includes('/') ? one : `${one}/32`))
            .join(','),
        }),
    ...(names.length === 0 ? {} : { domainAllowList: names.join(',') }),
  };
}
