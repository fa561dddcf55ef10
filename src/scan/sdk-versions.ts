import { pinnedMinor } from '../catalog/generations.ts';
import type { SdkUse } from '../model/report.ts';

/** Leaves out manifests above the scanned files when one nearer to all of them names an SDK too. */
export function nearestUses(uses: readonly SdkUse[], files: readonly string[]): SdkUse[] {
  const covers = (use: SdkUse) => files.every((file) => file.startsWith(folderOf(use)));
  const covering = uses.filter(covers);
  const nearest = Math.max(...covering.map((use) => folderOf(use).length));
  return uses.filter((use) => !covering.includes(use) || folderOf(use).length === nearest);
}

/** Tells which SDK release applies to a file: that of the nearest manifest above it that names one. */
export function sdkVersions(uses: readonly SdkUse[]): (file: string) => string | null {
  const byFolder = new Map<string, string | null>();
  const releases = uses.map((use) => use.version ?? pinnedMinor(use.range) ?? null);
  for (const [index, use] of uses.entries()) {
    const version = releases[index] ?? null;
    const folder = folderOf(use);
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

/** With a slash at its end, so that it is the start of exactly the names below it. */
function folderOf({ manifest }: SdkUse): string {
  return manifest.slice(0, manifest.lastIndexOf('/') + 1);
}
