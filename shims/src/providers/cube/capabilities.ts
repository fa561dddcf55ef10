import type { Capabilities } from '../../provider/capabilities.ts';
import { E2B_CAPABILITIES } from '../e2b/capabilities.ts';
import type { CubeServer } from './server.ts';

/** What a CubeSandbox server can do. */
export function cubeCapabilities(server: CubeServer): Capabilities {
  return {
    ...E2B_CAPABILITIES,
    stop: {
      support: 'emulated',
      note: 'What was started by commands is ended, then it is paused: what the template itself runs goes on.',
    },
    pause: { support: 'native' },
    archive: {
      support: 'unsupported',
      note: 'Snapshot it and delete it: the snapshot restores into a new sandbox.',
    },
    fork: {
      support: 'emulated',
      note: 'A snapshot and a sandbox from it; the source stands still for a moment.',
    },
    rollback: { support: 'native', note: 'To snapshots of the same sandbox.' },
    volumes: server.hasVolumes
      ? {
          support: 'native',
          sharedWrite: true,
          readOnly: true,
          subpath: false,
          note: server.detachesVolumes
            ? 'A volume is mounted as a whole, once for each sandbox.'
            : 'A sandbox with a volume for writing is not paused, unless pauseWithVolumes says so.',
        }
      : {
          support: 'unsupported',
          sharedWrite: false,
          readOnly: false,
          subpath: false,
          note: 'CubeSandbox has volumes since 0.6.0: upgrade, or copy files in and out.',
        },
    idlePolicy: {
      support: 'native',
      actions: ['pause', 'delete'],
      defaultAction: 'pause',
      minMs: 1_000,
      maxMs: null,
      note: 'Requests count as use; work in the sandbox that nobody asks about does not.',
    },
    lifetime: {
      support: 'unsupported',
      maxMs: null,
      note: 'Only idle time counts: delete it yourself when its time is over.',
    },
    labels: {
      support: 'native',
      mutable: false,
      note: 'Metadata is set at creation; 0.7.0 loses it while a sandbox is paused.',
    },
    ports: {
      support: 'native',
      private: true,
      note: 'Only with public: false, and then the sandbox, its commands too, is reached by the provider object that created it alone.',
    },
  };
}
