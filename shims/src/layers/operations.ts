/**
 * Whether an operation may be made twice: `safe` does the same as once; `token` does if both carry the
 * same token; `once` does not, unless it is sure that the first time did nothing.
 */
export type Repeat = 'safe' | 'token' | 'once';

/** What layers have to know of an operation. */
export interface Operation {
  readonly repeat: Repeat;
  /** Which argument holds its options, with the signal. */
  readonly optionsAt: number;
}

const safe = (optionsAt: number): Operation => ({ repeat: 'safe', optionsAt });
const once = (optionsAt: number): Operation => ({ repeat: 'once', optionsAt });
const token = (optionsAt: number): Operation => ({ repeat: 'token', optionsAt });

/** Every call that goes to a backend, by the object that it is made on. */
export const OPERATIONS = {
  provider: {
    capabilities: safe(0),
    create: token(1),
    get: safe(1),
    find: safe(1),
    list: safe(1),
    delete: safe(1),
  },
  volumes: { list: safe(0), get: safe(1), create: once(1), delete: safe(1) },
  snapshots: { list: safe(0), delete: safe(1), restore: token(2) },
  templates: { list: safe(0), get: safe(1), build: once(0), delete: safe(1) },
  sandbox: {
    info: safe(0),
    exec: once(1),
    spawn: once(1),
    runCode: once(1),
    portUrl: safe(1),
    start: safe(0),
    stop: safe(0),
    pause: safe(0),
    archive: safe(0),
    delete: safe(0),
    snapshot: once(0),
    rollback: safe(1),
    fork: once(0),
    keepAlive: safe(1),
    setIdlePolicy: safe(1),
    setLifetime: safe(1),
    setLabels: safe(1),
  },
  files: {
    read: safe(1),
    write: safe(2),
    list: safe(1),
    stat: safe(1),
    exists: safe(1),
    makeDir: safe(1),
    move: once(2),
    remove: safe(1),
    watch: once(2),
  },
  pty: { create: once(0), connect: once(1) },
  git: {
    clone: once(1),
    status: safe(1),
    branches: safe(1),
    createBranch: once(2),
    deleteBranch: once(2),
    checkout: safe(2),
    add: safe(1),
    commit: once(2),
    push: once(1),
    pull: once(1),
  },
} as const satisfies Record<string, Record<string, Operation>>;

export type Subject = keyof typeof OPERATIONS;

type NamesOf<S extends Subject> = `${S}.${keyof (typeof OPERATIONS)[S] & string}`;

/** Name of an operation: `provider.create`, `sandbox.exec`, `files.read`. */
export type OperationName = { [S in Subject]: NamesOf<S> }[Subject];
