/**
 * What clients attached to files by `X-Metadata-*`. The real service keeps it in extended
 * attributes, which Node cannot reach: here it follows the path, through uploads, renames and
 * removals of this API, and is not part of snapshots.
 */
export class FileMetadata {
  readonly #byPath = new Map<string, Readonly<Record<string, string>>>();

  get(path: string): Readonly<Record<string, string>> | undefined {
    return this.#byPath.get(path);
  }

  /** Replaces all that was there. */
  set(path: string, metadata: Readonly<Record<string, string>>): void {
    if (Object.keys(metadata).length === 0) this.#byPath.delete(path);
    else this.#byPath.set(path, metadata);
  }

  move(from: string, to: string): void {
    this.remove(to);
    for (const [path, metadata] of [...this.#byPath]) {
      if (!isIn(path, from)) continue;
      this.#byPath.delete(path);
      this.#byPath.set(to + path.slice(from.length), metadata);
    }
  }

  remove(path: string): void {
    for (const known of [...this.#byPath.keys()]) if (isIn(known, path)) this.#byPath.delete(known);
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
