import type { IdleAction } from '../../provider/capabilities.ts';
import { OWN_LABELS } from '../../provider/check.ts';
import type { CreateSpec } from '../../provider/provider.ts';

/**
 * What E2B does not keep of a creation is kept in metadata, under labels that are not shown: it cannot
 * change later, and neither can they.
 */
const NAME = `${OWN_LABELS}name`;
const USER = `${OWN_LABELS}user`;
const IDLE = `${OWN_LABELS}idle-ms`;
const ON_IDLE = `${OWN_LABELS}on-idle`;
const DEADLINE = `${OWN_LABELS}deadline`;

/** The label a sandbox with a name has. */
export const nameLabel = (name: string): Record<string, string> => ({ [NAME]: name });

/** Metadata of a new sandbox. */
export function metadataOf(spec: CreateSpec, now = Date.now()): Record<string, string> {
  const { name, user, idleTimeoutMs, onIdle, lifetimeMs } = spec;
  return {
    ...spec.labels,
    [IDLE]: `${idleTimeoutMs ?? 'never'}`,
    [ON_IDLE]: onIdle,
    ...(name === undefined ? {} : nameLabel(name)),
    ...(user === undefined ? {} : { [USER]: user }),
    ...(lifetimeMs === undefined ? {} : { [DEADLINE]: `${now + lifetimeMs}` }),
  };
}

/** What is known of a sandbox by its metadata. */
export interface Marks {
  /** Without those of this package. */
  readonly labels: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly user?: string;
  readonly idleTimeoutMs?: number | null;
  readonly onIdle?: IdleAction;
  /** When it is to be deleted, used or not. */
  readonly deadline?: Date;
}

export function marksOf(metadata: Readonly<Record<string, string>> = {}): Marks {
  const labels: Record<string, string> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (!key.startsWith(OWN_LABELS)) labels[key] = value;
  }
  const { [NAME]: name, [USER]: user, [IDLE]: idle, [DEADLINE]: deadline } = metadata;
  const action = metadata[ON_IDLE];
  const isAction = action === 'stop' || action === 'pause' || action === 'delete';
  return {
    labels,
    ...(name === undefined ? {} : { name }),
    ...(user === undefined ? {} : { user }),
    ...(idle === undefined ? {} : { idleTimeoutMs: idle === 'never' ? null : Number(idle) }),
    ...(isAction ? { onIdle: action } : {}),
    ...(deadline === undefined ? {} : { deadline: new Date(Number(deadline)) }),
  };
}
