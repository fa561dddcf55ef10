import type { Clock } from '../engine/clock.ts';
import { ApiError } from './errors.ts';
import { snapshotId, templateId, uuid } from './ids.ts';
import type { Preset } from './presets.ts';
import { DEFAULT_TAG, parseName } from './template-names.ts';

/** What a sandbox begins as. */
export interface StartPoint {
  templateId: string;
  alias: string | undefined;
  /** For whom envd acts unless told otherwise. */
  user: string;
  workdir: string | undefined;
  envs: Readonly<Record<string, string>>;
  /** The engine's snapshot; without one, the host's root. */
  snapshot: string | undefined;
  startCmd: string | undefined;
  readyCmd: string | undefined;
  cpuCount: number;
  memoryMB: number;
  diskSizeMB: number;
}

export type BuildStatus = 'waiting' | 'building' | 'ready' | 'error';

export interface BuildLog {
  timestamp: number;
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  step?: string;
}

export interface Build {
  readonly id: string;
  status: BuildStatus;
  point: StartPoint;
  readonly logs: BuildLog[];
  reason?: { message: string; step?: string };
  readonly createdAt: number;
  updatedAt: number;
}

export interface Template {
  readonly id: string;
  readonly kind: 'built-in' | 'built' | 'snapshot';
  names: string[];
  isPublic: boolean;
  readonly createdAt: number;
  updatedAt: number;
  spawnCount: number;
  lastSpawnedAt: number | undefined;
  /** Newest last. */
  readonly builds: Build[];
  readonly tags: Map<string, { build: Build; since: number }>;
  /** Of which sandbox this is a snapshot. */
  readonly origin?: string;
  /** What Cube was asked to build from; nothing of it is used. */
  image?: string;
}

/** The templates of one front, snapshots among them. */
export class Templates {
  readonly #preset: Preset;
  readonly #clock: Clock;
  readonly #byId = new Map<string, Template>();
  /** The one that is there from the start. */
  readonly default: Template;

  constructor(preset: Preset, clock: Clock) {
    this.#preset = preset;
    this.#clock = clock;
    const builtIn = preset.templates.builtIn.map((name) => {
      const names = preset.templates.hasAliases ? [name] : [];
      const template = this.add('built-in', names, templateId(preset));
      template.isPublic = true;
      this.addBuild(template, 'ready');
      return template;
    });
    const [first] = builtIn;
    if (first === undefined) throw new Error(`preset ${preset.name} has no template`);
    this.default = first;
  }

  /** All, oldest first. */
  list(): Template[] {
    return [...this.#byId.values()];
  }

  add(
    kind: Template['kind'],
    names: string[],
    id = kind === 'snapshot' ? snapshotId(this.#preset) : templateId(this.#preset),
    origin?: string,
  ): Template {
    const now = this.#clock.now();
    const template: Template = {
      id,
      kind,
      names,
      isPublic: false,
      createdAt: now,
      updatedAt: now,
      spawnCount: 0,
      lastSpawnedAt: undefined,
      builds: [],
      tags: new Map(),
      ...(origin === undefined ? {} : { origin }),
    };
    this.#byId.set(id, template);
    return template;
  }

  /** A new build, under these tags once it is ready; those of a ready one hold at once. */
  addBuild(
    template: Template,
    status: BuildStatus,
    point: Partial<StartPoint> = {},
    tags: readonly string[] = [DEFAULT_TAG],
  ): Build {
    const now = this.#clock.now();
    const build: Build = {
      id: uuid(),
      status,
      logs: [],
      createdAt: now,
      updatedAt: now,
      point: {
        templateId: template.id,
        alias: template.names[0],
        user: this.#preset.defaultUser,
        workdir: undefined,
        envs: {},
        snapshot: undefined,
        startCmd: undefined,
        readyCmd: undefined,
        ...this.#preset.resources,
        ...point,
      },
    };
    template.builds.push(build);
    template.updatedAt = now;
    for (const tag of tags) this.tag(template, tag, build);
    return build;
  }

  tag(template: Template, tag: string, build: Build): void {
    template.tags.set(tag, { build, since: this.#clock.now() });
  }

  remove(template: Template): void {
    this.#byId.delete(template.id);
  }

  /** By id, or by name where there are names. */
  find(reference: string): Template | undefined {
    const byId = this.#byId.get(reference);
    if (byId !== undefined || !this.#preset.templates.hasAliases) return byId;
    return this.list().find(({ names }) => names.includes(reference));
  }

  /** What `reference` of a create means. @throws ApiError */
  start(reference: string): StartPoint {
    const { flavor, templates } = this.#preset;
    const name =
      flavor === 'e2b'
        ? parseName(reference, 'template reference')
        : { name: reference, tag: undefined };
    const template = name === undefined ? undefined : this.find(name.name);
    if (template === undefined || name === undefined) {
      throw new ApiError(
        templates.unknownStatus,
        flavor === 'e2b'
          ? `template '${reference}' not found`
          : 'CubeMaster returned error code 130404: template not found',
      );
    }
    const tag = name.tag ?? DEFAULT_TAG;
    const build = template.tags.get(tag)?.build;
    if (build === undefined) {
      throw new ApiError(404, `tag '${tag}' does not exist for template '${name.name}'`);
    }
    if (build.status !== 'ready') throw notReady(this.#preset, reference);
    return { ...build.point, alias: template.names[0] };
  }

  /** Notes that a sandbox was made from it. */
  spawned(id: string): void {
    const template = this.#byId.get(id);
    if (template === undefined) return;
    template.spawnCount += 1;
    template.lastSpawnedAt = this.#clock.now();
  }
}

function notReady({ flavor }: Preset, reference: string): ApiError {
  return flavor === 'e2b'
    ? new ApiError(404, `template '${reference}' not found`)
    : new ApiError(500, 'CubeMaster returned error code 130409: template is not ready');
}
