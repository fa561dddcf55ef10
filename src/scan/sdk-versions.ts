import { pinnedMinor } from '../catalog/generations.ts';
import type { SdkUse } from '../model/report.ts';

/** Tells which SDK release applies to a file: that of the nearest manifest above it that names one. */
export function sdkVersions(uses: readonly SdkUse[]): (file: string) => string | null {
  const byFolder = new Map<string, string | null>();
  const releases = uses.map((use) => use.version ?? pinnedMinor(use.range) ?? null);
  for (const [index, { manifest }] of uses.entries()) {
    const version = releases[index] ?? null;
    const folder = manifest.slice(0, manifest.lastIndexOf('/') + 1);
    if (version !== null || !byFolder.has(folder)) byFolder.set(folder, version);
  }
  return (file) => {
    for (let folder = file; folder !== ''; ) {
      folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
      const version = byFolder.get(folder);
      if (version !== undefined) return version;
    }
    // Hoisted or single-package layouts: one version for all, when there is only one.
    const [only, ...others] = new Set(releases);
    return others.length === 0 ? (only ?? null) : null;
  };
}
