import { method, optional, property, quiet, typeOnly } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, from, native, split, unsupported } from '../verdicts.ts';

const PROVIDER_OPTION = {
  rule: 'DT202',
  fix: 'automatic',
  verdicts: everywhere(adapted('Becomes a setting of the provider, by configuration or argument.')),
} as const;

const LISTING = split(
  emulated('Only running and paused sandboxes are known to E2B; others come from the ledger.'),
  emulated('Cube filters after the page limit, so the ledger and a read per id are the truth.'),
);

const FILTER = { rule: 'DT206', becomes: null, fix: 'manual' } as const;

const noFilter = everywhere(
  unsupported('Filter the result in your own code; targets filter by labels and state only.'),
);

/** The client and everything that constructs, finds and lists. Source: declarations 0.9.2 to 0.218.0. */
export const CLIENT: readonly TypeEntry[] = [
  {
    name: 'Daytona',
    kind: 'class',
    exported: true,
    construct: 'config?: DaytonaConfig',
    pyAlso: ['AsyncDaytona'],
    rule: 'DT201',
    becomes: 'createProvider({ provider, apiKey, apiUrl })',
    fix: 'automatic',
    verdicts: everywhere(
      adapted('The backend is chosen by configuration; construction is asynchronous.'),
    ),
    members: {
      create: method(
        '(params?: CreateSandboxFromSnapshotParams | CreateSandboxFromImageParams | CreateSandboxParams, options?: CreateOptions | number): Promise<Sandbox>',
        {
          rule: 'DT203',
          becomes: 'provider.create({ template, env, labels, … }, { startTimeoutMs })',
          verdicts: split(
            adapted('Starts from a template that exists; idle windows and lifetimes are explicit.'),
            adapted(
              'Starts from a template that exists and must be named: Cube has no default template.',
            ),
          ),
        },
      ),
      get: method('(sandboxIdOrName: string): Promise<Sandbox>', {
        rule: 'DT205',
        becomes: 'provider.get(id)',
        verdicts: everywhere(
          adapted('Reads without resuming. Look-up by name goes through the ledger.'),
        ),
      }),
      list: method(
        '(query?: ListSandboxesQuery | Record<string, any>, page?: number, limit?: number): SandboxListing',
        {
          rule: 'DT206',
          becomes: 'provider.list({ labels, states })',
          fix: 'review',
          verdicts: LISTING,
        },
      ),
      start: method('(sandbox: Sandbox, timeout?: number): Promise<void>', {
        rule: 'DT207',
        becomes: 'sandbox.start({ timeoutMs })',
        verdicts: everywhere(
          emulated(
            'A stopped sandbox comes back from a pause, with a fresh lifetime or idle window.',
          ),
        ),
      }),
      stop: method('(sandbox: Sandbox): Promise<void>', {
        rule: 'DT207',
        becomes: 'sandbox.stop()',
        fix: 'review',
        verdicts: split(
          adapted('A pause without memory: the disk stays, processes end.'),
          emulated('Commands are ended, then it is paused: what the template itself runs goes on.'),
        ),
      }),
      delete: method('(sandbox: Sandbox, timeout?: number, wait?: boolean): Promise<void>', {
        since: '0.15.0',
        rule: 'DT207',
        becomes: 'provider.delete(id)',
        verdicts: everywhere(native()),
      }),
      fork: method(
        '(sandbox: Sandbox, params?: ForkSandboxParams, timeout?: number): Promise<Sandbox>',
        {
          since: '0.202.0',
          py: null,
          rule: 'DT306',
          becomes: 'sandbox.fork()',
          fix: 'review',
          verdicts: split(
            adapted('The copy has its own lifetime; a name goes to the ledger.'),
            emulated('Cube has no fork: a snapshot and a create, which pauses the source briefly.'),
          ),
        },
      ),
      _experimental_fork: method(
        '(sandbox: Sandbox, params?: ForkSandboxParams, timeout?: number): Promise<Sandbox>',
        { since: '0.166.0', replacedBy: 'Daytona.fork', py: null },
      ),
      volume: property('VolumeService', {
        since: '0.17.0',
        rule: 'DT701',
        becomes: 'provider.volumes',
        verdicts: split(
          adapted(),
          from(
            '0.6.0',
            adapted(),
            unsupported('Cube has volumes since 0.6.0: upgrade, or copy files in and out.'),
          ),
        ),
      }),
      snapshot: property('SnapshotService', {
        since: '0.21.0',
        rule: 'DT703',
        becomes: 'provider.templates',
        fix: 'review',
        verdicts: everywhere(adapted()),
      }),
      secret: property('SecretService', {
        since: '0.192.0',
        rule: 'DT705',
        becomes: null,
        fix: 'manual',
        verdicts: split(
          emulated('Use E2B secrets with a network transform through sandbox.native.'),
          unsupported(
            'Keep secrets in your own store and pass env per command, or inject them with Cube network rules.',
          ),
        ),
      }),
      warmPool: property('WarmPoolService', {
        since: '0.204.0',
        rule: 'DT706',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('Remove it: the targets start from a memory snapshot and need no pool.'),
        ),
      }),
      '[Symbol.asyncDispose]': method('(): Promise<void>', {
        since: '0.144.0',
        py: 'close',
        quiet: true,
        becomes: 'provider.close()',
        verdicts: everywhere(native('Closes connections; sandboxes stay.')),
      }),
      remove: method('(sandbox: Sandbox, timeout?: number): Promise<void>', {
        until: '0.21.0',
        replacedBy: 'Daytona.delete',
      }),
      getCurrentWorkspace: method('(workspaceId: string): Promise<Sandbox>', {
        until: '0.21.0',
        replacedBy: 'Daytona.get',
      }),
      getCurrentSandbox: method('(sandboxId: string): Promise<Sandbox>', {
        since: '0.12.0',
        until: '0.21.0',
        replacedBy: 'Daytona.get',
        distinctive: true,
      }),
      findOne: method('(filter: SandboxFilter): Promise<Sandbox>', {
        since: '0.15.0',
        until: '0.153.0',
        replacedBy: 'Daytona.get',
        becomes: 'provider.get(id), or the first of provider.list({ labels })',
        fix: 'review',
      }),
      createImage: method('(name: string, image: Image, options?: any): Promise<void>', {
        since: '0.19.0',
        until: '0.20.0',
        replacedBy: 'SnapshotService.create',
      }),
      getProxyToolboxUrl: method('(): Promise<string>', {
        since: '0.113.0',
        until: '0.148.0',
        py: null,
        rule: 'DT302',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('Use the SDK of the target instead of raw HTTP.')),
      }),
    },
  },
  {
    name: 'DaytonaConfig',
    kind: 'interface',
    exported: true,
    options: 'each',
    rule: 'DT202',
    becomes: 'ProviderConfig',
    fix: 'automatic',
    verdicts: everywhere(adapted('Credentials and endpoints belong to the provider.')),
    members: {
      apiKey: optional('string', { ...PROVIDER_OPTION, becomes: 'apiKey' }),
      apiUrl: optional('string', { ...PROVIDER_OPTION, becomes: 'apiUrl', since: '0.12.0' }),
      serverUrl: optional('string', { ...PROVIDER_OPTION, replacedBy: 'DaytonaConfig.apiUrl' }),
      requestTimeoutMs: optional('number', {
        ...PROVIDER_OPTION,
        since: '0.203.0',
        py: null,
        becomes: 'requestTimeoutMs',
        verdicts: everywhere(native('Already in milliseconds.')),
      }),
      jwtToken: optional('string', {
        since: '0.13.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('The targets know API keys only; pass apiKey.')),
      }),
      organizationId: optional('string', {
        since: '0.13.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('An API key belongs to one team; use one provider per team.'),
        ),
      }),
      target: optional('string', {
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('There are no regions: point apiUrl at the deployment you want.'),
        ),
      }),
      otelEnabled: optional('boolean', {
        since: '0.175.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('Instrument your own code; the option goes away.')),
      }),
      useDeprecatedPolling: optional('boolean', {
        since: '0.198.0',
        becomes: null,
        fix: 'automatic',
        verdicts: everywhere(adapted('Goes away: the targets push no state events.')),
      }),
      _experimental: optional('Record<string, any>', {
        since: '0.144.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(unsupported('Remove the option; the targets have no such switches.')),
      }),
    },
  },
  {
    name: 'CreateOptions',
    kind: 'interface',
    exported: false,
    ours: true,
    py: null,
    rule: 'DT203',
    becomes: '{ startTimeoutMs }',
    fix: 'automatic',
    verdicts: everywhere(adapted('Seconds become milliseconds; it limits the start only.')),
    members: {
      timeout: optional('number', { becomes: 'startTimeoutMs' }),
      onSnapshotCreateLogs: optional('(chunk: string) => void', {
        since: '0.21.0',
        becomes: 'provider.templates.build({ …, onLogs })',
        fix: 'manual',
        verdicts: everywhere(
          adapted('Nothing is built during create; the template build has the logs.'),
        ),
      }),
      onImageBuildLogs: optional('(chunk: string) => void', {
        since: '0.19.0',
        until: '0.21.0',
        replacedBy: 'CreateOptions.onSnapshotCreateLogs',
      }),
    },
  },
  {
    name: 'ListSandboxesQuery',
    kind: 'interface',
    exported: true,
    since: '0.180.0',
    rule: 'DT206',
    becomes: '{ labels, states }',
    fix: 'review',
    verdicts: LISTING,
    members: {
      labels: optional('Record<string, string>', { becomes: 'labels', verdicts: LISTING }),
      states: optional('SandboxState[]', {
        becomes: 'states',
        verdicts: split(
          emulated('E2B lists running and paused only.'),
          emulated('Cube ignores a filter of several states; the provider filters afterwards.'),
        ),
      }),
      limit: optional('number', {
        becomes: 'pageSize',
        verdicts: everywhere(adapted('A page size, not a cap, as on Daytona.')),
      }),
      name: optional('string', { ...FILTER, verdicts: noFilter }),
      id: optional('string', { ...FILTER, verdicts: noFilter }),
      sort: optional('SandboxListSortField', { ...FILTER, verdicts: noFilter }),
      order: optional('SandboxListSortDirection', { ...FILTER, verdicts: noFilter }),
      snapshots: optional('string[]', { ...FILTER, verdicts: noFilter }),
      targets: optional('string[]', { ...FILTER, verdicts: noFilter }),
      minCpu: optional('number', { ...FILTER, verdicts: noFilter }),
      maxCpu: optional('number', { ...FILTER, verdicts: noFilter }),
      minMemoryGib: optional('number', { ...FILTER, verdicts: noFilter }),
      maxMemoryGib: optional('number', { ...FILTER, verdicts: noFilter }),
      minDiskGib: optional('number', { ...FILTER, verdicts: noFilter }),
      maxDiskGib: optional('number', { ...FILTER, verdicts: noFilter }),
      isPublic: optional('boolean', { ...FILTER, verdicts: noFilter }),
      isRecoverable: optional('boolean', { ...FILTER, verdicts: noFilter }),
      createdAtAfter: optional('Date', { ...FILTER, verdicts: noFilter }),
      createdAtBefore: optional('Date', { ...FILTER, verdicts: noFilter }),
      lastActivityAfter: optional('Date', { ...FILTER, verdicts: noFilter }),
      lastActivityBefore: optional('Date', { ...FILTER, verdicts: noFilter }),
      autoDestroyAtAfter: optional('Date', { since: '0.201.0', ...FILTER, verdicts: noFilter }),
      autoDestroyAtBefore: optional('Date', { since: '0.201.0', ...FILTER, verdicts: noFilter }),
    },
  },
  {
    name: 'SandboxListing',
    kind: 'interface',
    exported: false,
    ours: true,
    py: null,
    heritage: 'extends AsyncIterableIterator<Sandbox, undefined>, PromiseLike<SandboxPage>',
    ...typeOnly(),
  },
  {
    name: 'SandboxPage',
    kind: 'interface',
    exported: false,
    ours: true,
    py: 'PaginatedSandboxes',
    since: '0.108.0',
    until: '0.180.0',
    replacedBy: 'Daytona.list',
    heritage: 'extends Array<Sandbox>',
    formerly: [{ name: 'PaginatedSandboxes', since: '0.108.0', until: '0.180.0' }],
    rule: 'DT206',
    becomes: 'for await (const sandbox of provider.list())',
    fix: 'review',
    verdicts: LISTING,
    members: {
      items: property('Sandbox[]', { becomes: 'provider.list() is iterated directly' }),
      total: property('number', { becomes: null, fix: 'manual' }),
      page: property('number', { becomes: null, fix: 'manual' }),
      totalPages: property('number', { becomes: null, fix: 'manual' }),
    },
  },
  {
    name: 'SandboxFilter',
    kind: 'interface',
    exported: false,
    since: '0.15.0',
    until: '0.153.0',
    replacedBy: 'ListSandboxesQuery',
    py: null,
    rule: 'DT206',
    becomes: '{ labels }',
    fix: 'review',
    verdicts: LISTING,
    members: {
      id: quiet('string', { until: '0.110.0' }),
      idOrName: quiet('string', { since: '0.110.0' }),
      labels: quiet('Record<string, string>'),
    },
  },
  {
    name: 'ForkSandboxParams',
    kind: 'interface',
    exported: true,
    since: '0.202.0',
    py: null,
    rule: 'DT306',
    becomes: '{ name }',
    fix: 'automatic',
    verdicts: everywhere(adapted('The name goes to the ledger.')),
    members: { name: quiet('string') },
  },
];
