import type { Sandbox as Native } from '@daytonaio/sdk';
import type { IdleAction } from '../../provider/capabilities.ts';
import { joinId } from '../../provider/id.ts';
import type { SandboxInfo, SandboxState } from '../../provider/info.ts';
import { dateOf } from '../date.ts';
import { ownLabels } from './marks.ts';

const MINUTE_MS = 60_000;

/** Names with this prefix are the package's own, and are not shown. */
export const OWN_NAMES = 'cubeshift-';

/**
 * What the SDK's object knew when it was last refreshed. `volumeName` gives the name of a volume, which
 * Daytona tells by its id.
 */
export function infoOf(
  provider: string,
  native: Native,
  volumeName: (id: string) => string,
): SandboxInfo {
  const { id, name, snapshot, labels, errorReason } = native;
  const createdAt = dateOf(native.createdAt);
  return {
    id: joinId(provider, id),
    nativeId: id,
    provider,
    state: stateOf(native.state),
    labels: ownLabels(labels),
    volumes: (native.volumes ?? []).map(({ volumeId, mountPath, subpath }) => ({
      volume: volumeName(volumeId),
      path: mountPath,
      ...(subpath === undefined ? {} : { subpath }),
    })),
    resources: {
      cpu: native.cpu,
      memoryMb: native.memory * 1024,
      diskMb: native.disk * 1024,
    },
    ...idleOf(native),
    ...(name === undefined || name === id || name.startsWith(OWN_NAMES) ? {} : { name }),
    ...(snapshot === undefined ? {} : { template: snapshot }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(errorReason === undefined || errorReason === '' ? {} : { error: errorReason }),
  };
}

function idleOf(native: Native): { idleTimeoutMs?: number | null; onIdle?: IdleAction } {
  const { autoStopInterval, autoPauseInterval, autoDeleteInterval } = native;
  if (autoPauseInterval !== undefined && autoPauseInterval > 0) {
    return { idleTimeoutMs: autoPauseInterval * MINUTE_MS, onIdle: 'pause' };
  }
  if (autoStopInterval === undefined) return {};
  return {
    idleTimeoutMs: autoStopInterval === 0 ? null : autoStopInterval * MINUTE_MS,
    onIdle: autoDeleteInterval === 0 ? 'delete' : 'stop',
  };
}

/** Daytona's words. Source: its API, 0.190 to 0.218; images were its older word for snapshots. */
const STATES: Readonly<Record<string, SandboxState>> = {
  creating: 'starting',
  restoring: 'starting',
  starting: 'starting',
  resuming: 'starting',
  pending_build: 'starting',
  building_snapshot: 'starting',
  pulling_snapshot: 'starting',
  building_image: 'starting',
  pulling_image: 'starting',
  started: 'running',
  resizing: 'running',
  snapshotting: 'running',
  forking: 'running',
  stopping: 'stopping',
  stopped: 'stopped',
  pausing: 'pausing',
  paused: 'paused',
  archiving: 'archiving',
  archived: 'archived',
  destroying: 'deleting',
  destroyed: 'deleting',
  error: 'failed',
  build_failed: 'failed',
};

export function stateOf(state: string | undefined): SandboxState {
  return STATES[state ?? ''] ?? 'unknown';
}
