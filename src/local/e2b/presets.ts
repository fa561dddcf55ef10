import type { CubeRelease as Release } from '../../catalog/targets.ts';

/**
 * Everything that differs between the services this front imitates. Handlers read it; none of them
 * compares versions.
 *
 * Sources. E2B: the published OpenAPI, proto files and server of August 2026 (`e2b-dev/E2B`,
 * `e2b-dev/infra` 54693ff). Cube: `TencentCloudAgentRuntime/CubeSandbox` 23c69d6c (August 2026,
 * after 0.6.0 and before 0.7.0), its change log and issues for the rest.
 */

/** Releases of CubeSandbox that can be imitated, oldest first: each that changed what clients see. */
export const CUBE_VERSIONS = ['0.5.1', '0.6.0', '0.7.2'] as const satisfies readonly Release[];
export type CubeVersion = (typeof CUBE_VERSIONS)[number];
export type Flavor = 'cube' | 'e2b';

export interface Preset {
  /** As people write it: `e2b`, `cube@0.7.2`. */
  readonly name: string;
  readonly flavor: Flavor;
  /** Control-plane routes that exist. */
  readonly routes: ReadonlySet<string>;
  /** What create and get report; clients enable features by it. */
  readonly envdVersion: string;
  /** For whom envd acts when the client does not say: Cube never tells it the template's user. */
  readonly defaultUser: 'user' | 'root';
  /** Set in every process: Cube starts envd with `-isnotfc`, which then knows no sandbox id. */
  readonly knowsSandboxId: boolean;
  readonly resources: { cpuCount: number; memoryMB: number; diskSizeMB: number };
  readonly lifetime: Lifetime;
  readonly templates: TemplateRules;
  readonly proxy: ProxyRules;
  readonly quirks: Quirks;
}

export interface Lifetime {
  /** `absolute`: from when it was set. `idle`: from the last request through the proxy. */
  readonly clock: 'absolute' | 'idle';
  /** Seconds when create does not say; -1 is never. */
  readonly defaultS: { v1: number; v2: number };
  /** Longest in seconds, if there is a longest. */
  readonly maxS: number | undefined;
  /** What connect does to the timeout of a sandbox that runs. */
  readonly onConnect: 'extend' | 'ignore';
  /** Least time in seconds after traffic woke a sandbox. */
  readonly autoResumeS: number;
  /** Top-level `autoPause` and `autoResume`, as E2B's clients send them (Cube: #1254). */
  readonly takesFlatFlags: boolean;
  /** `lifecycle: { onTimeout, autoResume }` in the body of create: Cube's own form. */
  readonly takesLifecycle: boolean;
}

export interface TemplateRules {
  /** Names of the templates that are there from the start; the first is the default one. */
  readonly builtIn: readonly string[];
  /** Whether create resolves names; otherwise ids only. */
  readonly hasAliases: boolean;
  /** Cube turns everything that create is told by its inner service, bar bad input, into a 500. */
  readonly unknownStatus: 404 | 500;
}

export interface ProxyRules {
  /** `/sandbox/<id>/<port>/…` leads into a sandbox. */
  readonly hasPaths: boolean;
  /** The traffic token guards envd too, although no client sends it there. */
  readonly guardsEnvd: boolean;
}

