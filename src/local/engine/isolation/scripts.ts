/**
 * The fixed shell programs of the engine. Data reaches them as arguments or through variables that
 * are only ever expanded inside quotes; none of it becomes program text.
 */

import type { Mount } from './fstab.ts';

/** PATH of the engine's own helpers and of processes in sandboxes. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** How a helper that stays reports to the server: its number as the host counts, at once … */
const REPORT = `read -r pid _ < /proc/self/stat
echo "$pid" >&3`;

/** … and that it is ready. */
const READY = `echo ready >&3
exec 3>&-`;

/** Program text in which the two kinds of rights differ. */
export interface Dialect {
  /** Runs before the first overlay of what is shared, in the engine's folder. */
  cover: string;
  /** Runs before the overlay of the host's folder `$1` of the shared root is mounted. */
  claim: string;
  /** Gives the folder `$1` to the user with number `$3`. */
  own: string;
  /** Makes the device `$1` with the numbers `$2`, `$3` in the current folder. */
  device: string;
  /** Runs in a sandbox's namespaces before anything is mounted. */
  name: string;
  /** Mounts of a sandbox over its files. */
  mounts: readonly Mount[];
  /** Runs in a sandbox's root-to-be, in which something has to be mounted on `sys`. */
  attach: string;
  /** Mounts the folder `$1` of the old root, which is on /sys, on `$2`, as `$3` says. */
  bind: string;
}

/**
 * Builds what all sandboxes share and keeps it mounted while the engine lives: the host's root
 * under a layer that hides what is private.
 * Arguments: engine folder, paths to hide, `--`, then overlays as path and options, `--`, then folders
 * as path, mode, owner.
 *
 * A folder made where something was hidden becomes opaque: overlayfs does the marking itself, so no
 * tool for extended attributes is needed. The shared root is a mount of its own because overlayfs
 * refuses layers that lie inside each other, and snapshots lie inside the host's root.
 */
export const baseOf = ({ cover, claim, own, device }: Dialect): string => `
set -eu
umask 022
${REPORT}
device() { ${device}
}
claim() { ${claim}
}
cd "$1"
shift
while [ "$1" != -- ]; do mknod "base/$1" c 0 0; shift; done
shift
${cover}
while [ "$1" != -- ]; do
  claim "$1"
  mount -t overlay -o "$2" overlay "root/$1"
  shift 2
done
shift
cd root
while [ $# -gt 0 ]; do
  mkdir -p "$1"
  chmod "$2" "$1"
  case $3 in
    0) ;;
    *)
      if [ -d etc/skel ]; then cp -R etc/skel/. "$1/"; fi
      ${own}
      ;;
  esac
  shift 3
done
cd dev
device null 1 3
device zero 1 5
device full 1 7
device random 1 8
device urandom 1 9
device tty 5 0
ln -s pts/ptmx ptmx
ln -s /proc/self/fd fd
ln -s /proc/self/fd/0 stdin
ln -s /proc/self/fd/1 stdout
ln -s /proc/self/fd/2 stderr
cd ../..
mount -o remount,bind,ro root
${READY}
exec cat > /dev/null
`;

/**
 * Process 1 of a sandbox; `prepare` is program text of the engine's own that runs beside the mounts.
 * Arguments: engine folder, limit of process numbers or 0 where the kernel has only one for the whole
 * host, the table of mounts that make its root, then mounts as host folder, path, `rw` or `ro`. These
 * are made after the change of root, so that links inside the sandbox cannot lead them out; the old
 * root waits on /sys, which a sandbox cannot replace. Kernel settings belong to the namespaces of who
 * writes them, whichever /proc that is in; the sandbox's own shows them for reading only.
 *
 * It ends as `cat` on a pipe from the server: when the server dies, the pipe ends, process 1 ends,
 * and the kernel kills whatever else is in the sandbox. With SIGCHLD ignored the kernel also reaps
 * the orphans that process 1 inherits.
 */
export const initOf = (prepare: string, { name, attach, bind }: Dialect): string => `
set -eu
umask 022
${REPORT}
{ ${prepare}
} &
bind() { ${bind}
}
cd "$1"
if [ "$2" != 0 ]; then echo "$2" > /proc/sys/kernel/pid_max; fi
${name}
mount -a -T "$3"
shift 3
cd mnt
${attach}
pivot_root . sys
cd /
while [ $# -gt 0 ]; do
  mkdir -p -- "$2"
  bind "$@"
  shift 3
done
umount -l /sys
wait "$!"
${READY}
exec env --ignore-signal=CHLD cat > /dev/null
`;

/**
 * Opens the files through which a process joins its control group, then becomes a program. It does
 * not join itself: the helper it becomes stays outside. Arguments: two files, the program.
 */
export const OPEN_GROUP = `
exec 4> "$1" 5> "$2"
shift 2
exec "$@"
`;

/** Joins what the script above opened, before anything of the user runs. */
const JOIN = `
if [ -e /proc/self/fd/4 ]; then echo 0 >&4; echo 0 >&5; exec 4>&- 5>&-; fi
`;

/** Last step before a user's program: reports the process number, or why there is none. */
export const LAUNCH = `${JOIN}umask 022
cd "$1" 2>/dev/null || { if [ -d "$1" ]; then echo denied >&3; else echo missing >&3; fi; exit 126; }
shift
unset OLDPWD
echo "ok $$" >&3
exec 3>&-
exec "$@"
`;

/** The same for a terminal: \`script\` opens it and runs the program given as first argument. */
export const LAUNCH_PTY = `${JOIN}umask 022
cd "$1" 2>/dev/null || { if [ -d "$1" ]; then echo denied >&3; else echo missing >&3; fi; exit 126; }
exec script -qfe -c "$2" /dev/null
`;

/**
 * Runs on the new terminal. \`script\` takes no arguments for its command, so they come as numbered
 * variables; what runs in the end gets an environment made from scratch.
 */
export const ON_PTY = `
stty echo rows "$ROWS" cols "$COLS"
echo "ok $$ $(tty)" >&3
exec 3>&-
i=0
set --
while [ "$i" -lt "$COUNT" ]; do
  eval "set -- \\"\\$@\\" \\"\\$ARG_$i\\""
  i=$((i + 1))
done
exec "$@"
`;

/**
 * Stands in for sudo where all users are one to the kernel, and the real one cannot work: the program
 * gets a user namespace in which that one has the number of the user asked for.
 */
export const SUDO = `#!/bin/sh
user=root
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    -u | --user) user=$2; shift 2 ;;
    --user=*) user=\${1#*=}; shift ;;
    -[CDghpRT]) shift 2 ;;
    -*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
while IFS=: read -r name _ uid gid _ home shell; do
  if [ "$name" = "$user" ]; then break; fi
done < /etc/passwd
if [ "$name" != "$user" ]; then echo "sudo: unknown user $user" >&2; exit 1; fi
if [ $# = 0 ]; then set -- "$shell"; fi
exec unshare --user --map-user="$uid" --map-group="$gid" -- \\
  env HOME="$home" USER="$user" LOGNAME="$user" "$@"`;

/** Keeps the namespaces it was started in. */
export const HOLD = `
${REPORT}
${READY}
exec cat > /dev/null
`;

/** Ends what is left of a directory engine once its server is gone. Argument: the engine's mark. */
export const GUARD = `
${REPORT}
${READY}
cat > /dev/null
for round in 1 2 3; do
  grep -lzs "^CUBESHIFT_SANDBOX=$1-" /proc/[0-9]*/environ | while read -r file; do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" 2> /dev/null || :
  done
done
`;
