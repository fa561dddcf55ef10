import { fields, fixed, method, optional, property, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, split, unsupported } from '../verdicts.ts';

const SERVICE = {
  rule: 'DT703',
  fix: 'review',
  since: '0.21.0',
  verdicts: everywhere(adapted('A Daytona snapshot is a template elsewhere.')),
} as const;

const BUILD = split(
  adapted('A template build, before and apart from any create.'),
  emulated('Cube builds from an image that is already pushed and contains envd.'),
);

const SIZE = everywhere(adapted('GiB become MiB; the size is fixed for all its sandboxes.'));

/** `daytona.snapshot`: what sandboxes start from. */
export const SNAPSHOT_TYPES: readonly TypeEntry[] = [
  {
    name: 'SnapshotService',
    kind: 'class',
    exported: false,
    pyAlso: ['AsyncSnapshotService'],
    ...SERVICE,
    becomes: 'provider.templates',
    members: {
      list: method(
        '(query?: ListSnapshotsQuery | number, limit?: number): Promise<PaginatedSnapshots>',
        {
          becomes: 'provider.templates.list()',
          verdicts: everywhere(adapted('All at once instead of pages.')),
        },
      ),
      get: method('(idOrName: string): Promise<Snapshot>', {
        becomes: 'provider.templates.get(name)',
      }),
      create: method(
        '(params: CreateSnapshotParams, options?: SnapshotBuildOptions): Promise<Snapshot>',
        { becomes: 'provider.templates.build({ name, image, … })', fix: 'manual', verdicts: BUILD },
      ),
      delete: method('(snapshot: Snapshot | string): Promise<void>', {
        becomes: 'provider.templates.delete(name)',
      }),
      activate: method('(snapshot: Snapshot | string): Promise<Snapshot>', {
        since: '0.24.0',
        becomes: null,
        verdicts: everywhere(adapted('Goes away: templates do not fall asleep.')),
      }),
      processImageContext: fixed('(storage: any, image: Image): Promise<string[]>', {
        py: null,
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('Internal to the SDK: build the image with your own tools.'),
        ),
      }),
    },
  },
  {
    name: 'SnapshotBuildOptions',
    kind: 'interface',
    exported: false,
    ours: true,
    py: null,
    ...SERVICE,
    becomes: '{ onLogs, timeoutMs }',
    members: {
      onLogs: optional('(chunk: string) => void', {
        becomes: 'onLogs',
        verdicts: split(
          adapted('Entries instead of text.'),
          emulated('Cube reports the progress of its build job, not the output of commands.'),
        ),
      }),
      timeout: optional('number', {
        becomes: 'timeoutMs',
        verdicts: everywhere(adapted('Seconds become milliseconds.')),
      }),
    },
  },
  {
    name: 'CreateSnapshotParams',
    kind: 'interface',
    exported: true,
    options: 'each',
    ...SERVICE,
    becomes: 'TemplateBuild',
    verdicts: BUILD,
    members: {
      name: property('string', {
        becomes: 'name',
        verdicts: everywhere(adapted('Lower-case letters, digits and hyphens.')),
      }),
      image: property('string | Image', { becomes: 'image', fix: 'manual' }),
      resources: optional('Resources', { becomes: 'cpu, memoryMb, diskMb', verdicts: SIZE }),
      entrypoint: optional('string[]', {
        becomes: 'startCommand',
        verdicts: split(
          adapted('A start command with a readiness check.'),
          adapted('Command and arguments; the template must answer an HTTP probe.'),
        ),
      }),
      regionId: optional('string', {
        since: '0.132.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('There are no regions: build on the deployment you want.'),
        ),
      }),
      skipValidation: optional('boolean', {
        since: '0.115.0',
        until: '0.125.0',
        becomes: null,
        fix: 'automatic',
        verdicts: everywhere(adapted('Goes away: newer SDKs dropped it too.')),
      }),
      sandboxClass: optional('SandboxClass', {
        since: '0.185.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('All templates make Linux microVMs.')),
      }),
    },
  },
  {
    name: 'ListSnapshotsQuery',
    kind: 'interface',
    exported: true,
    py: null,
    ...SERVICE,
    since: '0.204.0',
    becomes: null,
    members: {
      ...fields('number', 'page', 'limit'),
      sourceSandboxId: quiet('string'),
    },
  },
  {
    name: 'PaginatedSnapshots',
    kind: 'interface',
    exported: true,
    ...SERVICE,
    becomes: 'Template[]',
    heritage: 'extends Array<Snapshot>',
    since: '0.108.0',
    members: {
      items: property('Snapshot[]', { becomes: 'the array itself' }),
      ...fields('number', 'total', 'page', 'totalPages'),
    },
  },
  {
    name: 'Snapshot',
    kind: 'interface',
    exported: true,
    formerly: [{ name: 'SnapshotDto', client: 'api-client' }],
    ...SERVICE,
    becomes: 'Template',
    members: {
      id: property('string', { becomes: 'id' }),
      name: property('string', { becomes: 'name' }),
      state: property('SnapshotState', {
        becomes: 'status',
        verdicts: everywhere(adapted('Fewer states under other names.')),
      }),
      ...fields('string', 'imageName', 'organizationId', 'errorReason', 'initialRunnerId', 'ref'),
      ...fields('string', 'sourceSandboxId'),
      ...fields('number', 'cpu', 'gpu', 'mem', 'disk', 'size'),
      ...fields('Date', 'createdAt', 'updatedAt', 'lastUsedAt'),
      ...fields('string[]', 'entrypoint', 'regionIds'),
      general: quiet('boolean'),
      gpuType: quiet('GpuType'),
      sandboxClass: quiet('SandboxClass'),
      buildInfo: quiet('BuildInfo'),
      __brand: quiet('string', { py: null }),
    },
  },
];