/** Deviations by name, each with what it does and where it is known from. */
export interface Quirks {
  /** Metadata and state are applied to one page of the list, cut before (#1792). */
  readonly filtersAfterLimit: boolean;
  /** `nextToken`, `order`, `startedAfter` and `template` are ignored; no header tells of more. */
  readonly listsOnePage: boolean;
  /** Filters of metadata are compared as they are after one decoding; clients encode twice more. */
  readonly decodesMetadataOnce: boolean;
  /** `state=running,paused` means no filter, as does any other unknown word. */
  readonly takesOneState: boolean;
  /** Paused sandboxes are listed without their metadata (#1843). */
  readonly losesMetadataOnPause: boolean;
  /** `endAt` is left out for sandboxes that never time out. */
  readonly omitsNever: boolean;
  /** `GET` and lists show `pausing`, which E2B's enumeration does not have. */
  readonly showsPausing: boolean;
  /** `secure` has no effect and no envd token exists. */
  readonly ignoresSecure: boolean;
  /** Variables of create are checked: names, length, control characters. */
  readonly checksVariables: boolean;
  /** Kernels of the code interpreter do not see the variables of create (#565). */
  readonly kernelsLackVariables: boolean;
  /** Network rules are a list of Cube's own form; E2B's map is refused. */
  readonly listsNetworkRules: boolean;
  /** A paused sandbox cannot be deleted. */
  readonly keepsPaused: boolean;
  /** Pause without memory is ignored: memory is always kept (#1787). */
  readonly alwaysKeepsMemory: boolean;
  /** Deleting a snapshot answers 200 with an operation, not 204. */
  readonly answersSnapshotDelete: boolean;
  /** Volumes are called by their name, exist once per sandbox, cannot go while mounted. */
  readonly cubeVolumes: boolean;
  /** No route, a wrong method or a body of another shape: axum's answers, not JSON. */
  readonly answersLikeAxum: boolean;
}

/** Route, whether E2B has it, and the first of {@link CUBE_VERSIONS} that has it. */
const ROUTES: readonly (readonly [route: string, e2b: boolean, cube?: CubeVersion])[] = [
  ['GET /health', true, '0.5.1'],
  ['POST /sandboxes', true, '0.5.1'],
  ['GET /sandboxes', true, '0.5.1'],
  ['POST /v2/sandboxes', true],
  ['GET /v2/sandboxes', true, '0.5.1'],
  ['GET /sandboxes/metrics', true],
  ['GET /sandboxes/:id', true, '0.5.1'],
  ['DELETE /sandboxes/:id', true, '0.5.1'],
  ['POST /sandboxes/:id/connect', true, '0.5.1'],
  ['POST /v2/sandboxes/:id/connect', true],
  ['POST /sandboxes/:id/pause', true, '0.5.1'],
  ['POST /sandboxes/:id/resume', true, '0.5.1'],
  ['POST /sandboxes/:id/timeout', true, '0.5.1'],
  ['POST /sandboxes/:id/refreshes', true, '0.5.1'],
  ['POST /sandboxes/:id/fork', true],
  ['POST /sandboxes/:id/snapshots', true, '0.5.1'],
  ['POST /sandboxes/:id/rollback', false, '0.5.1'],
  ['PUT /sandboxes/:id/network', true, '0.7.2'],
  ['GET /sandboxes/:id/metrics', true],
  ['GET /sandboxes/:id/logs', true, '0.5.1'],
  ['GET /v2/sandboxes/:id/logs', true, '0.5.1'],
  ['GET /snapshots', true, '0.5.1'],
  ['GET /volumes', true, '0.6.0'],
  ['POST /volumes', true, '0.6.0'],
  ['GET /volumes/:id', true, '0.6.0'],
  ['DELETE /volumes/:id', true, '0.6.0'],
  ['GET /volumecontent/:id/file', true],
  ['PUT /volumecontent/:id/file', true],
  ['GET /volumecontent/:id/dir', true],
  ['POST /volumecontent/:id/dir', true],
  ['GET /volumecontent/:id/path', true],
  ['PATCH /volumecontent/:id/path', true],
  ['DELETE /volumecontent/:id/path', true],
  ['GET /templates', true, '0.5.1'],
  ['POST /templates', false, '0.5.1'],
  ['GET /templates/:id', true, '0.5.1'],
  ['POST /templates/:id', false, '0.5.1'],
  ['PATCH /templates/:id', true, '0.5.1'],
  ['PATCH /v2/templates/:id', true],
  ['DELETE /templates/:id', true, '0.5.1'],
  ['PUT /templates/:id/alias', false, '0.7.2'],
  ['GET /templates/compat', false, '0.7.2'],
  ['GET /templates/aliases/:alias', true, '0.6.0'],
  ['POST /templates/:id/builds/:build', false, '0.5.1'],
  ['GET /templates/:id/builds/:build/status', true, '0.5.1'],
  ['GET /templates/:id/builds/:build/logs', true, '0.5.1'],
  ['POST /v3/templates', true],
  ['POST /v2/templates', true],
  ['POST /v2/templates/:id/builds/:build', true],
  ['GET /templates/:id/files/:hash', true],
  ['PUT /templates/:id/files/:hash/:token', true],
  ['POST /templates/tags', true],
  ['DELETE /templates/tags', true],
  ['GET /templates/:id/tags', true],
];

