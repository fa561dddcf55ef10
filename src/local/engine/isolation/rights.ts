import { existsSync } from 'node:fs';
import { SANDBOX_USERS, type User } from '../users.ts';
import type { Mount } from './fstab.ts';
import type { Dialect } from './scripts.ts';

/** With what rights an engine makes its sandboxes, and what follows from that. */
export interface Rights {
  /** Options of the first `unshare`, inside which all others happen. */
  unshare: readonly string[];
  /** Options of `nsenter` that join what the first `unshare` made. */
  nsenter: readonly string[];
  /** Options of an overlay. */
  overlay: string;
  dialect: Dialect;
  /** Whether all files of a sandbox belong to one user: the server's. */
  hasOneOwner: boolean;
  /** Turns a process with all rights over its sandbox into one of a user. */
  become(user: User): string[];
  /** Variables that programs need in order to do with these rights. */
  env: Readonly<Record<string, string>>;
  limits: readonly string[];
}

const OVERLAY = 'index=off,metacopy=off,volatile';

/** Rights over the whole host that no program in a sandbox needs, not even as root. */
const BOUNDS =
  '--bounding-set=-sys_admin,-sys_module,-sys_rawio,-sys_boot,-sys_time,-mknod,-syslog,-mac_admin';

const SYSFS: Mount = ['sysfs', 'sys', 'sysfs', 'ro,nosuid,nodev,noexec'];

/** Root's own. */
export const ROOT: Rights = {
  unshare: [],
  nsenter: [],
  overlay: `redirect_dir=on,${OVERLAY}`,
  dialect: {
    cover: '',
    claim: ':',
    own: 'chown -R "$3:$3" "$1"',
    device: 'mknod -m 666 "$1" c "$2" "$3"',
    name: 'echo sandbox > /proc/sys/kernel/hostname',
    mounts: [SYSFS],
    attach: '',
    bind: `
mount --bind -- "/sys$1" "$2"
if [ "$3" = ro ]; then mount -o remount,bind,ro -- "$2"; fi`,
  },
  hasOneOwner: false,
  become: ({ uid, gid }) => [
    'setpriv',
    ...[`--reuid=${uid}`, `--regid=${gid}`, '--init-groups', BOUNDS, '--'],
  ],
  env: {},
  limits: [
    'root in a sandbox is root for the kernel: this keeps programs apart, not attackers',
    ...(existsSync('/usr/bin/sudo') ? [] : ['no sudo, since this host has none']),
  ],
};

/**
 * Which folders of the host, seen from its root, a sandbox can write to: enough for installing
 * programs. Each takes time at the start, so the long lists that need it least are left out.
 */
const CLAIMED = '-maxdepth 3 -not -path "usr/share/doc/*" -not -path "usr/share/locale/*"';

/**
 * Those any user has inside a user namespace, where one number stands for the server's user: root's.
 * A process of another user gets a user namespace more, in which the same number has another name.
 * To the kernel all of them are one, so they may write to each other's files.
 *
 * What belongs to others on the host, such as root, cannot be changed by anybody. So the upper folders
 * are made anew in the layer above, with nothing in them: the two show as one that belongs to the
 * sandbox, in which files of the host can be replaced.
 */
export const USER: Rights = {
  unshare: ['--user', '--map-root-user'],
  nsenter: ['--user', '--preserve-credentials'],
  // Marks of overlays are attributes any user may set. Then folders from below cannot be renamed.
  overlay: `userxattr,${OVERLAY}`,
  dialect: {
    cover: 'mount --bind base root',
    claim: `
(cd / && find "$1" -xdev ${CLAIMED} -type d -print0 2> /dev/null) |
  (cd base && xargs -0 mkdir -p 2> /dev/null) || :`,
    own: ':',
    device: ': > "$1"; mount --bind "/dev/$1" "$1"',
    name: 'hostname sandbox',
    mounts: [
      ['root/dev', 'dev', 'none', 'rbind'],
      ['tmpfs', 'dev/shm', 'tmpfs', 'nosuid,nodev,mode=1777'],
    ],
    // Refused unless the network is the sandbox's own.
    attach: `
mount -t sysfs -o ${SYSFS[3]} sysfs sys 2> /dev/null || mount --rbind /sys sys`,
    // What the host forbids for a mount stays forbidden, and has to be said again.
    bind: `
mount --bind -- "/sys$1" "$2"
if [ "$3" = ro ]; then
  for more in '' ,nosuid,nodev ,nosuid,nodev,noexec; do
    if mount -o "remount,bind,ro$more" -- "$2" 2> /dev/null; then return; fi
  done
  return 1
fi`,
  },
  hasOneOwner: true,
  become: ({ name }) => {
    const account = SANDBOX_USERS.find((user) => user.name === name);
    if (account === undefined) return ['setpriv', BOUNDS, '--'];
    const { uid, gid } = account;
    return ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  },
  env: { TAR_OPTIONS: '--no-same-owner' },
  limits: [
    'the server does not run as root: users of a sandbox have their names and homes, but the same rights',
    'files belong to the sandbox’s one user: `chown` to another fails, and accounts made inside cannot be used',
    'files of the host can be replaced, not changed, and that not in its deeper folders',
    'folders of the host or of a snapshot are not renamed in one step, as in Docker (`mv` copies)',
  ],
};

/** Mount options of an overlay; relative paths are meant from the engine's folder. */
export function overlayOptions(
  { overlay }: Rights,
  lower: readonly string[],
  upper: string,
  work: string,
): string {
  return `lowerdir=${lower.join(':')},upperdir=${upper},workdir=${work},${overlay}`;
}
