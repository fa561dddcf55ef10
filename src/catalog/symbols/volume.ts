import { fields, method, property, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, everywhere, from, native, split, unsupported } from '../verdicts.ts';

const TOO_OLD = unsupported('Cube has volumes since 0.6.0: upgrade, or copy files in and out.');

const VOLUME = {
  rule: 'DT701',
  fix: 'automatic',
  since: '0.17.0',
  verdicts: split(adapted(), from('0.6.0', adapted(), TOO_OLD)),
} as const;

/** `daytona.volume`: S3-backed storage shared by sandboxes, on Daytona and on Cube alike. */
export const VOLUME_TYPES: readonly TypeEntry[] = [
  {
    name: 'VolumeService',
    kind: 'class',
    exported: false,
    pyAlso: ['AsyncVolumeService'],
    ...VOLUME,
    becomes: 'provider.volumes',
    members: {
      list: method('(): Promise<Volume[]>', {
        becomes: 'provider.volumes.list()',
        verdicts: split(
          adapted('Records hold id and name only.'),
          from('0.6.0', adapted('Records hold id and name only.'), TOO_OLD),
        ),
      }),
      get: method('(name: string, create?: boolean): Promise<Volume>', {
        becomes: 'provider.volumes.get(name, { create: true })',
        verdicts: split(
          adapted('Two calls when it must be created.'),
          from('0.6.0', adapted('Names are letters, digits, hyphen and underscore.'), TOO_OLD),
        ),
      }),
      create: method('(name: string): Promise<Volume>', {
        becomes: 'provider.volumes.create(name)',
        verdicts: split(
          native(),
          from('0.6.0', adapted('Names are letters, digits, hyphen and underscore.'), TOO_OLD),
        ),
      }),
      delete: method('(volume: Volume): Promise<void>', {
        becomes: 'provider.volumes.delete(name)',
        verdicts: split(
          adapted('Takes the name.'),
          from('0.6.0', adapted('Takes the name; refused while a sandbox mounts it.'), TOO_OLD),
        ),
      }),
    },
  },
  {
    name: 'Volume',
    kind: 'interface',
    exported: false,
    formerly: [{ name: 'VolumeDto', client: 'api-client' }],
    ...VOLUME,
    becomes: 'Volume',
    members: {
      id: property('string', { becomes: 'id' }),
      name: property('string', { becomes: 'name' }),
      state: property('VolumeState', {
        becomes: null,
        fix: 'review',
        verdicts: everywhere(adapted('Goes away: a volume is ready when create() answers.')),
      }),
      ...fields('string', 'organizationId', 'createdAt', 'updatedAt', 'lastUsedAt', 'errorReason'),
      __brand: quiet('string', { py: null }),
    },
  },
];