function isAtLeast(version: CubeVersion, first: CubeVersion): boolean {
  return CUBE_VERSIONS.indexOf(version) >= CUBE_VERSIONS.indexOf(first);
}

const E2B: Preset = {
  name: 'e2b',
  flavor: 'e2b',
  routes: new Set(ROUTES.filter(([, e2b]) => e2b).map(([route]) => route)),
  envdVersion: '0.6.13',
  defaultUser: 'user',
  knowsSandboxId: true,
  resources: { cpuCount: 2, memoryMB: 1024, diskSizeMB: 10240 },
  lifetime: {
    clock: 'absolute',
    defaultS: { v1: 15, v2: 300 },
    maxS: 24 * 3600,
    onConnect: 'extend',
    autoResumeS: 300,
    takesFlatFlags: true,
    takesLifecycle: false,
  },
  templates: {
    builtIn: ['base', 'code-interpreter-v1', 'code-interpreter-beta'],
    hasAliases: true,
    unknownStatus: 404,
  },
  proxy: { hasPaths: false, guardsEnvd: false },
  quirks: {
    filtersAfterLimit: false,
    listsOnePage: false,
    decodesMetadataOnce: false,
    takesOneState: false,
    losesMetadataOnPause: false,
    omitsNever: false,
    showsPausing: false,
    ignoresSecure: false,
    checksVariables: false,
    kernelsLackVariables: false,
    listsNetworkRules: false,
    keepsPaused: false,
    alwaysKeepsMemory: false,
    answersSnapshotDelete: false,
    cubeVolumes: false,
    answersLikeAxum: false,
  },
};

function cube(version: CubeVersion): Preset {
  const since = (first: CubeVersion): boolean => isAtLeast(version, first);
  return {
    name: `cube@${version}`,
    flavor: 'cube',
    routes: new Set(
      ROUTES.filter(([, , first]) => first !== undefined && since(first)).map(([route]) => route),
    ),
    // Read from the image since 0.5.0; this is what their base image has.
    envdVersion: '0.5.11',
    defaultUser: 'root',
    knowsSandboxId: false,
    resources: { cpuCount: 2, memoryMB: 2000, diskSizeMB: 0 },
    lifetime: {
      clock: 'idle',
      // `default_timeout_insec`, as shipped.
      defaultS: { v1: -1, v2: -1 },
      maxS: undefined,
      // #1352
      onConnect: since('0.7.2') ? 'extend' : 'ignore',
      autoResumeS: 0,
      takesFlatFlags: since('0.7.2'),
      takesLifecycle: true,
    },
    templates: { builtIn: ['default'], hasAliases: since('0.6.0'), unknownStatus: 500 },
    proxy: { hasPaths: true, guardsEnvd: true },
    quirks: {
      filtersAfterLimit: true,
      listsOnePage: true,
      decodesMetadataOnce: true,
      takesOneState: true,
      losesMetadataOnPause: since('0.7.2'),
      omitsNever: true,
      showsPausing: true,
      ignoresSecure: true,
      checksVariables: true,
      kernelsLackVariables: true,
      listsNetworkRules: true,
      keepsPaused: !since('0.6.0'),
      alwaysKeepsMemory: true,
      answersSnapshotDelete: true,
      cubeVolumes: true,
      answersLikeAxum: true,
    },
  };
}

/** The newest release of Cube that is known. */
export const LATEST_CUBE: CubeVersion = '0.7.2';

/** The service to imitate. `version` counts for Cube only; without one, the newest known. */
export function presetOf(flavor: Flavor, version: CubeVersion = LATEST_CUBE): Preset {
  return flavor === 'e2b' ? E2B : cube(version);
}
