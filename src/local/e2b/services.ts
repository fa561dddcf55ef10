import type { Clock } from '../engine/clock.ts';
import { EngineError } from '../engine/errors.ts';
import type { FrontContext } from '../front.ts';
import { Uploads } from '../uploads.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import type { Preset } from './presets.ts';
import { Sandboxes } from './sandboxes.ts';
import { TemplateBuilder } from './template-builder.ts';
import { Templates } from './templates.ts';
import { type Usage, usageOf } from './usage.ts';
import { Volumes } from './volumes.ts';

/** What handlers work with. */
export class E2bServices {
  readonly context: FrontContext;
  readonly preset: Preset;
  readonly clock: Clock;
  readonly templates: Templates;
  readonly volumes: Volumes;
  readonly sandboxes: Sandboxes;
  readonly uploads: Uploads;
  /** What each upload link that was handed out is for, by its secret. */
  readonly uploadLinks = new Map<string, string>();
  readonly builder: TemplateBuilder;
  readonly onError: (error: unknown) => void;
  readonly #domain: string | undefined;

  constructor(context: FrontContext, preset: Preset, domain: string | undefined) {
    this.context = context;
    this.preset = preset;
    this.clock = context.engine.clock;
    this.onError = context.onError;
    this.#domain = domain;
    this.templates = new Templates(preset, this.clock);
    this.volumes = new Volumes(preset, context.volumes);
    this.uploads = new Uploads(context.volumes);
    this.builder = new TemplateBuilder(context, this.templates, this.uploads);
    this.sandboxes = new Sandboxes(context, preset, this.templates, this.volumes);
  }

  /** What `<port>-<id>.` is put before; told to clients, who then know how to reach ports. */
  get domain(): string {
    return this.#domain ?? `localhost:${new URL(this.context.origin()).port}`;
  }

  /** Whether the sandbox has such an account. */
  async userExists({ engine }: LiveSandbox, user: string): Promise<boolean> {
    try {
      await engine.files.resolve('~', { user });
      return true;
    } catch (error) {
      if (error instanceof EngineError && error.code === 'unknown-user') return false;
      throw error;
    }
  }

  /** Stops timers, breaks streams, and waits for what is under way. */
  async close(): Promise<void> {
    await Promise.all([this.sandboxes.close(), this.builder.close()]);
    await this.uploads.close();
  }

  usage(sandbox: LiveSandbox): Promise<Usage> {
    return usageOf(sandbox);
  }
}
