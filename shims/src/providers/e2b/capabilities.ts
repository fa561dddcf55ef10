import type { Capabilities, Capability } from '../../provider/capabilities.ts';

/** Longest life of a sandbox: that of the largest plan; smaller ones allow an hour. */
const LONGEST_MS = 24 * 3_600_000;

/** What E2B can do. Source: its API and SDK of September 2026. */
export const E2B_CAPABILITIES: Capabilities = {
  stop: { support: 'native' },
  pause: { support: 'native' },
  archive: { support: 'emulated', note: 'There is no cold storage: the disk stays as after stop.' },
  fork: { support: 'native' },
  rollback: {
    support: 'unsupported',
    note: 'Restore the snapshot into a new sandbox: provider.snapshots.restore(id).',
  },
  snapshots: { support: 'native', includes: { memory: true, volumes: false } },
  volumes: {
    support: 'native',
    sharedWrite: true,
    readOnly: false,
    subpath: false,
    note: 'A volume is mounted as a whole, for reading and writing.',
  },
  templates: { support: 'native' },
  idlePolicy: {
    support: 'emulated',
    actions: ['pause', 'stop', 'delete'],
    defaultAction: 'pause',
    minMs: 1_000,
    maxMs: LONGEST_MS,
    note: 'Sandboxes end at a time, not by being idle: calls through this package move that time.',
  },
  lifetime: {
    support: 'emulated',
    maxMs: LONGEST_MS,
    note: 'Unless onIdle is "delete", it is paused at its end and not deleted.',
  },
  labels: {
    support: 'native',
    mutable: false,
    note: 'Metadata is set at creation, and fixed.',
  },
  names: {
    support: 'emulated',
    note: 'Kept in metadata: two creations at the same moment may both get a name.',
  },
  users: { support: 'native' },
  separateStreams: { support: 'native' },
  stdin: { support: 'native' },
  pty: { support: 'native' },
  watch: { support: 'native' },
  git: { support: 'emulated', note: 'By the git of the template.' },
  runCode: {
    support: 'emulated',
    languages: ['python', 'javascript', 'typescript', 'bash'],
    note: 'By the interpreters of the template, each run in a process of its own.',
  },
  ports: { support: 'native', private: true },
  network: { support: 'native' },
};

const NEEDS_NEWER: Capability = { support: 'unsupported', note: 'Needs e2b 2.35 or newer.' };

/** The same through an SDK that can neither keep the disk alone nor fork. */
export const OLD_SDK_CAPABILITIES: Capabilities = {
  ...E2B_CAPABILITIES,
  stop: NEEDS_NEWER,
  archive: NEEDS_NEWER,
  fork: NEEDS_NEWER,
  idlePolicy: { ...E2B_CAPABILITIES.idlePolicy, actions: ['pause', 'delete'] },
};
