import type { World } from './world.ts';

/** Names that programs for the service's default image rely on, where this host has another name. */
const ALIASES = `
if ! command -v python > /dev/null && command -v python3 > /dev/null; then
  ln -s "$(command -v python3)" /usr/local/bin/python && echo changed
fi`;

/** What all sandboxes of this front start from: this host's root, with what it lacks added once. */
export class BaseImage {
  readonly #world: World;
  #files: Promise<string | undefined> | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** The engine's snapshot, or nothing when the root is good as it is. */
  files(): Promise<string | undefined> {
    this.#files ??= this.#prepare().catch((error: unknown) => {
      // Sandboxes without these names are better than none.
      this.#world.context.onError(error);
      return undefined;
    });
    return this.#files;
  }

  async #prepare(): Promise<string | undefined> {
    const { engine } = this.#world.context;
    // In plain folders a command's paths are this host's own, which are not to be changed.
    if (engine.isolation.mode !== 'namespaces') return undefined;
    const id = 'daytona-base';
    const sandbox = await engine.create({ id, user: 'root' });
    try {
      const process = await sandbox.spawn({ argv: ['/bin/sh', '-c', ALIASES] });
      process.stderr.resume();
      let said = '';
      for await (const chunk of process.stdout) said += chunk;
      await process.exit;
      if (!said.includes('changed')) return undefined;
      await engine.snapshot(id, id);
      return id;
    } finally {
      await sandbox.delete();
    }
  }
}
