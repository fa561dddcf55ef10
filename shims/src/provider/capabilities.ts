/**
 * How well a backend does something: as itself (`native`), with other means and some loss
 * (`emulated`), or not at all.
 */
export type Support = 'native' | 'emulated' | 'unsupported';

/** Support of one thing; the note says what is lost, or what to do instead. */
export interface Capability {
  readonly support: Support;
  readonly note?: string;
}

/** What an idle sandbox can turn into by itself. */
export type IdleAction = 'stop' | 'pause' | 'delete';

/** Whether what is written through a volume behaves like a disk. */
export interface VolumeSemantics {
  /** Several sandboxes may write to it at the same time. */
  readonly sharedWrite: boolean;
  /** It can be mounted for reading only. */
  readonly readOnly: boolean;
  /** A folder of it can be mounted instead of all of it. */
  readonly subpath: boolean;
}

/** What a snapshot brings back. Files are always in it. */
export interface SnapshotContents {
  readonly memory: boolean;
  readonly volumes: boolean;
}

/** What a backend can do, as values to ask for before a call is made. */
export interface Capabilities {
  /** Keeps the disk, ends processes. */
  readonly stop: Capability;
  /** Keeps disk and memory. */
  readonly pause: Capability;
  /** Keeps the disk in cold storage. */
  readonly archive: Capability;
  /** A copy of a live sandbox. */
  readonly fork: Capability;
  /** The same sandbox goes back to a snapshot. */
  readonly rollback: Capability;
  readonly snapshots: Capability & { readonly includes: SnapshotContents };
  readonly volumes: Capability & VolumeSemantics;
  readonly templates: Capability;
  /** Time without use after which something happens. `minMs` and `maxMs` bound the window. */
  readonly idlePolicy: Capability & {
    readonly actions: readonly IdleAction[];
    /** What happens when nothing is said: files are kept in any case. */
    readonly defaultAction: IdleAction;
    readonly minMs: number;
    /** `null`: any time, and never. */
    readonly maxMs: number | null;
  };
  /** Time after which the sandbox is deleted, used or not. */
  readonly lifetime: Capability & { readonly maxMs: number | null };
  /** `mutable`: labels can change after creation. */
  readonly labels: Capability & { readonly mutable: boolean };
  /** Sandboxes can be found by a name that is unique. */
  readonly names: Capability;
  /** Commands under other accounts than the default one. */
  readonly users: Capability;
  /** `stderr` of a command apart from its `stdout`. */
  readonly separateStreams: Capability;
  readonly stdin: Capability;
  readonly pty: Capability;
  readonly watch: Capability;
  readonly git: Capability;
  readonly runCode: Capability & { readonly languages: readonly string[] };
  /** URLs of ports; `private` ones need headers. */
  readonly ports: Capability & { readonly private: boolean };
  /** Rules for what a sandbox may reach. */
  readonly network: Capability;
}

/** The names of what is simply supported or not. */
export type CapabilityName = keyof Capabilities;
