import type { CallOptions, CreateCallOptions, CreateOptions, WaitOptions } from './create.ts';
import type { Sandbox } from './sandbox.ts';

/** Storage that outlives sandboxes. */
export interface Volume {
  /** What mounts name. */
  readonly name: string;
  /** The backend's own id. */
  readonly id: string;
  readonly createdAt?: Date;
}

export interface CreateVolumeOptions extends WaitOptions {
  /** Kind of storage, on backends that have several. */
  driver?: string | undefined;
}

export interface VolumeService {
  list(options?: CallOptions): Promise<Volume[]>;
  /**
   * @param options `create` makes it when there is none
   * @throws {SandboxError} `not_found`
   */
  get(name: string, options?: CreateVolumeOptions & { create?: boolean }): Promise<Volume>;
  /**
   * Answers when it can be mounted.
   *
   * @throws {SandboxError} `conflict` when there is one of that name
   */
  create(name: string, options?: CreateVolumeOptions): Promise<Volume>;
  /**
   * Deletes it with all that is in it. What is gone already is fine.
   *
   * @throws {SandboxError} `conflict` while a sandbox has it mounted, where the backend can tell
   */
  delete(name: string, options?: CallOptions): Promise<void>;
}

/** Saved state of one sandbox. */
export interface Snapshot {
  readonly id: string;
  readonly name?: string;
  /** The sandbox that it was taken of. */
  readonly sandboxId?: string;
  readonly createdAt?: Date;
}

export interface SnapshotQuery extends CallOptions {
  /** Those of one sandbox. */
  sandboxId?: string | undefined;
}

export interface SnapshotService {
  list(query?: SnapshotQuery): Promise<Snapshot[]>;
  /** Deletes it; what is gone already is fine. */
  delete(id: string, options?: CallOptions): Promise<void>;
  /** A new sandbox from it. Labels, windows, variables and mounts are those of this call. */
  restore(
    id: string,
    options?: Omit<CreateOptions, 'template'>,
    call?: CreateCallOptions,
  ): Promise<Sandbox>;
}

export type TemplateStatus = 'building' | 'ready' | 'failed';

/** What sandboxes start from. */
export interface Template {
  /** What `create({ template })` takes. */
  readonly name: string;
  readonly id: string;
  readonly status: TemplateStatus;
  readonly error?: string;
}

/** How a template is made from an image that is in a registry. */
export interface TemplateBuild extends WaitOptions {
  name: string;
  image: string;
  cpu?: number | undefined;
  memoryMb?: number | undefined;
  diskMb?: number | undefined;
  /** Runs when a sandbox starts. */
  startCommand?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  /** Ports that can be reached, on backends where they have to be named. */
  ports?: readonly number[] | undefined;
  onLogs?: ((text: string) => void) | undefined;
}

export interface TemplateService {
  list(options?: CallOptions): Promise<Template[]>;
  /** @throws {SandboxError} `not_found` */
  get(name: string, options?: CallOptions): Promise<Template>;
  /** Answers when it is ready. @throws {SandboxError} `conflict` with the end of its logs when it fails */
  build(build: TemplateBuild): Promise<Template>;
  /** Deletes it; what is gone already is fine. */
  delete(name: string, options?: CallOptions): Promise<void>;
}
