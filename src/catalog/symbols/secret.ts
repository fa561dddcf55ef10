import { fields, method, property, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { emulated, everywhere, split, unsupported } from '../verdicts.ts';

const SECRET = {
  rule: 'DT705',
  becomes: 'Secret (of e2b), through sandbox.native',
  fix: 'manual',
  since: '0.192.0',
  verdicts: split(
    emulated('E2B secrets reach requests by a network transform, not by a variable.'),
    unsupported(
      'Keep secrets in your own store and pass env per command, or inject them with Cube network rules.',
    ),
  ),
} as const;

/** `daytona.secret`. */
export const SECRET_TYPES: readonly TypeEntry[] = [
  {
    name: 'SecretService',
    kind: 'class',
    exported: false,
    pyAlso: ['AsyncSecretService'],
    ...SECRET,
    members: {
      list: method('(query?: ListSecretsQuery): Promise<ListSecretsResponse>'),
      get: method('(secretId: string): Promise<Secret>'),
      create: method('(params: CreateSecretParams): Promise<Secret>'),
      update: method('(secretId: string, params: UpdateSecretParams): Promise<Secret>'),
      delete: method('(secretId: string): Promise<void>'),
    },
  },
  {
    name: 'Secret',
    kind: 'interface',
    exported: true,
    ...SECRET,
    members: {
      ...fields('string', 'id', 'name', 'description', 'placeholder'),
      hosts: quiet('string[]'),
      ...fields('Date', 'createdAt', 'updatedAt'),
      __brand: quiet('string', { py: null }),
    },
  },
  {
    name: 'CreateSecretParams',
    kind: 'interface',
    exported: true,
    ...SECRET,
    members: { ...fields('string', 'name', 'value', 'description'), hosts: quiet('string[]') },
  },
  {
    name: 'UpdateSecretParams',
    kind: 'interface',
    exported: true,
    ...SECRET,
    members: { ...fields('string', 'value', 'description'), hosts: quiet('string[]') },
  },
  {
    name: 'ListSecretsQuery',
    kind: 'interface',
    exported: true,
    py: null,
    ...SECRET,
    verdicts: everywhere(unsupported('List the names in your own secret store.')),
    members: {
      ...fields('string', 'cursor', 'name'),
      limit: quiet('number'),
      sort: quiet('ListSecretsPaginatedSortEnum'),
      order: quiet('ListSecretsPaginatedOrderEnum'),
    },
  },
  {
    name: 'ListSecretsResponse',
    kind: 'interface',
    exported: true,
    ...SECRET,
    members: {
      items: property('Secret[]'),
      total: quiet('number'),
      nextCursor: quiet('string'),
    },
  },
];
