import { fields, method, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { everywhere, unsupported } from '../verdicts.ts';

const POOL = {
  rule: 'DT706',
  becomes: null,
  fix: 'manual',
  since: '0.204.0',
  verdicts: everywhere(
    unsupported('Remove it: the targets start from a memory snapshot and need no pool.'),
  ),
} as const;

/** `daytona.warmPool`. */
export const WARM_POOL_TYPES: readonly TypeEntry[] = [
  {
    name: 'WarmPoolService',
    kind: 'class',
    exported: false,
    pyAlso: ['AsyncWarmPoolService'],
    ...POOL,
    members: {
      list: method('(): Promise<WarmPool[]>'),
      create: method('(params: CreateWarmPool): Promise<WarmPool>'),
      update: method('(warmPoolId: string, params: UpdateWarmPool): Promise<WarmPool>'),
      delete: method('(warmPoolId: string): Promise<void>'),
    },
  },
  {
    name: 'WarmPool',
    kind: 'interface',
    exported: true,
    ...POOL,
    members: {
      ...fields('string', 'id', 'organizationId', 'snapshot', 'target', 'osUser', 'errorReason'),
      ...fields('string', 'createdAt', 'updatedAt'),
      ...fields('number', 'pool', 'currentSize', 'cpu', 'mem', 'disk'),
      env: quiet('Record<string, string>'),
      __brand: quiet('string', { py: null }),
    },
  },
  {
    name: 'CreateWarmPool',
    kind: 'interface',
    exported: true,
    client: 'api-client',
    py: null,
    ...POOL,
    members: { ...fields('string', 'snapshot', 'target'), pool: quiet('number') },
  },
  {
    name: 'UpdateWarmPool',
    kind: 'interface',
    exported: true,
    client: 'api-client',
    py: null,
    ...POOL,
    members: { pool: quiet('number') },
  },
];
