import { method, optional, property, quiet } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, emulated, everywhere, from, native, split, unsupported } from '../verdicts.ts';

const IDLE = split(
  emulated('E2B counts wall time, not idleness: the provider extends the lifetime on each call.'),
  from(
    '0.7.0',
    adapted('Minutes become milliseconds; Cube ends idle sandboxes the same way.'),
    adapted('Minutes become milliseconds; before 0.7.0 only with the fields of Cube itself.'),
  ),
);

const LEDGER = everywhere(
  emulated('Kept by the ledger: acts only while a janitor runs, in any of your processes.'),
);

const EGRESS = {
  e2b: adapted('A comma-separated string becomes an array.'),
  cube: adapted('A comma-separated string becomes an array; private ranges are denied by default.'),
  local: emulated('Recorded and reported, not enforced.'),
};

const TEMPLATE_SIZE = everywhere(
  unsupported('Size belongs to the template: build one template per size and name it.'),
);

const NO_HARDWARE = everywhere(
  unsupported('The targets run plain CPU microVMs; keep such workloads on Daytona.'),
);

/** What `create()` takes. Each key is reported on its own, since each has its own loss. */
export const CREATE_PARAMS: readonly TypeEntry[] = [
  {
    name: 'CreateSandboxBaseParams',
    kind: 'interface',
    exported: true,
    since: '0.21.0',
    options: 'each',
    rule: 'DT204',
    becomes: 'CreateOptions',
    fix: 'automatic',
    verdicts: everywhere(adapted('Names and units differ per key.')),
    members: {
      name: optional('string', {
        since: '0.110.0',
        becomes: 'name',
        verdicts: everywhere(
          emulated('Names live in the ledger; other clients of the backend do not see them.'),
        ),
      }),
      user: optional('string', {
        since: '0.9.2',
        py: 'os_user',
        becomes: 'user',
        fix: 'review',
        verdicts: everywhere(
          emulated('Applied per command; the account must exist in the template (not daytona).'),
        ),
      }),
      language: optional('CodeLanguage | string', {
        since: '0.9.2',
        becomes: 'language (an option of runCode)',
        fix: 'review',
        verdicts: everywhere(adapted('Belongs to each runCode call instead of the sandbox.')),
      }),
      envVars: optional('Record<string, string>', {
        since: '0.9.2',
        becomes: 'env',
        verdicts: split(
          native(),
          adapted(
            'Values up to 4096 bytes without line breaks; PATH, LD_*, NODE_PATH and others are refused.',
          ),
        ),
      }),
      labels: optional('Record<string, string>', {
        since: '0.9.2',
        becomes: 'labels',
        verdicts: split(
          adapted('Stored as metadata; later changes are kept in the ledger.'),
          adapted('Stored as metadata in an encoded form; later changes are kept in the ledger.'),
        ),
      }),
      public: optional('boolean', {
        since: '0.9.2',
        becomes: 'public',
        verdicts: split(
          adapted('The default is the opposite on E2B; the provider always sends it.'),
          emulated(
            'Private ports need a proxy that adds the traffic token for commands and files.',
          ),
        ),
      }),
      autoStopInterval: optional('number', {
        since: '0.9.2',
        becomes: "idleTimeoutMs, with onIdle: 'stop'",
        fix: 'review',
        verdicts: IDLE,
      }),
      autoPauseInterval: optional('number', {
        since: '0.199.0',
        becomes: "idleTimeoutMs, with onIdle: 'pause'",
        fix: 'review',
        verdicts: IDLE,
      }),
      autoArchiveInterval: optional('number', {
        becomes: 'a janitor policy: archive after a stop',
        fix: 'review',
        verdicts: LEDGER,
      }),
      autoDeleteInterval: optional('number', {
        since: '0.23.0',
        becomes: "onIdle: 'delete' for 0, otherwise a janitor policy",
        fix: 'review',
        verdicts: LEDGER,
      }),
      ephemeral: optional('boolean', {
        since: '0.27.0',
        becomes: "onIdle: 'delete'",
        verdicts: everywhere(native('The usual behaviour of the targets.')),
      }),
      ttlMinutes: optional('number', {
        since: '0.199.0',
        becomes: 'lifetimeMs',
        verdicts: split(
          adapted('Minutes become milliseconds; at most 24 hours.'),
          emulated('Cube counts idleness only: a janitor ends the sandbox at its deadline.'),
        ),
      }),
      volumes: optional('VolumeMount[]', {
        since: '0.17.0',
        becomes: 'volumes: [{ volume, path, subpath, readOnly }]',
        verdicts: split(
          adapted('Mounted by name.'),
          from(
            '0.6.0',
            adapted('Mounted by name, each volume once per sandbox.'),
            unsupported('Cube has volumes since 0.6.0: upgrade, or copy files in and out.'),
          ),
        ),
      }),
      networkBlockAll: optional('boolean', {
        since: '0.27.0',
        becomes: 'network: { internet: false }',
        verdicts: { e2b: native(), local: emulated('Recorded and reported, not enforced.') },
      }),
      networkAllowList: optional('string', {
        since: '0.27.0',
        becomes: 'network: { allow: [...] }',
        verdicts: EGRESS,
      }),
      domainAllowList: optional('string', {
        since: '0.190.0',
        becomes: 'network: { allow: [...] }',
        verdicts: EGRESS,
      }),
      outboundProxyUrl: optional('string', {
        since: '0.204.0',
        becomes: 'env: { HTTP_PROXY, HTTPS_PROXY }',
        fix: 'manual',
        verdicts: everywhere(
          emulated('Set as environment variables: programs that ignore them go direct.'),
        ),
      }),
      secrets: optional('Record<string, string>', {
        since: '0.192.0',
        becomes: null,
        fix: 'manual',
        verdicts: split(
          emulated('Use E2B secrets with a network transform through sandbox.native.'),
          emulated('Use Cube network rules that inject headers, or pass env and lose the hiding.'),
        ),
      }),
      linkedSandbox: optional('string', {
        since: '0.183.0',
        becomes: null,
        fix: 'manual',
        verdicts: everywhere(
          unsupported('Reach the other sandbox by its port URL instead of a shared network.'),
        ),
      }),
      spot: optional('boolean', {
        since: '0.205.0',
        becomes: null,
        fix: 'manual',
        verdicts: NO_HARDWARE,
      }),
      kvm: optional('boolean', {
        since: '0.218.0',
        py: null,
        becomes: null,
        fix: 'manual',
        verdicts: NO_HARDWARE,
      }),
      otelEndpointOverride: optional('string', {
        since: '0.205.0',
        becomes: 'env: { OTEL_EXPORTER_OTLP_ENDPOINT }',
        fix: 'manual',
        verdicts: everywhere(emulated('Only your own programs report; the platform does not.')),
      }),
    },
  },
  {
    name: 'CreateSandboxFromSnapshotParams',
    kind: 'interface',
    exported: true,
    since: '0.21.0',
    heritage: 'extends CreateSandboxBaseParams',
    options: 'each',
    rule: 'DT204',
    becomes: 'CreateOptions',
    fix: 'automatic',
    verdicts: everywhere(adapted('Names and units differ per key.')),
    members: {
      snapshot: optional('string', {
        becomes: 'template',
        verdicts: split(
          adapted('The template must be built once, under the same name.'),
          from(
            '0.6.0',
            adapted('The template must exist; names are lower-case letters, digits and hyphens.'),
            adapted('The template must exist and is given by id: it has names since 0.6.0.'),
          ),
        ),
      }),
    },
  },
  {
    name: 'CreateSandboxFromImageParams',
    kind: 'interface',
    exported: true,
    since: '0.21.0',
    heritage: 'extends CreateSandboxBaseParams',
    options: 'each',
    rule: 'DT204',
    becomes: 'CreateOptions',
    fix: 'automatic',
    verdicts: everywhere(adapted('Names and units differ per key.')),
    members: {
      image: optional('string | Image', {
        becomes: 'template (built before with provider.templates.build)',
        fix: 'manual',
        verdicts: split(
          emulated('No build during create: build a template from the image once and name it.'),
          emulated('No build during create: push the image with envd in it, then make a template.'),
        ),
      }),
      resources: optional('Resources', {
        becomes: null,
        fix: 'manual',
        verdicts: TEMPLATE_SIZE,
      }),
    },
  },
  {
    name: 'CreateSandboxParams',
    kind: 'interface',
    exported: true,
    since: '0.12.0',
    until: '0.21.0',
    replacedBy: 'CreateSandboxFromSnapshotParams',
    formerly: [{ name: 'CreateWorkspaceParams', until: '0.21.0' }],
    heritage: 'extends CreateSandboxBaseParams',
    options: 'each',
    rule: 'DT204',
    becomes: 'CreateOptions',
    fix: 'automatic',
    verdicts: everywhere(adapted('Names and units differ per key.')),
    members: {
      id: optional('string', { until: '0.15.0', replacedBy: 'CreateSandboxBaseParams.name' }),
      image: optional('any', {
        until: '0.21.0',
        replacedBy: 'CreateSandboxFromSnapshotParams.snapshot',
        rule: 'DT014',
        fix: 'review',
      }),
      resources: optional('any', {
        until: '0.21.0',
        replacedBy: 'CreateSandboxFromImageParams.resources',
      }),
      target: optional('string', { until: '0.18.0', replacedBy: 'DaytonaConfig.target' }),
      async: optional('boolean', {
        until: '0.21.0',
        becomes: null,
        fix: 'review',
        verdicts: everywhere(adapted('create() waits for the start; do not await it instead.')),
      }),
      timeout: optional('number', { until: '0.21.0', replacedBy: 'CreateOptions.timeout' }),
    },
  },
  {
    name: 'Resources',
    kind: 'interface',
    exported: true,
    options: 'each',
    formerly: [
      { name: 'SandboxResources', since: '0.12.0', until: '0.21.0' },
      { name: 'WorkspaceResources', until: '0.21.0' },
    ],
    rule: 'DT204',
    becomes: 'provider.templates.build({ …, cpu, memoryMb, diskMb })',
    fix: 'manual',
    verdicts: TEMPLATE_SIZE,
    since: '0.21.0',
    members: {
      cpu: optional('number', { verdicts: TEMPLATE_SIZE }),
      memory: optional('number', { verdicts: TEMPLATE_SIZE }),
      disk: optional('number', { verdicts: TEMPLATE_SIZE }),
      gpu: optional('number', { becomes: null, verdicts: NO_HARDWARE }),
      gpuType: optional('GpuType | GpuType[]', {
        since: '0.184.0',
        becomes: null,
        verdicts: NO_HARDWARE,
      }),
    },
  },
  {
    name: 'VolumeMount',
    kind: 'interface',
    exported: true,
    since: '0.17.0',
    options: 'each',
    formerly: [{ name: 'SandboxVolume', client: 'api-client' }],
    rule: 'DT701',
    becomes: '{ volume, path, subpath, readOnly }',
    fix: 'automatic',
    verdicts: split(
      adapted('Mounted by name.'),
      from(
        '0.6.0',
        adapted('Mounted by name, each volume once per sandbox.'),
        unsupported('Cube has volumes since 0.6.0: upgrade, or copy files in and out.'),
      ),
    ),
    members: {
      volumeId: property('string', { becomes: 'volume' }),
      mountPath: property('string', { becomes: 'path' }),
      subpath: optional('string', {
        since: '0.119.0',
        becomes: 'subpath',
        fix: 'review',
        verdicts: split(
          emulated(
            'The whole volume is mounted and the folder linked: no isolation between folders.',
          ),
          from(
            '0.6.0',
            emulated(
              'The whole volume is mounted and the folder linked: no isolation between folders.',
            ),
            unsupported('Cube has volumes since 0.6.0: upgrade, then use one volume per tenant.'),
          ),
        ),
      }),
    },
  },
  {
    name: 'SandboxCodeToolbox',
    kind: 'interface',
    exported: true,
    until: '0.167.0',
    py: null,
    formerly: [{ name: 'WorkspaceCodeToolbox', until: '0.21.0' }],
    rule: 'DT801',
    becomes: null,
    fix: 'manual',
    verdicts: everywhere(unsupported('Internal to old SDKs: call sandbox.runCode instead.')),
    since: '0.12.0',
    members: {
      getRunCommand: method('(code: string, params?: CodeRunParams): string', { py: null }),
    },
  },
  {
    name: 'SandboxResourcesInfo',
    kind: 'interface',
    exported: false,
    ours: true,
    py: null,
    until: '0.21.0',
    replacedBy: 'Sandbox',
    rule: 'DT302',
    becomes: '(await sandbox.info()).resources',
    fix: 'review',
    verdicts: everywhere(adapted('Numbers instead of strings.')),
    members: {
      cpu: quiet('string', { replacedBy: 'Sandbox.cpu' }),
      gpu: quiet('string', { replacedBy: 'Sandbox.gpu' }),
      memory: quiet('string', { replacedBy: 'Sandbox.memory' }),
      disk: quiet('string', { replacedBy: 'Sandbox.disk' }),
    },
  },
];
