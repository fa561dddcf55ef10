import type { FrontContext } from '../front.ts';
import { FileMetadata } from './envd/metadata.ts';
import { Processes } from './envd/processes.ts';
import { Watchers } from './envd/watchers.ts';
import { ApiError } from './errors.ts';
import { sandboxId, token } from './ids.ts';
import { Lifetime } from './lifetime.ts';
import { LiveSandbox, type SandboxSpec } from './live-sandbox.ts';
import { isCutOff } from './network.ts';
import type { Preset } from './presets.ts';
import { startCommand } from './start-command.ts';
import type { Templates } from './templates.ts';
import type { Volumes } from './volumes.ts';

/** Ids of killed sandboxes that are remembered, since Cube's proxy tells them from unknown ones. */
const MAX_KILLED = 10_000;

/** The sandboxes of one front, from create to the end. */
export class Sandboxes {
  readonly #context: FrontContext;
  readonly #preset: Preset;
  readonly #templates: Templates;
  readonly #volumes: Volumes;
  readonly #byId = new Map<string, LiveSandbox>();
  readonly #killed = new Set<string>();
  /** Ends that are under way; `close` waits for them. */
  readonly #ending = new Set<Promise<void>>();

  constructor(context: FrontContext, preset: Preset, templates: Templates, volumes: Volumes) {
    this.#context = context;
    this.#preset = preset;
    this.#templates = templates;
    this.#volumes = volumes;
  }

