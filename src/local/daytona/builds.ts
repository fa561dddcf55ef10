import { createHash, randomUUID } from 'node:crypto';
import { BuildLog } from './build-log.ts';
import { DaytonaFailure } from './errors.ts';
import { buildImage } from './image-build.ts';
import type { BuildInfo, ImageConfig } from './record.ts';
import type { World } from './world.ts';

/** What a build leaves: files, and how processes are started. */
export interface Built {
  files: string;
  image: ImageConfig;
}

export class Builds {
  readonly #world: World;
  /** By reference: the same instructions and files are built once, as by the service. */
  readonly #built = new Map<string, Promise<Built>>();
  /** By the id of the sandbox or snapshot that is built for. */
  readonly #logs = new Map<string, BuildLog>();

  constructor(world: World) {
    this.#world = world;
  }

  info(dockerfileContent: string, contextHashes: readonly string[]): BuildInfo {
    const hash = createHash('sha256');
    hash.update(JSON.stringify([dockerfileContent, contextHashes]));
    return {
      dockerfileContent,
      contextHashes,
      createdAt: this.#world.now(),
      snapshotRef: `daytona-${hash.digest('hex')}:daytona`,
    };
  }

  log(id: string): BuildLog {
    const log = this.#logs.get(id);
    if (log === undefined) throw new DaytonaFailure(404, `Build logs for ${id} not found`);
    return log;
  }

  /** Opens the log of a build that is about to start. */
  open(id: string): BuildLog {
    const log = new BuildLog();
    this.#logs.set(id, log);
    return log;
  }

  /** Builds, or answers what was built from the same before. */
  async build(info: BuildInfo, log: BuildLog): Promise<Built> {
    const known = this.#built.get(info.snapshotRef);
    if (known !== undefined) {
      log.write('Using the image that was built from the same instructions before\n');
      return known;
    }
    const building = this.#build(info, log);
    this.#built.set(info.snapshotRef, building);
    building.catch(() => this.#built.delete(info.snapshotRef));
    return building;
  }

  async #build(info: BuildInfo, log: BuildLog): Promise<Built> {
    const { engine } = this.#world.context;
    const id = `build-${randomUUID()}`;
    const contexts = info.contextHashes.map((hash) => {
      const archive = this.#world.objects.read(`${this.#world.organizationId}/${hash}/context.tar`);
      if (archive === undefined) throw new DaytonaFailure(400, `build context ${hash} is missing`);
      return archive;
    });
    const sandbox = await engine.create({ id, user: 'root' });
    try {
      const image = await buildImage({
        sandbox,
        dockerfile: info.dockerfileContent,
        contexts,
        log: (text) => log.write(text),
      });
      const files = `image-${id}`;
      await engine.snapshot(id, files);
      return { files, image };
    } finally {
      await sandbox.delete();
    }
  }
}
