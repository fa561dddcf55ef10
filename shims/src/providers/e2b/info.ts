import { joinId } from '../../provider/id.ts';
import type { SandboxInfo, SandboxState } from '../../provider/info.ts';
import { dateOf } from '../date.ts';
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

export function infoOf(provider: string, record: SandboxRecord, marks: Marks): SandboxInfo {
  const { startedAt, endAt, cpuCount, memoryMB, diskSizeMB } = record;
  const { name, labels, idleTimeoutMs, onIdle, deadline } = marks;
  const expiresAt = dateOf(endAt) ?? deadline;
  const createdAt = dateOf(startedAt);
  return {
    id: joinId(provider, record.sandboxID),
    nativeId: record.sandboxID,
    provider,
    state: stateOf(record.state),
    template: record.alias ?? record.templateID,
    labels,
    volumes: (record.volumeMounts ?? []).map(({ name: volume, path, readOnly }) => ({
      volume,
      path,
      ...(readOnly === true ? { readOnly } : {}),
    })),
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

function stateOf(state: string): SandboxState {
  return state === 'running' || state === 'paused' || state === 'pausing' ? state : 'unknown';
}
