/**
 * npm packages that are Daytona's, by what they hold. Source: the registry and the SDK's release
 * notes; `@daytona/*` exists since 0.162.0, the older scope is still published.
 */
const SDK_PACKAGES = ['@daytonaio/sdk', '@daytona/sdk'] as const;

/** Generated REST clients; their types (`SandboxState`, `FileInfo`) reach user code through the SDK. */
const API_CLIENT_PACKAGES = [
  '@daytonaio/api-client',
  '@daytona/api-client',
  '@daytonaio/toolbox-api-client',
  '@daytona/toolbox-api-client',
  '@daytonaio/analytics-api-client',
  '@daytona/analytics-api-client',
] as const;

/** Other people's packages that hide Daytona; reported, never rewritten. */
export const WRAPPER_PACKAGES: Readonly<Record<string, string>> = {
  '@computesdk/daytona': 'Use the E2B provider of computesdk, or call @cubeshift/sandbox directly.',
  '@mastra/daytona': 'Use @mastra/e2b, or pass a @cubeshift/sandbox sandbox to a tool of your own.',
  '@langchain/daytona': 'Write a deepagents sandbox backend over @cubeshift/sandbox.',
  '@vibe-kit/daytona': 'Use @vibe-kit/e2b.',
};

/** Scoped packages that carry the name are wrappers too, e.g. `@acme/sandbox-daytona`. */
const WRAPPER_SHAPE = /^@(?!daytona(?:io)?\/)[^/]+\/(?:[^/]*-)?daytona(?:-[^/]*)?$/;

type PackageKind = 'sdk' | 'api-client' | 'wrapper';

export interface PackageMatch {
  kind: PackageKind;
  /** Package name without the sub-path. */
  name: string;
  /** What follows the package name, without the slash; empty for the root. */
  subpath: string;
}

const KINDS = new Map<string, PackageKind>([
  ...SDK_PACKAGES.map((name) => [name, 'sdk'] as const),
  ...API_CLIENT_PACKAGES.map((name) => [name, 'api-client'] as const),
  ...Object.keys(WRAPPER_PACKAGES).map((name) => [name, 'wrapper'] as const),
]);

/** Recognises a module specifier of a Daytona package, with or without a deep path. */
export function matchPackage(specifier: string): PackageMatch | undefined {
  if (!specifier.startsWith('@')) return undefined;
  const parts = specifier.split('/');
  const name = parts.slice(0, 2).join('/');
  const kind = KINDS.get(name) ?? (WRAPPER_SHAPE.test(name) ? 'wrapper' : undefined);
  return kind && { kind, name, subpath: parts.slice(2).join('/') };
}
