import type { Capabilities, Capability } from '../../provider/capabilities.ts';
import { isAtLeast, type Version } from '../sdk-version.ts';

/** What Daytona can do, through a version of its SDK. Source: its API and SDK, 0.150 to 0.218. */
export function daytonaCapabilities(version: Version, virtualMachines: boolean): Capabilities {
  const since = (least: Version): boolean => isAtLeast(version, least);
  const onMachines: Capability = virtualMachines
    ? { support: 'native' }
    : {
        support: 'unsupported',
        note: 'Containers cannot: say virtualMachines: true if your snapshots are for machines.',
      };
  return {
    stop: { support: 'native', note: 'Not of one with onIdle: "delete", which it would delete.' },
    pause: onMachines,
    archive: { support: 'native', note: 'It is stopped first.' },
    fork: onMachines,
    rollback: {
      support: 'unsupported',
      note: 'Restore the snapshot into a new sandbox: provider.snapshots.restore(id).',
    },
    snapshots: {
      support: since([0, 166, 0]) ? 'native' : 'unsupported',
      includes: { memory: false, volumes: false },
      ...(since([0, 166, 0]) ? {} : { note: 'Needs version 0.166 of the SDK.' }),
    },
    volumes: {
      support: 'native',
      sharedWrite: true,
      readOnly: false,
      subpath: true,
      note: 'Storage of objects behind: no locks, no renaming in one step.',
    },
    templates: { support: 'native' },
    idlePolicy: {
      support: 'native',
      actions: virtualMachines ? ['stop', 'pause', 'delete'] : ['stop', 'delete'],
      defaultAction: 'stop',
      minMs: 1,
      maxMs: null,
      note: 'Whole minutes, rounded up.',
    },
    lifetime: since([0, 199, 0])
      ? { support: 'native', maxMs: null, note: 'Whole minutes, rounded up.' }
      : { support: 'unsupported', maxMs: null, note: 'Needs version 0.199 of the SDK.' },
    labels: { support: 'native', mutable: true },
    names: { support: 'native' },
    users: {
      support: 'emulated',
      note: 'For single commands and files through sudo, which the template needs.',
    },
    separateStreams: {
      support: 'emulated',
      note: 'exec() merges them, unless one of onStdout, onStderr and signal is given; a last line without an end then gets one.',
    },
    stdin: { support: 'emulated', note: 'Through a named pipe in the sandbox.' },
    pty: { support: 'native' },
    watch: { support: 'unsupported', note: 'Ask again and again: files.list().' },
    git: { support: 'native', note: 'Needs no git in the template.' },
    runCode: {
      support: 'emulated',
      languages: ['python', 'javascript', 'typescript', 'bash'],
      note: 'By the interpreters of the template, each run in a process of its own.',
    },
    ports: { support: 'native', private: true },
    network: { support: 'native', note: 'Addresses and blocks in `allow` only; no `deny`.' },
  };
}
