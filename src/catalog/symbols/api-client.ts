import { method, quiet } from '../define.ts';
import type { MemberEntry, TypeEntry } from '../types.ts';
import { everywhere, unsupported } from '../verdicts.ts';

const REST = {
  rule: 'DT902',
  becomes: null,
  fix: 'manual',
  verdicts: everywhere(
    unsupported('Bypasses the SDK: use the provider, or sandbox.native for what it lacks.'),
  ),
} as const;

const answer = method('(...args: any[]): Promise<{ data: any; status: number }>');

const operations = (...names: string[]): Record<string, MemberEntry> =>
  Object.fromEntries(names.map((name) => [name, answer]));

const api = (
  name: string,
  client: 'api-client' | 'toolbox-api-client',
  members: Record<string, MemberEntry> = {},
): TypeEntry => ({
  name,
  kind: 'class',
  exported: false,
  client,
  construct: 'configuration?: Configuration, basePath?: string, axios?: any',
  ...REST,
  members,
});

/** Names people import from the generated REST clients, apart from the models listed elsewhere. */
export const API_CLIENT: readonly TypeEntry[] = [
  {
    name: 'Configuration',
    kind: 'class',
    exported: false,
    client: 'api-client',
    construct: 'param?: ConfigurationParameters',
    ...REST,
    members: {
      apiKey: quiet('any'),
      accessToken: quiet('any'),
      basePath: quiet('string', { py: 'host' }),
      baseOptions: quiet('any', { py: null }),
    },
  },
  {
    name: 'ConfigurationParameters',
    kind: 'interface',
    exported: false,
    client: 'api-client',
    py: null,
    ...REST,
    members: {
      apiKey: quiet('any'),
      accessToken: quiet('any'),
      basePath: quiet('string'),
      baseOptions: quiet('any'),
    },
  },
  {
    ...api(
      'SandboxApi',
      'api-client',
      operations(
        'createSandbox',
        'getSandbox',
        'listSandboxes',
        'startSandbox',
        'stopSandbox',
        'deleteSandbox',
        'archiveSandbox',
        'replaceLabels',
        'setAutostopInterval',
        'setAutoArchiveInterval',
        'setAutoDeleteInterval',
        'getPortPreviewUrl',
        'getSignedPortPreviewUrl',
        'createSshAccess',
        'updatePublicStatus',
      ),
    ),
  },
  {
    ...api(
      'WorkspaceApi',
      'api-client',
      operations(
        'createWorkspace',
        'getWorkspace',
        'listWorkspaces',
        'startWorkspace',
        'stopWorkspace',
        'deleteWorkspace',
      ),
    ),
    until: '0.21.0',
    replacedBy: 'SandboxApi',
  },
  { ...api('ToolboxApi', 'api-client'), until: '0.184.0', replacedBy: 'ProcessApi' },
  api('SnapshotsApi', 'api-client'),
  api('VolumesApi', 'api-client'),
  api('ObjectStorageApi', 'api-client'),
  api('OrganizationsApi', 'api-client'),
  api('UsersApi', 'api-client'),
  api('ApiKeysApi', 'api-client'),
  api('DockerRegistryApi', 'api-client'),
  api('ConfigApi', 'api-client'),
  api('ProcessApi', 'toolbox-api-client'),
  api('FileSystemApi', 'toolbox-api-client'),
  api('GitApi', 'toolbox-api-client'),
  api('LspApi', 'toolbox-api-client'),
  api('InfoApi', 'toolbox-api-client'),
  api('ComputerUseApi', 'toolbox-api-client'),
  api('InterpreterApi', 'toolbox-api-client'),
];
