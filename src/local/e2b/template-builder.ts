import type { FrontContext } from '../front.ts';
import type { Uploads } from '../uploads.ts';
import {
  type Context,
  runStep,
  type Step,
  StepError,
  type StepTools,
  shell,
} from './build-steps.ts';
import { uuid } from './ids.ts';
import { isImmediate } from './start-command.ts';
import type { Build, StartPoint, Template, Templates } from './templates.ts';

export interface BuildRequest {
  /** Recorded only: the host's root stands in for every image. */
  fromImage: string | undefined;
  from: StartPoint | undefined;
  steps: readonly Step[];
  startCmd: string | undefined;
  readyCmd: string | undefined;
}

/** E2B gives its own images this account and folder to begin with. */
const INITIAL: Context = { user: 'user', workdir: '/home/user', envs: {} };

/** Runs the steps of templates in sandboxes of their own, and keeps what comes out. */
export class TemplateBuilder {
  readonly #context: FrontContext;
  readonly #templates: Templates;
  readonly #uploads: Uploads;
  readonly #running = new Set<Promise<void>>();

  constructor(context: FrontContext, templates: Templates, uploads: Uploads) {
    this.#context = context;
    this.#templates = templates;
    this.#uploads = uploads;
  }

  /** Begins; the build's status tells how it goes. */
  start(template: Template, build: Build, tags: readonly string[], request: BuildRequest): void {
    build.status = 'building';
    const work = this.#build(template, build, tags, request);
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Waits for what runs. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #build(
    template: Template,
    build: Build,
    tags: readonly string[],
    request: BuildRequest,
  ): Promise<void> {
    const { engine, onError } = this.#context;
    const id = `build-${build.id}`;
    const log: StepTools['log'] = (level, message) => {
      build.logs.push({ timestamp: engine.clock.now(), level, message });
    };
    let step = 'base';
    try {
      log('info', `Building template ${template.id}/${build.id}`);
      if (request.fromImage !== undefined) {
        log(
          'info',
          `FROM ${request.fromImage}: recorded only, this development server starts from its host's root`,
        );
      }
      const from = request.from?.snapshot;
      const sandbox = await engine.create({
        id,
        user: 'root',
        ...(from === undefined ? {} : { from }),
      });
      const tools: StepTools = { sandbox, uploads: this.#uploads, log };
      let context: Context = request.from ?? INITIAL;
      for (const [index, one] of request.steps.entries()) {
        step = `${index + 1}`;
        log(
          'info',
          `[builder ${index + 1}/${request.steps.length}] ${one.type} ${one.args.join(' ')}`,
        );
        context = await runStep(one, context, tools);
      }
      step = 'finalize';
      const start = request.startCmd ?? request.from?.startCmd;
      const ready = request.readyCmd ?? request.from?.readyCmd;
      if (ready !== undefined && start === undefined && !isImmediate(ready)) {
        await shell(tools, ready, context);
      }
      const snapshot = uuid();
      await engine.snapshot(id, snapshot);
      const { user, workdir, envs } = context;
      build.point = {
        ...build.point,
        user,
        workdir,
        envs,
        snapshot,
        startCmd: start,
        readyCmd: ready,
      };
      for (const tag of tags) this.#templates.tag(template, tag, build);
      log('info', 'Build finished');
      this.#settle(template, build, 'ready');
    } catch (error) {
      const isTheirs = error instanceof StepError;
      if (!isTheirs) onError(error);
      const message = isTheirs ? error.message : 'the build failed for a reason inside this server';
      log('error', message);
      build.reason = { message, step };
      this.#settle(template, build, 'error');
    } finally {
      await engine.get(id)?.delete().catch(onError);
    }
  }

  #settle(template: Template, build: Build, status: 'ready' | 'error'): void {
    build.status = status;
    build.updatedAt = this.#context.engine.clock.now();
    template.updatedAt = build.updatedAt;
  }
}