  /** All, oldest first. */
  list(): LiveSandbox[] {
    return [...this.#byId.values()];
  }

  get(id: string): LiveSandbox | undefined {
    const sandbox = this.#byId.get(id);
    // Its first process may have died, as when memory ran out.
    if (
      sandbox?.state === 'running' &&
      sandbox.engine.state === 'stopped' &&
      sandbox.transition === undefined
    ) {
      void this.#end(sandbox);
      return undefined;
    }
    return sandbox;
  }

  wasKilled(id: string): boolean {
    return this.#killed.has(id);
  }

  async create(spec: SandboxSpec): Promise<LiveSandbox> {
    const { engine } = this.#context;
    const id = sandboxId(this.#preset);
    const mounts = await this.#volumes.mounts(spec.mounts);
    const { template } = spec;
    const made = await engine.create({
      id,
      user: template.user,
      mounts,
      ...(template.snapshot === undefined ? {} : { from: template.snapshot }),
      // Where sandboxes share the host's network, the isolation report says so.
      ...(isCutOff(spec.network, spec.allowInternet) && engine.isolation.network === 'separate'
        ? { outbound: false }
        : {}),
    });
    const { quirks, lifetime, knowsSandboxId } = this.#preset;
    const own = { ...template.envs, ...spec.envs };
    const known = knowsSandboxId
      ? { E2B_SANDBOX: 'true', E2B_SANDBOX_ID: id, E2B_TEMPLATE_ID: template.templateId }
      : { E2B_SANDBOX: 'false' };
    const isRestricted = !spec.network.allowPublicTraffic;
    const sandbox: LiveSandbox = new LiveSandbox(
      {
        id,
        spec,
        engine: made,
        lifetime: new Lifetime(engine.clock, lifetime.clock, () => this.#expire(sandbox)),
        envdToken: spec.isSecure && !quirks.ignoresSecure ? token() : undefined,
        trafficToken: isRestricted ? token() : undefined,
        env: { ...known, ...own },
        kernelEnv: quirks.kernelsLackVariables ? known : { ...known, ...own },
        startedAt: engine.clock.now(),
      },
      (self) => ({
        processes: new Processes(self, engine.clock),
        watchers: new Watchers(made.files),
        metadata: new FileMetadata(),
      }),
    );
    this.#byId.set(id, sandbox);
    this.#templates.spawned(template.templateId);
    sandbox.lifetime.set(spec.timeoutS);
    await startCommand(sandbox);
    return sandbox;
  }

  /** Resolves when no change of state is under way. */
  async settled(sandbox: LiveSandbox): Promise<void> {
    while (sandbox.transition !== undefined) await sandbox.transition.done.catch(() => undefined);
  }

  /** Freezes it; without its memory, its processes end and only the disk stays. */
  async pause(sandbox: LiveSandbox, keepsMemory: boolean): Promise<void> {
    await this.#change(sandbox, 'paused', async () => {
      sandbox.lifetime.stop();
      sandbox.cut();
      if (keepsMemory) await sandbox.engine.pause();
      else {
        await sandbox.forgetProcesses();
        await sandbox.engine.stop();
      }
      sandbox.isCold = !keepsMemory;
    });
  }

  /** Wakes it, for so many seconds from now. */
  async resume(sandbox: LiveSandbox, timeoutS: number): Promise<void> {
    await this.#change(sandbox, 'running', async () => {
      if (sandbox.isCold) {
        await sandbox.engine.start();
        await startCommand(sandbox);
      } else await sandbox.engine.resume();
      sandbox.isCold = false;
      sandbox.startedAt = this.#context.engine.clock.now();
      sandbox.lifetime.set(timeoutS);
    });
  }

  /** Its files as they were at a snapshot of the engine; its processes end. */
  async rollback(sandbox: LiveSandbox, snapshot: string): Promise<void> {
    await this.settled(sandbox);
    await this.#during(sandbox, 'running', async () => {
      sandbox.cut();
      await sandbox.forgetProcesses();
      await sandbox.engine.rollback(snapshot);
    });
  }

  async kill(sandbox: LiveSandbox): Promise<void> {
    this.#killed.add(sandbox.id);
    const [oldest] = this.#killed;
    if (this.#killed.size > MAX_KILLED && oldest !== undefined) this.#killed.delete(oldest);
    await this.#end(sandbox);
  }

  /** Loses what runs, as a restart of the host does; what is paused stays. */
  async restart(): Promise<void> {
    await Promise.all(this.list().map((sandbox) => this.settled(sandbox)));
    const running = this.list().filter(({ state }) => state === 'running');
    await Promise.all(running.map((sandbox) => this.#end(sandbox)));
  }

  /** Stops all timers and breaks all streams. The engine ends the sandboxes. */
  async close(): Promise<void> {
    for (const sandbox of this.#byId.values()) {
      sandbox.lifetime.stop();
      sandbox.cut();
      sandbox.watchers.close();
    }
    await Promise.all(this.#ending);
  }

  async #change(
    sandbox: LiveSandbox,
    to: 'running' | 'paused',
    change: () => Promise<void>,
  ): Promise<void> {
    await this.settled(sandbox);
    if (sandbox.state === to) throw new AlreadyError(to);
    await this.#during(sandbox, to, change);
  }

  /** Others wait meanwhile, and do not take a sandbox without processes for a dead one. */
  async #during(
    sandbox: LiveSandbox,
    to: 'running' | 'paused',
    change: () => Promise<void>,
  ): Promise<void> {
    const done = change().then(() => {
      sandbox.state = to;
    });
    const transition = { to, done };
    sandbox.transition = transition;
    try {
      await done;
    } finally {
      sandbox.transition = undefined;
    }
  }

  #end(sandbox: LiveSandbox): Promise<void> {
    this.#byId.delete(sandbox.id);
    sandbox.isEnded = true;
    sandbox.lifetime.stop();
    // First, so that clients see a broken connection and not a process that was killed.
    sandbox.cut();
    const ending = (async () => {
      await this.settled(sandbox);
      sandbox.lifetime.stop();
      await sandbox.forgetProcesses();
      await sandbox.engine.delete();
    })();
    this.#ending.add(ending);
    void ending.catch(() => undefined).then(() => this.#ending.delete(ending));
    return ending;
  }

  #expire(sandbox: LiveSandbox): void {
    const { onTimeout, keepsMemory } = sandbox.spec;
    const ending = onTimeout === 'pause' ? this.pause(sandbox, keepsMemory) : this.kill(sandbox);
    ending.catch((error) => {
      if (!(error instanceof AlreadyError)) this.#context.onError(error);
    });
  }
}

/** A sandbox was in the state that was asked for. */
export class AlreadyError extends ApiError {
  override name = 'AlreadyError';

  constructor(state: 'running' | 'paused') {
    super(409, `sandbox is already ${state}`);
  }
}
