import type { Mount } from '../engine/isolation/types.ts';
import type { VolumeFolders } from '../volumes.ts';
import { ApiError } from './errors.ts';
import { token, uuid } from './ids.ts';
import type { VolumeMount } from './live-sandbox.ts';
import type { Preset } from './presets.ts';

export interface Volume {
  /** Told to clients. */
  readonly id: string;
  readonly name: string;
  /** For the content API; Cube has none. */
  readonly token: string;
  /** The folder on this host. */
  readonly folder: string;
}

/** Drivers that Cube's servers come with; all are one here. */
const DRIVERS: ReadonlySet<string> = new Set(['cos', 's3']);

/** The volumes of one front. */
export class Volumes {
  readonly #preset: Preset;
  readonly #folders: VolumeFolders;
  readonly #byId = new Map<string, Volume>();

  constructor(preset: Preset, folders: VolumeFolders) {
    this.#preset = preset;
    this.#folders = folders;
  }

  list(): Volume[] {
    return [...this.#byId.values()];
  }

  /** @throws ApiError 404, or 400 for what cannot be an id */
  get(id: string): Volume {
    const volume = this.#byId.get(id);
    if (volume !== undefined) return volume;
    if (this.#preset.quirks.cubeVolumes)
      throw new ApiError(404, cubeMaster(130404, `volume not found: ${id}`));
    if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
      throw new ApiError(400, 'Invalid volume ID');
    }
    throw new ApiError(404, 'Volume not found');
  }

  async create(name: string | undefined, driver: string | undefined): Promise<Volume> {
    const isCube = this.#preset.quirks.cubeVolumes;
    if (isCube && driver !== undefined && !DRIVERS.has(driver)) {
      throw new ApiError(400, cubeMaster(130400, `unknown driver: ${driver}`));
    }
    this.#checkName(name);
    const id = isCube ? (name ?? uuid()) : uuid();
    const volume = {
      id,
      name: name ?? id,
      token: isCube ? '' : token(),
      folder: `${this.#preset.flavor}-${uuid()}`,
    };
    this.#byId.set(id, volume);
    await this.#folders.create(volume.folder);
    return volume;
  }

  async remove(volume: Volume): Promise<void> {
    this.#byId.delete(volume.id);
    await this.#folders.remove(volume.folder);
  }

  hostDir({ folder }: Volume): Promise<string> {
    return this.#folders.hostDir(folder);
  }

  /** What the engine has to mount. @throws ApiError 400 */
  async mounts(wanted: readonly VolumeMount[]): Promise<Mount[]> {
    const isCube = this.#preset.quirks.cubeVolumes;
    const problems: string[] = [];
    const seen = new Set<string>();
    const found = wanted.map(({ name, path, readOnly }, index) => {
      const volume = this.list().find((known) => known.name === name || known.id === name);
      const key = isCube ? name : path;
      const reason =
        volume === undefined
          ? `volume '${name}' not found`
          : !path.startsWith('/')
            ? `path '${path}' is not absolute`
            : seen.has(key)
              ? `duplicate path '${path}'`
              : undefined;
      if (isCube && seen.has(key)) {
        throw new ApiError(
          400,
          `duplicate volumeMounts name ${JSON.stringify(name)}: each volume may be mounted at most once per sandbox`,
        );
      }
      seen.add(key);
      if (reason !== undefined) problems.push(`\t- volume mount #${index}: ${reason}`);
      return { volume, path, readOnly: readOnly ?? false };
    });
    if (problems.length > 0) {
      throw new ApiError(
        400,
        isCube
          ? cubeMaster(130400, problems.join('; '))
          : `invalid mounts:\n${problems.join('\n')}`,
      );
    }
    return Promise.all(
      found.flatMap(({ volume, path, readOnly }) =>
        volume === undefined
          ? []
          : [this.hostDir(volume).then((hostDir) => ({ hostDir, path, readOnly }))],
      ),
    );
  }

  #checkName(name: string | undefined): void {
    const isCube = this.#preset.quirks.cubeVolumes;
    const isRight = name === undefined ? isCube : /^[a-zA-Z0-9_-]{1,128}$/.test(name);
    if (!isRight) {
      throw new ApiError(
        400,
        isCube
          ? cubeMaster(130400, 'volume name must match ^[a-zA-Z0-9_-]{1,128}$')
          : 'Invalid volume name',
      );
    }
    if (name === undefined || !this.list().some((volume) => volume.name === name)) return;
    throw isCube
      ? new ApiError(409, cubeMaster(130409, `volume already exists: ${name}`))
      : new ApiError(400, `Volume with name '${name}' already exists`);
  }
}

/** How Cube's API words what its inner service refuses. */
export function cubeMaster(code: number, message: string): string {
  return `CubeMaster returned error code ${code}: ${message}`;
}
