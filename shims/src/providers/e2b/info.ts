import { joinId } from '../../provider/id.ts';
import type { SandboxInfo, SandboxState } from '../../provider/info.ts';
import type { Marks } from './marks.ts';

/** A sandbox as the control plane tells it. Servers of other makers leave out what never happens. */
export interface SandboxRecord {
  sandboxID: string;
  templateID: string;
  /** Name of the template. */
  alias?: string;
  metadata?: Readonly<Record<string, string>> | null;
  state: string;
  startedAt?: string;
  endAt?: string;
  cpuCount?: number;
  memoryMB?: number;
  diskSizeMB?: number;
  volumeMounts?: { name: string; path: string; readOnly?: boolean }[] | null;
}

export function infoOf(
  provider: string,
  record: SandboxRecord,
  marks: Marks,
  createdAt = dateOf(record.startedAt),
  volumes = volumesOf(record),
): SandboxInfo {
  const { endAt, cpuCount, memoryMB, diskSizeMB } = record;
  const { name, labels, idleTimeoutMs, onIdle, deadline } = marks;
  const expiresAt = dateOf(endAt) ?? deadline;
  return {
    id: joinId(provider, record.sandboxID),
    nativeId: record.sandboxID,
    provider,
    state: stateOf(record.state),
    template: record.alias ?? record.templateID,
    labels,
    volumes,
    resources: {
      ...(cpuCount === undefined ? {} : { cpu: cpuCount }),
      ...(memoryMB === undefined ? {} : { memoryMb: memoryMB }),
      ...(diskSizeMB === undefined || diskSizeMB === 0 ? {} : { diskMb: diskSizeMB }),
    },
    ...(name === undefined ? {} : { name }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    ...(onIdle === undefined ? {} : { onIdle }),
  };
}

function volumesOf({ volumeMounts }: SandboxRecord): SandboxInfo['volumes'] {
  return (volumeMounts ?? []).map(({ name: volume, path, readOnly }) => ({
    volume,
    path,
    ...(readOnly === true ? { readOnly } : {}),
  }));
}

function dateOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function stateOf(state: string): SandboxState {
  return state === 'running' || state === 'paused' || state === 'pausing' ? state : 'unknown';
}
